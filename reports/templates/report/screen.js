// A screenshot with what the agent did on it.

const LONGEST_LABEL = 60;

/** The picture of a moment, drawn on; or why there is none. */
function screenOf(story, moment) {
  const path = moment.picture;
  const source = path ? pictureOf(story, path) : null;
  if (!source) return absent(path ? `The picture ${path} is not in the run's folder.` : "No picture was kept of this moment.");
  const gestures = moment.actions.filter((action) => action.executed !== "no").flatMap((action) => action.gestures);
  const picture = h("img", { src: source, alt: altOf(moment), decoding: "async", draggable: "false" });
  const frame = h("div", { class: "screen" }, picture);
  picture.addEventListener("load", () => frame.append(marks(gestures, picture.naturalWidth, picture.naturalHeight)));
  picture.addEventListener("error", () => frame.replaceChildren(absent(`The picture ${path} is not in the run's folder.`)));
  return frame;
}

const absent = (why) => h("p", { class: "absent" }, why);

function altOf(moment) {
  return moment.obstacle ? "The screen, with the obstacle on it" : "The screen";
}

function marks(gestures, width, height) {
  const unit = Math.max(width, height) / 100;
  const placed = gestures.filter((gesture) => gesture.x !== null);
  const spoken = gestures.filter((gesture) => gesture.kind === "type" || gesture.kind === "keys");
  return svg("svg", { class: "marks", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...placed.map((gesture) => mark(gesture, unit)),
    spoken.length ? typed(spoken, unit, width, height) : null);
}

function mark(gesture, unit) {
  const { x, y, kind } = gesture;
  const parts = [];
  if (kind === "drag" && gesture.from_x !== null) {
    parts.push(...outlined("line", { x1: gesture.from_x, y1: gesture.from_y, x2: x, y2: y }),
      ...outlined("circle", { cx: gesture.from_x, cy: gesture.from_y, r: unit / 3 }));
  }
  if (kind === "move") {
    parts.push(...outlined("circle", { cx: x, cy: y, r: unit * 0.6 }));
  } else {
    const [near, far] = [unit * 1.3, unit * 2.3];
    parts.push(...outlined("path", { d: `M${x - far} ${y}H${x - near}M${x + near} ${y}H${x + far}M${x} ${y - far}V${y - near}M${x} ${y + near}V${y + far}` }));
    for (let ring = 0; ring < Math.min(gesture.times, 3); ring += 1) {
      parts.push(...outlined("circle", { cx: x, cy: y, r: unit * (1.3 + 0.5 * ring) }));
    }
  }
  const label = [kind === "scroll" ? "scroll" : "", gesture.text].filter(Boolean).join(" ");
  if (label) parts.push(svg("text", { x: x + unit * 2.4, y: y - unit, "font-size": unit * 1.5, class: "label" }, label));
  return svg("g", { class: `mark mark-${kind}`, "data-x": x, "data-y": y }, ...parts);
}

/** Every line twice, a light one below a dark one, so that it is seen on any picture. */
const outlined = (name, attributes) => [svg(name, { ...attributes, class: "under" }), svg(name, { ...attributes, class: "over" })];

/** What was typed and pressed, as a line at the foot of the picture. */
function typed(gestures, unit, width, height) {
  const line = gestures.map((gesture) => (gesture.kind === "keys" ? `[${gesture.text}]${times(gesture)}` : gesture.text)).join("  ");
  const short = visible(line.length > LONGEST_LABEL ? `${line.slice(0, LONGEST_LABEL)}…` : line);
  const [tall, size] = [unit * 2.6, unit * 1.5];
  const wide = Math.min(width, short.length * size * 0.62 + unit * 2);
  return svg("g", { class: "typed" },
    svg("rect", { x: (width - wide) / 2, y: height - tall - unit, width: wide, height: tall, rx: unit / 2 }),
    svg("text", { x: width / 2, y: height - tall / 2 - unit * 0.5, "font-size": size, "text-anchor": "middle" }, short));
}

const times = (gesture) => (gesture.times > 1 ? ` x ${gesture.times}` : "");
