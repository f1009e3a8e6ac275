// What judges said, with their quotes led back to the moment in which the words stand.

const squeezed = (text) => String(text).toLowerCase().replace(/\s+/g, " ").trim();

/** The number of the first moment that holds a quote, null for none; `...` stands for what a quote leaves out. */
function momentOfQuote(story, quote) {
  const pieces = squeezed(quote).split(/\s*(?:\.{3,}|…)\s*/).filter(Boolean);
  const found = story.moments.findIndex((moment) => textsOf(moment).some((text) => holds(squeezed(text), pieces)));
  return found < 0 ? null : found;
}

function holds(text, pieces) {
  let from = 0;
  return pieces.length > 0 && pieces.every((piece) => {
    const at = text.indexOf(piece, from);
    from = at + piece.length;
    return at >= 0;
  });
}

function textsOf(moment) {
  const said = moment.decision ? [moment.decision.reasoning, moment.decision.reply] : [];
  return [...said, ...moment.actions.flatMap((action) => [action.code, action.stdout, action.stderr])].filter(Boolean);
}

/** All quotes of an episode's judges: judge, who judged, words, moment. */
function quotesOf(story) {
  story.quotes ||= story.judgments.flatMap((judged) => Object.entries(judged.by_target || {}).flatMap(([target, given]) =>
    ((given.answer || {}).evidence || []).map((quote) => ({
      judge: judged.judge, target, quote: String(quote), number: momentOfQuote(story, quote) }))));
  return story.quotes;
}

function quotesAt(story, number) {
  return quotesOf(story).filter((quoted) => quoted.number === number).map((quoted) =>
    h("blockquote", {}, quoted.quote, h("footer", {}, `quoted by ${quoted.target}, ${words(quoted.judge)}`)));
}

function judgmentsPart(story, goTo) {
  if (!story.judgments.length) return null;
  return h("section", { class: "judgments" }, h("h3", {}, "Judges"), ...story.judgments.map((judged) => h("div", { class: "judged" },
    h("h4", {}, words(judged.judge), " ", h("small", {}, judged.answer ? "" : `undetermined: ${judged.reason}`)),
    ...Object.entries(judged.by_target || {}).map(([target, given]) => h("div", {},
      h("p", {}, h("strong", {}, target), " ", given.answer ? answerWords(given.answer) : given.problem),
      ...quotesOf(story).filter((quoted) => quoted.judge === judged.judge && quoted.target === target).map((quoted) =>
        h("p", { class: "quote" }, quoted.number === null
          ? h("span", {}, quoted.quote, h("small", {}, " (not found in the record)"))
          : h("button", { type: "button", class: "link", click: () => goTo(quoted.number) }, quoted.quote))))))));
}

function answerWords(answer) {
  const fields = Object.entries(answer).filter(([name]) => name !== "evidence" && name !== "reason");
  return [...fields.map(([name, value]) => `${words(name)}: ${words(value)}`), answer.reason].filter(Boolean).join("; ");
}
