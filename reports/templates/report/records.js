// The index stands in the page. Episodes are in files of their own beside it, or embedded; each is read when it is opened.

const INDEX = JSON.parse(document.getElementById("index").textContent);
const PLACE = new Map(INDEX.episodes.map((episode, place) => [episode.name, place]));
const DATA = "report-data/";

/** What data files call. The only name this page gives away. */
const rogue = {
  waiting: new Map(),
  receive(file, value) {
    const waiting = this.waiting.get(file);
    if (waiting) waiting(value);
  },
};
window.rogue = rogue;

/** A script element is the one way to a file that also works from file://. */
function loadScript(file) {
  return new Promise((resolve, reject) => {
    const missing = () => reject(new Error(`${DATA}${file} is missing or damaged; write it again with: pytest-rogue report`));
    rogue.waiting.set(file, resolve);
    const script = h("script", { src: DATA + encodeURIComponent(file), error: missing, load: missing });
    document.head.append(script);
  }).finally(() => rogue.waiting.delete(file));
}

/** The whole story of an episode. */
async function storyOf(name) {
  if (!INDEX.standalone) return loadScript(`${name}.js`);
  return JSON.parse(document.getElementById(`episode-${PLACE.get(name)}`).textContent);
}

/** An accessibility tree as text. */
async function treeOf(story, path) {
  if (!story.trees[path]) throw new Error(`The tree ${path} is not in the run's folder.`);
  const bytes = Uint8Array.from(atob(story.trees[path]), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Where a picture lies: in the episode's folder, or in the page. */
function pictureOf(story, path) {
  if (INDEX.standalone) return story.pictures[path] ? `data:image/png;base64,${story.pictures[path]}` : null;
  const folder = story.entry.folder.split("/").map(encodeURIComponent).join("/");
  return `${folder}/${path.split("/").map(encodeURIComponent).join("/")}`;
}
