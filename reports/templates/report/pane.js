// One episode: its verdict, the scrubber, the screen, and what happened at the moment that is shown.

class Pane {
  /** `names` are those of the two places in the address that this pane reads: which episode, and which moment. */
  constructor(names) {
    this.names = names;
    this.options = { tree: false };
    this.element = h("article", { class: "pane", "aria-live": "off" });
    this.name = null;
    this.story = null;
    this.number = -1;
  }

  /** Show what the address says; load the episode where it is another one. */
  async show(address) {
    const name = address[this.names.episode];
    if (name !== this.name) {
      this.name = name;
      this.story = null;
      this.element.replaceChildren(h("p", { class: "dim" }, "Loading"));
      try {
        if (!PLACE.has(name)) throw new Error("There is no such episode in this run.");
        const story = await storyOf(name);
        if (name !== this.name) return;
        this.story = story;
        this.build();
      } catch (error) {
        if (name === this.name) this.element.replaceChildren(h("p", { class: "notice" }, error.message));
        return;
      }
    }
    if (this.story) this.moveTo(Number(readAddress()[this.names.moment] ?? this.story.jumps.answer ?? 0));
  }

  build() {
    const { entry, warnings } = this.story;
    this.number = -1;
    this.stage = h("div", { class: "stage" });
    this.side = h("div", { class: "side", tabindex: "-1" });
    this.scrubber = scrubber(this.story, (number) => this.goTo(number));
    this.element.replaceChildren(
      h("header", { class: "pane-head" },
        h("h1", {}, entry.case, h("small", {}, entry.epoch > 1 ? ` epoch ${entry.epoch}` : "")),
        h("p", {}, h("strong", {}, entry.model), "  ", badge(entry.outcome), " ",
          h("span", { class: "reason" }, entry.verdict_reason)),
        this.story.instruction ? h("p", { class: "instruction" }, this.story.instruction) : null),
      ...warnings.map((warning) => h("p", { class: "notice" }, warning)),
      h("div", { class: "jumps" },
        this.jump("appears", "Obstacle appears", "o"), this.jump("answer", "Answer", "a"),
        h("span", { class: "where", "aria-live": "polite" })),
      this.scrubber.element,
      h("div", { class: "scene" }, this.stage, this.side),
      factsOf(entry), judgmentsPart(this.story, (number) => this.goTo(number)) ?? "");
  }

  jump(what, title, key) {
    const number = this.story.jumps[what];
    return h("button", { type: "button", class: "jump", disabled: number === undefined, "data-jump": what,
      click: () => this.goTo(number) }, h("span", { class: `flag ${flagOf(`obstacle.${EVENTS[what]}`, this.story.entry)}` }), title, " ", h("kbd", {}, key));
  }

  goTo(number) {
    if (this.story && number !== undefined) go({ [this.names.moment]: this.within(number) }, { replace: true });
  }

  jumpTo(what) {
    if (this.story) this.goTo(this.story.jumps[what]);
  }

  step(by) {
    this.goTo(this.number + by);
  }

  within(number) {
    const last = Math.max(0, this.story.moments.length - 1);
    return Math.min(last, Math.max(0, Math.trunc(number) || 0));
  }

  moveTo(wanted) {
    const number = this.within(wanted);
    if (number === this.number) return;
    this.number = number;
    const moment = this.story.moments[number];
    this.scrubber.moveTo(number);
    this.element.querySelector(".where").textContent = moment
      ? `moment ${number + 1} of ${this.story.moments.length}` + (moment.step === null ? "" : `, step ${moment.step}`) : "";
    this.stage.replaceChildren(moment ? screenOf(this.story, moment) : absent("No picture."));
    this.side.replaceChildren(storyAt(this.story, number, this.options));
    this.side.scrollTop = 0;
  }

  toggleTree() {
    const details = this.element.querySelector("details.tree");
    if (details) details.open = !details.open;
  }

  toggleSize() {
    this.element.classList.toggle("full-size");
  }
}

/** A slider over the moments, with everything that was recorded above it, each where it happened. */
function scrubber(story, goTo) {
  const last = Math.max(1, story.moments.length - 1);
  const at = (number, part) => `${(100 * Math.min(last, number + part)) / last}%`;
  const input = h("input", { type: "range", min: 0, max: Math.max(0, story.moments.length - 1), step: 1, value: 0,
    "aria-label": "Moment of the episode", input: () => goTo(Number(input.value)) });
  const flags = story.moments.flatMap((moment, number) => moment.happenings
    .filter((happening) => happening.name !== "obstacle.armed")
    .map((happening) => flag(happening, story.entry, at(number, happening.at), () => goTo(number))));
  const ticks = story.moments.map((moment, number) => placed(h("span", { class: moment.obstacle ? "tick stood" : "tick" }), at(number, 0)));
  const quoted = [...new Set(quotesOf(story).map((quote) => quote.number))].filter((number) => number !== null)
    .map((number) => placed(h("span", { class: "quoted", title: "quoted by a judge" }), at(number, 0)));
  return {
    element: h("div", { class: "scrubber" }, h("div", { class: "track" }, ...flags, ...quoted), input, h("div", { class: "track ticks" }, ...ticks)),
    moveTo(number) {
      input.value = number;
      input.setAttribute("aria-valuetext", `moment ${number + 1} of ${story.moments.length}`);
      ticks.forEach((tick, place) => tick.classList.toggle("here", place === number));
    },
  };
}

function flag(happening, entry, left, click) {
  return placed(h("button", { type: "button", class: `flag ${flagOf(happening.name, entry)}`, title: happening.name,
    "aria-label": happening.name, tabindex: "-1", click }), left);
}

const EVENTS = { appears: "appeared", answer: "answered" };

/** How an event looks on the scrubber; an answer has the colour of the verdict that follows from it. */
function flagOf(name, entry) {
  if (name === "obstacle.appeared") return "flag-appears";
  if (name === "obstacle.answered") return `flag-answer is-${entry.verdict}`;
  return /fault|lost|gave_up/.test(name) ? "flag-fault" : "flag-other";
}

function placed(element, left) {
  element.style.left = left;
  return element;
}

/** How it was scored and what went wrong, below the scene. */
function factsOf(entry) {
  const score = entry.score === null ? `no score${entry.score_reason ? `: ${entry.score_reason}` : ""}` : `score ${decimal(entry.score)}`;
  const took = entry.ending || entry.verdict ? [several(entry.steps, "step"), several(entry.actions, "action")] : [];
  const facts = [score, `ended: ${entry.ending ? words(entry.ending) : "never began"}`, ...took, entry.attempt > 1 ? `attempt ${entry.attempt}` : "", entry.expected ? `expected: ${entry.expected}` : ""];
  return h("section", { class: "result" }, h("h3", {}, "Result"),
    h("p", {}, facts.filter(Boolean).join("  ·  ")),
    entry.checks.length ? h("ul", {}, ...entry.checks.map((check) => h("li", {}, h("strong", {}, check.evaluator), ` ${decimal(check.score)}: `,
      check.score === null ? check.reason : `expected ${check.expected}; found ${check.found}`))) : null,
    ...entry.faults.map((fault) => h("p", { class: "warn" }, `${fault.kind} (${fault.phase}): ${fault.message}`)),
    ...entry.notes.map((note) => h("p", { class: "dim" }, note)),
    h("p", { class: "dim" }, entry.nodeid));
}
