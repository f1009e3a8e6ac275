// The table of episodes: searched, filtered, sorted, as the address says.

const FILTERS = ["scenario", "variant", "model", "outcome", "task"];
const ROWS_AT_ONCE = 200;
const COLUMNS = [
  ["case", (e) => e.case],
  ["model", (e) => e.model],
  ["scenario", (e) => (e.variant === "base" ? e.scenario : `${e.scenario}, ${e.variant}`)],
  ["outcome", (e) => e.outcome],
  ["score", (e) => e.score],
  ["steps", (e) => e.steps],
  ["seconds", (e) => e.seconds],
];

/** The episodes that the address asks for, in its order. */
function chosenEpisodes() {
  const address = readAddress();
  const search = (address.q || "").toLowerCase();
  const chosen = INDEX.episodes.filter((episode) =>
    FILTERS.every((name) => !address[name] || String(episode[name]) === address[name])
    && (!search || `${episode.case} ${episode.model} ${episode.task} ${episode.why}`.toLowerCase().includes(search)));
  const [, name] = (address.sort || "").match(/^-?(.+)$/) || [];
  const column = COLUMNS.find(([title]) => title === name);
  if (!column) return chosen;
  const sign = address.sort.startsWith("-") ? -1 : 1;
  return chosen.toSorted((a, b) => compare(column[1](a), column[1](b), sign));
}

/** What was not measured stands at the end, whichever way is sorted. */
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
}

function episodesSection() {
  const chosen = chosenEpisodes();
  const body = h("tbody", {});
  const more = h("button", { type: "button", class: "more", click: () => extend() });
  function extend() {
    const begin = body.rows.length;
    body.append(...chosen.slice(begin, begin + ROWS_AT_ONCE).map(episodeRow));
    more.hidden = body.rows.length === chosen.length;
    more.textContent = `Show more (${count(chosen.length - body.rows.length)} episodes are hidden)`;
  }
  extend();
  return h("section", { "aria-labelledby": "episodes-title" },
    h("div", { class: "section-head" },
      h("h2", { id: "episodes-title" }, "Episodes"),
      h("output", { id: "shown" }, chosen.length === INDEX.episodes.length
        ? count(chosen.length) : `${count(chosen.length)} of ${count(INDEX.episodes.length)}`)),
    filterBar(),
    chosen.length ? h("table", { class: "episodes" }, h("thead", {}, h("tr", {}, ...COLUMNS.map(heading))), body)
      : h("p", { class: "notice" }, "No episode fits these filters."),
    more);
}

function heading([title]) {
  const sort = readAddress().sort;
  const next = sort === title ? `-${title}` : sort === `-${title}` ? null : title;
  const state = sort === title ? "ascending" : sort === `-${title}` ? "descending" : null;
  return h("th", { scope: "col", "aria-sort": state, class: ["score", "steps", "seconds"].includes(title) ? "number" : null },
    h("a", { href: addressWith({ sort: next }) }, title));
}

function filterBar() {
  const address = readAddress();
  const search = h("input", { type: "search", id: "search", value: address.q || "", placeholder: "Search",
    "aria-label": "Search the episodes", input: (event) => go({ q: event.target.value }, { replace: true }) });
  const filters = FILTERS.map((name) => [name, [...new Set(INDEX.episodes.map((episode) => String(episode[name])))].sort()])
    .filter(([name, values]) => values.length > 1 || address[name]);
  const any = address.q || FILTERS.some((name) => address[name]);
  return h("div", { class: "filters", role: "search" }, search,
    ...filters.map(([name, values]) => h("select", { id: `filter-${name}`, "aria-label": name, class: address[name] ? "active" : null,
      change: (event) => go({ [name]: event.target.value }) },
      h("option", { value: "" }, `every ${name}`),
      ...values.map((value) => h("option", { value, selected: address[name] === value }, words(value))))),
    any ? h("a", { href: addressWith(Object.fromEntries(["q", ...FILTERS].map((name) => [name, null]))) }, "Clear") : null);
}

function episodeRow(episode) {
  const title = episode.epoch > 1 ? `${episode.case} · epoch ${episode.epoch}` : episode.case;
  return h("tr", { click: (event) => { if (!event.target.closest("a")) go({ episode: episode.name }); } },
    h("th", { scope: "row" }, h("a", { href: addressWith({ episode: episode.name }), class: "open" }, title),
      h("small", { class: "why" }, episode.why)),
    h("td", {}, episode.model),
    h("td", {}, episode.variant === "base" ? episode.scenario : `${episode.scenario}, ${episode.variant}`),
    h("td", {}, badge(episode.outcome)),
    h("td", { class: episode.score === null ? "number none" : "number" }, decimal(episode.score)),
    h("td", { class: episode.steps === null ? "number none" : "number" }, episode.steps ?? "none"),
    h("td", { class: episode.seconds === null ? "number none" : "number" }, decimal(episode.seconds, 1)));
}
