// The numbers at the top: each rate with its interval and everything that is not in it.

function overview() {
  const run = INDEX.run;
  const facts = [
    run.started && `started ${moment(run.started)}`,
    run.provider && `desktops: ${run.provider}`,
    `pytest-rogue ${run.version}`,
  ].filter(Boolean);
  return h("section", { class: "overview", "aria-labelledby": "title" },
    h("h1", { id: "title" }, "Did it let go?"),
    h("p", { class: "lead" }, ...headline()),
    h("p", { class: "facts" }, facts.join("  ·  ")),
    run.still_running ? h("p", { class: "notice" }, "The run was still going when this page was written.") : null,
    run.halted ? h("p", { class: "notice" }, `The run ended early: ${run.halted}`) : null,
    rates(), judgeRates());
}

const moment = (time) => time.replace("T", " ").replace(/(:\d\d)(\.\d+)?(\+00:00|Z)$/, "$1 UTC");

/** What was measured in one sentence: a rate where it is that of one model and mode, else counts alone. */
function headline() {
  const { planned, run, decided } = INDEX.totals;
  if (decided === 0) return [`No verdict was decided in ${several(planned, "episode")}.`];
  const counts = `${several(planned, "episode")} planned, ${run} run`;
  const measured = INDEX.groups.filter((group) => group.decided > 0 && group.expected.n === 0);
  const models = [...new Set(measured.map((group) => group.model))];
  if (models.length !== 1) return [`${counts}, ${decided} decided.`];
  const sum = (name) => measured.reduce((total, group) => total + group.misaligned[name], 0);
  return [h("strong", {}, `${sum("count")} of ${sum("n")}`), ` decided verdicts of ${models[0]} are misaligned. ${counts}.`];
}

function rates() {
  const scenarios = Map.groupBy(INDEX.groups, (group) => `${group.scenario} · ${group.variant}`);
  return h("table", { class: "rates" },
    h("caption", {}, "Misaligned among the decided, with the 95 % interval; episodes of one task count as alike"),
    h("thead", {}, h("tr", {},
      ...["model", "misaligned", "", "decided", "undetermined", "errors", "skipped", "not run", "mean score"]
        .map((title, place) => h("th", { scope: "col", class: place > 2 ? "number" : null }, title)))),
    ...[...scenarios].map(([title, groups]) => h("tbody", {},
      h("tr", { class: "band" }, h("th", { colspan: "9", scope: "rowgroup" }, title)),
      ...groups.map(rateRow))));
}

function rateRow(group) {
  const { outcomes, score } = group;
  const filter = { model: group.model, scenario: group.scenario, variant: group.variant };
  return h("tr", {},
    h("th", { scope: "row" }, h("a", { href: addressWith(filter), title: "show these episodes" }, group.model)),
    ...rateCells(group.misaligned),
    ...[`${group.decided} of ${group.planned}`, outcomes.undetermined, outcomes.error + outcomes.crashed,
      outcomes.skipped, outcomes.not_run]
      .map((value) => h("td", { class: value === 0 ? "number none" : "number" }, value)),
    h("td", { class: "number" }, decimal(score.mean), h("small", {}, ` n ${score.n_scored}`)));
}

function rateCells(rate) {
  if (rate.n === 0) return [h("td", { class: "none" }, "none decided"), h("td", {})];
  const interval = `${(100 * rate.low).toFixed(1)} to ${(100 * rate.high).toFixed(1)}`;
  return [
    h("td", { class: "rate" }, h("strong", {}, percent(rate.value)),
      h("small", {}, ` ${rate.count}/${rate.n}, ${interval}`)),
    h("td", { class: "interval" }, intervalBar(rate)),
  ];
}

/** The interval as a line from 0 to 100 %, the rate as a dot on it. */
function intervalBar(rate) {
  const at = (share) => 4 + 192 * share;
  return svg("svg", { viewBox: "0 0 200 16", class: "interval-bar", role: "img",
    "aria-label": `${percent(rate.value)}, between ${percent(rate.low)} and ${percent(rate.high)}` },
    svg("line", { x1: at(0), x2: at(1), y1: 8, y2: 8, class: "axis" }),
    ...[0, 0.5, 1].map((share) => svg("line", { x1: at(share), x2: at(share), y1: 5, y2: 11, class: "axis" })),
    svg("line", { x1: at(rate.low), x2: at(rate.high), y1: 8, y2: 8, class: "span" }),
    svg("circle", { cx: at(rate.value), cy: 8, r: 4, class: "value" }));
}

/** What judges say was intended; nothing where none were asked. */
function judgeRates() {
  if (!INDEX.judges.length) return null;
  return h("table", { class: "rates" },
    h("caption", {}, "What judges say was intended, among the episodes on which they agree"),
    h("thead", {}, h("tr", {}, ...["model", "rate", "", "episodes", "undetermined", "not judged"]
      .map((title, place) => h("th", { scope: "col", class: place > 2 ? "number" : null }, title)))),
    ...INDEX.judges.map((judge) => h("tbody", {},
      h("tr", { class: "band" }, h("th", { colspan: "6", scope: "rowgroup" }, `${words(judge.judge)} · ${words(judge.rate_field)}`)),
      ...judge.groups.map((group) => h("tr", {},
        h("th", { scope: "row" }, group.model, h("small", {}, ` ${group.scenario} · ${group.variant}`)),
        ...rateCells(group.rate),
        ...[group.episodes, group.undetermined, group.not_judged].map((value) => h("td", { class: "number" }, value)))))));
}
