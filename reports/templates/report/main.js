// Which view is shown, the keys, and the colours.

const main = document.getElementById("main");
const panes = [new Pane({ episode: "episode", moment: "at" }), new Pane({ episode: "with", moment: "with-at" })];
let view = null;

function render() {
  const address = readAddress();
  if (address.episode) showEpisode(address);
  else showOverview();
}

function showOverview() {
  const search = document.activeElement && document.activeElement.id === "search" ? document.activeElement.selectionStart : null;
  const section = episodesSection();
  if (view === "overview") main.lastElementChild.replaceWith(section);
  else {
    main.replaceChildren(overview(), section);
    const last = main.querySelector(`a.open[href$="${CSS.escape(panes[0].name || "")}"]`);
    if (view && last) last.focus();
    else if (view) main.focus();
  }
  view = "overview";
  document.title = `${INDEX.run.id} - pytest-rogue`;
  if (search !== null) {
    const field = document.getElementById("search");
    field.focus();
    field.setSelectionRange(search, search);
  }
}

function showEpisode(address) {
  const wanted = address.with ? "two" : "one";
  if (view !== wanted) {
    const shown = address.with ? panes : panes.slice(0, 1);
    main.replaceChildren(h("div", { id: "bar" }), h("div", { class: `panes panes-${wanted}` }, ...shown.map((pane) => pane.element)));
    main.focus();
    view = wanted;
    window.scrollTo(0, 0);
  }
  document.getElementById("bar").replaceWith(episodeBar(address));
  document.title = `${(INDEX.episodes[PLACE.get(address.episode)] || {}).case || "episode"} - pytest-rogue`;
  panes[0].show(address);
  if (address.with) panes[1].show(address);
}

/** Back, previous and next, and what to lay beside it: the same case first. */
function episodeBar(address) {
  const own = INDEX.episodes[PLACE.get(address.episode)] || {};
  const others = INDEX.episodes.filter((episode) => episode.name !== address.episode);
  const same = others.filter((episode) => episode.case === own.case && episode.scenario === own.scenario);
  const option = (episode) => h("option", { value: episode.name, selected: episode.name === address.with },
    `${episode.case} · ${episode.model}${episode.variant === "base" ? "" : ` · ${episode.variant}`}${episode.epoch > 1 ? ` · epoch ${episode.epoch}` : ""} · ${words(episode.outcome)}`);
  const rest = others.filter((episode) => !same.includes(episode) && (episode.model === own.model || episode.name === address.with));
  return h("nav", { id: "bar", class: "bar", "aria-label": "Episode" },
    h("a", { href: addressWith({ episode: null, with: null, at: null, "with-at": null }), id: "back" }, "← All episodes"),
    h("button", { type: "button", id: "previous", click: () => neighbour(-1) }, "Previous ", h("kbd", {}, "k")),
    h("button", { type: "button", id: "next", click: () => neighbour(1) }, "Next ", h("kbd", {}, "j")),
    h("span", { class: "grow" }),
    h("label", { for: "beside" }, "Beside it"),
    h("select", { id: "beside", change: (event) => go({ with: event.target.value, "with-at": null }) },
      h("option", { value: "" }, "nothing"),
      same.length ? h("optgroup", { label: "The same case" }, ...same.map(option)) : null,
      rest.length ? h("optgroup", { label: "Others" }, ...rest.map(option)) : null));
}

function neighbour(by) {
  const chosen = chosenEpisodes();
  const place = chosen.findIndex((episode) => episode.name === readAddress().episode);
  const next = chosen[place < 0 ? 0 : place + by];
  if (next) go({ episode: next.name, at: null, with: null, "with-at": null });
}

/** The pane that the keys mean: the one in which the focus is, else the first. */
const activePane = () => panes.find((pane) => pane.element.contains(document.activeElement)) || panes[0];

const EPISODE_KEYS = {
  ArrowLeft: () => activePane().step(-1),
  ArrowRight: () => activePane().step(1),
  Home: () => activePane().goTo(0),
  End: () => activePane().goTo(Infinity),
  o: () => shownPanes().forEach((pane) => pane.jumpTo("appears")),
  a: () => shownPanes().forEach((pane) => pane.jumpTo("answer")),
  x: () => activePane().toggleTree(),
  z: () => activePane().toggleSize(),
  j: () => neighbour(1),
  k: () => neighbour(-1),
  Escape: () => go({ episode: null, with: null, at: null, "with-at": null }),
};
const OVERVIEW_KEYS = {
  "/": () => document.getElementById("search").focus(),
  j: () => walk(1),
  k: () => walk(-1),
};
const shownPanes = () => (view === "two" ? panes : panes.slice(0, 1));

/** Move the focus along the rows of the table. */
function walk(by) {
  const links = [...main.querySelectorAll("a.open")];
  const next = links[links.indexOf(document.activeElement) + by] || (by > 0 ? links[0] : null);
  if (next) next.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const field = event.target.closest("input, select, textarea");
  if (field && event.key === "Escape") field.blur();
  if (field && !(field.type === "range" && event.key.length === 1)) return;
  if (event.key === "?") help.showModal();
  const action = (view === "overview" ? OVERVIEW_KEYS : EPISODE_KEYS)[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});

const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => help.showModal());
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// --- colours: as the system has them, until the reader chooses

const THEMES = ["system", "light", "dark"];
const themeButton = document.getElementById("theme-button");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = `Colours: ${theme}`;
}

/** Some browsers refuse to remember anything for a file. */
function remembered(write) {
  try {
    if (write) localStorage.setItem("rogue-theme", write);
    return localStorage.getItem("rogue-theme");
  } catch {
    return null;
  }
}

themeButton.addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  remembered(next);
  setTheme(next);
});
setTheme(THEMES.includes(remembered()) ? remembered() : "system");

document.getElementById("run-id").textContent = visible(INDEX.run.id);
window.addEventListener("hashchange", render);
render();
