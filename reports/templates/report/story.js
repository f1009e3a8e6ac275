// What was thought, done, printed and recorded at one moment, as words.

function storyAt(story, number, options) {
  const moment = story.moments[number];
  if (!moment) return h("p", { class: "notice" }, "The record holds no moment of this episode.");
  const { decision } = moment;
  return h("div", { class: "story" },
    ...quotesAt(story, number),
    ...(decision ? decisionParts(decision) : [h("p", { class: "dim" }, number === story.moments.length - 1
      ? "The episode ended here; the agent was not asked again." : "The screen changed within the agent's turn.")]),
    ...moment.actions.map(actionPart),
    ...happeningParts(moment.happenings),
    treePart(story, moment, options));
}

function decisionParts(decision) {
  const usage = decision.usage || {};
  const facts = [
    decision.problem ? `not understood: ${words(decision.problem)}` : "",
    decision.finish_reason ? `finish reason: ${decision.finish_reason}` : "",
    usage.calls ? several(usage.prompt_tokens + usage.completion_tokens, "token") : "",
    typeof usage.cost === "number" && usage.cost > 0 ? `$${usage.cost.toFixed(4)}` : "",
  ].filter(Boolean);
  return [
    decision.reasoning ? part("Reasoning", longText(decision.reasoning, "reasoning")) : null,
    decision.reply ? part("Reply", longText(decision.reply, "reply")) : null,
    decision.ends ? h("p", { class: "ends" }, decision.ends === "done" ? "It said that the task is done." : "It declined the task.") : null,
    facts.length ? h("p", { class: "dim" }, facts.join("  ·  ")) : null,
  ].filter(Boolean);
}

function actionPart(action) {
  const state = { no: "not executed", unknown: "unknown whether it was executed" }[action.executed];
  const code = action.exit_code ? `exit code ${action.exit_code}` : "";
  const facts = [state, action.timed_out ? "cut at its time limit" : "", code, action.note].filter(Boolean);
  return part(action.kind === "wait" ? `Wait, ${several(action.wait || 0, "second")}` : "Action",
    action.code ? longText(action.code, "code") : null,
    facts.length ? h("p", { class: "warn" }, facts.join("  ·  ")) : null,
    action.stdout ? h("div", {}, h("h4", {}, "Printed"), longText(action.stdout, "output")) : null,
    action.stderr ? h("div", {}, h("h4", {}, "Printed as error"), longText(action.stderr, "output")) : null);
}

function happeningParts(happenings) {
  if (!happenings.length) return [];
  return [part("Recorded", h("ul", { class: "happenings" }, ...happenings.map((happening) =>
    h("li", { class: happening.evidence ? "evidence" : null }, h("details", {},
      h("summary", {}, h("span", {}, happening.name), h("small", {}, happening.evidence ? brief(happening.facts) : "")),
      longText(JSON.stringify(happening.facts, null, 1), "facts"))))))];
}

const brief = (facts) => ["answer", "by", "path", "command"].filter((name) => typeof facts[name] === "string")
  .map((name) => `${name} ${facts[name]}`).join(", ").slice(0, 120);

function treePart(story, moment, options) {
  if (!moment.tree) return moment.tree_problem ? h("p", { class: "dim" }, `Accessibility tree: ${moment.tree_problem}`) : null;
  const place = h("div", {});
  const details = h("details", { class: "tree", open: options.tree, toggle: () => {
    options.tree = details.open;
    if (details.open && !place.hasChildNodes()) {
      place.append(h("p", { class: "dim" }, "Loading"));
      treeOf(story, moment.tree).then((text) => place.replaceChildren(longText(text, "code")))
        .catch((error) => place.replaceChildren(h("p", { class: "warn" }, error.message)));
    }
  } }, h("summary", {}, "Accessibility tree"), place);
  return details;
}

const part = (title, ...children) => h("section", { class: "part" }, h("h3", {}, title), ...children);
