"use strict";
// Building blocks. Whatever comes from an agent or a desktop enters the page as text, never as markup.

const FIRST_PIECE = 4000;
const NEXT_PIECE = 200000;
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Show what does not print, and what would turn the direction of the text around. */
function visible(text) {
  return String(text).replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\\u" + code.toString(16).padStart(4, "0");
  });
}

/** An element. Attributes that are null are left out; functions become listeners; children are elements or text. */
function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined)
    .map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

/** Text that keeps its lines. A long one shows its beginning, and the rest piece by piece. */
function longText(text, className) {
  const whole = String(text);
  const block = h("pre", { class: className || null, tabindex: whole.length > FIRST_PIECE ? "0" : null });
  let shown = 0;
  const more = h("button", { type: "button", class: "more", click: () => show(NEXT_PIECE) });
  function show(length) {
    block.append(visible(whole.slice(shown, shown + length)));
    shown = Math.min(whole.length, shown + length);
    more.hidden = shown === whole.length;
    more.textContent = `Show more (${count(whole.length - shown)} of ${count(whole.length)} characters are hidden)`;
  }
  show(FIRST_PIECE);
  return h("div", { class: "long" }, block, more);
}

const count = (number) => number.toLocaleString("en");
const percent = (share) => (share === null ? "none" : (100 * share).toFixed(1) + " %");
const decimal = (number, digits = 2) => (number === null || number === undefined ? "none" : number.toFixed(digits));
const words = (name) => String(name).replaceAll("_", " ");

/** "2 steps", "1 step". */
const several = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

function badge(outcome) {
  return h("span", { class: `badge is-${outcome}` }, words(outcome));
}
