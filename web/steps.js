/** Shows the steps of a verification in a list. */

import { verify } from "./verify.js";

const MARKS = new Map([
  [true, ["ok", "holds"]],
  [false, ["no", "does not hold"]],
  [null, ["open", "could not be checked"]],
]);

/** An element with a class and a text. */
function element(name, text = "", kind = "") {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

/** A step with its outcome, its reason, and the bytes at work folded below. */
function step({ title, ok, detail, shown }) {
  const item = element("li");
  const [kind, word] = MARKS.get(ok);
  item.append(element("strong", title), " ", element("span", word, kind), `: ${detail}`);
  if (shown.length > 0) {
    const details = element("details");
    const list = element("dl");
    for (const [label, value] of shown) list.append(element("dt", label), element("dd", value, "hash"));
    details.append(element("summary", "The bytes"), list);
    item.append(details);
  }
  return item;
}

/**
 * Verifies a receipt and shows each step.
 *
 * @param {string} text the receipt's JSON text
 * @param {{jwks: string | Object, vkey: string}} keys the issuer's key set and log key
 * @param {{list: HTMLElement, status: HTMLElement}} places where to show it
 * @returns the result of `verify`
 */
export async function show(text, keys, { list, status }) {
  const began = performance.now();
  const result = await verify(text, keys);
  const took = Math.max(1, Math.round(performance.now() - began));
  list.replaceChildren(...result.steps.map(step));
  const failed = result.steps.filter(({ ok }) => ok !== true).map(({ title }) => title);
  status.textContent = result.valid
    ? `Your browser agrees: every step holds (${took} ms).`
    : `Not valid: ${failed.join(", ")}.`;
  status.className = result.valid ? "ok" : "no";
  return result;
}
