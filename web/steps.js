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

/** The newest run of each list: an earlier one that ends later shows nothing. */
const newest = new WeakMap();

/** A sentence with the outcome of all steps. What could not be checked is not called wrong, nor right. */
function summary({ valid, steps }, took) {
  if (valid) return `Your browser agrees: every step holds (${took} ms).`;
  const titles = (outcome) => steps.filter(({ ok }) => ok === outcome).map(({ title }) => title).join(", ");
  const [wrong, open] = [titles(false), titles(null)];
  return wrong ? `Not valid: ${wrong}.` : `Not verified, as these steps could not be made: ${open}.`;
}

/**
 * Verifies a receipt and shows each step, unless a later run has begun on the same list.
 *
 * @param {string} text the receipt's JSON text
 * @param {{jwks: string | Object, vkey: string}} keys the issuer's key set and log key
 * @param {{list: HTMLElement, status: HTMLElement}} places where to show it
 * @returns the result of `verify`
 */
export async function show(text, keys, { list, status }) {
  const run = Symbol("run");
  newest.set(list, run);
  const began = performance.now();
  const result = await verify(text, keys);
  const took = Math.max(1, Math.round(performance.now() - began));
  if (newest.get(list) !== run) return result;
  list.replaceChildren(...result.steps.map(step));
  status.textContent = summary(result, took);
  status.className = result.valid ? "ok" : "no";
  return result;
}
