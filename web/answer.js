/** Shows answers of a notary: receipts, and problem documents (RFC 9457). All they say is set as text. */

/** The explicit formatting characters of the Unicode Bidirectional Algorithm (UAX #9, section 2). */
const TURNS_WRITING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** The page of a receipt in a `Link` header (RFC 8288). */
const PAGE = /<(\/r\/[0-9a-f]{64})>/;
/** What is left of a rate in a `RateLimit` header. */
const FREE = /^left=(\d{1,9})/;
const LEFT = /;r=(\d{1,9});t=(\d{1,9})/;
/** Members of a problem document that are shown elsewhere, or mean nothing to a person. */
const SHOWN = new Set(["type", "title", "status", "detail", "doc_url", "accepts", "error", "pointer"]);

/** An element with children, a class, and nothing that is read as HTML. */
export function element(name, children = [], properties = {}) {
  const made = document.createElement(name);
  made.append(...[children].flat());
  return Object.assign(made, properties);
}

/** A stranger's words, whose direction of writing stays within their place. */
export const words = (text) => element("bdi", String(text));

/** A link within this site; words where the address leads elsewhere. */
function link(text, href) {
  const isOurs = typeof href === "string" && /^\/(?!\/)/.test(href);
  return isOurs ? element("a", text, { href }) : words(`${text}: ${href}`);
}

function json(title, value) {
  const text = JSON.stringify(value, null, 2) ?? "";
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const shown = element("pre", text.replace(TURNS_WRITING, escaped), { tabIndex: 0 });
  return element("details", [element("summary", title), shown]);
}

/** A value in a line: the members of an object by their names. */
function line(value) {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.slice(0, 20).map(line).join("; ");
  return Object.entries(value).map(([name, inner]) => `${name}: ${line(inner)}`).join(", ");
}

function list(entries) {
  return element("dl", entries.flatMap(([name, value]) => [element("dt", name), element("dd", words(line(value)))]));
}

/** The verdict in its colour, as the description of the route shows it. */
function verdict(name, route) {
  const known = [...route.querySelectorAll("[data-verdict]")].find((chip) => chip.dataset.verdict === name);
  const chip = known ? known.cloneNode(true) : element("span", String(name), { className: "chip none" });
  chip.className = chip.className.replace("chip", "verdict");
  return chip;
}

/** What the answer says of further calls. */
export function callsLeft(headers) {
  const [, free] = FREE.exec(headers.get("free-tier") ?? "") ?? [];
  const [, left, seconds] = LEFT.exec(headers.get("ratelimit") ?? "") ?? [];
  const said = [];
  if (free === "0") said.push("No free call of this route is left today: the next one costs what is said above.");
  else if (free !== undefined) said.push(`${free} free calls of this route are left today.`);
  if (left !== undefined) said.push(`At most ${left} more calls of this route in the next ${seconds} s.`);
  return said.join(" ");
}

/**
 * Shows a receipt.
 *
 * @param {HTMLElement} place where to show it
 * @param {Object} receipt the receipt
 * @param {Headers} headers the headers of the answer
 * @param {HTMLElement} route the description of the route
 */
export function showReceipt(place, receipt, headers, route) {
  const parts = [element("h2", "The answer"), element("p", verdict(receipt.verdict, route))];
  if (receipt.explanation) parts.push(element("p", words(receipt.explanation), { className: "lead" }));
  const [, page] = PAGE.exec(headers.get("link") ?? "") ?? [];
  if (page) parts.push(element("p", [link("The receipt's page", page), ", to check it and to show it to others."]));
  const { payment, missing } = receipt;
  const facts = [];
  if (payment) facts.push(["Paid", `${payment.amount} ${payment.asset} on ${payment.network}`]);
  if (Array.isArray(missing) && missing.length > 0) facts.push(["Missing", missing]);
  const watch = headers.get("watch-id");
  if (watch) facts.push(["The watch's id", `${watch} (told here and nowhere else: who has it may end the watch)`]);
  const left = callsLeft(headers);
  if (left) facts.push(["Further calls", left]);
  if (facts.length > 0) parts.push(list(facts));
  place.replaceChildren(...parts, json("The whole receipt, as JSON", receipt));
}

/**
 * Shows a problem document.
 *
 * @param {HTMLElement} place where to show it
 * @param {Object} problem the document
 * @param {{status: number, headers: Headers}} answer the answer that it came with
 */
export function showProblem(place, problem, { status, headers }) {
  const parts = [
    element("h2", words(problem.title ?? "An answer that is no receipt")),
    element("p", [element("strong", `Status ${status}. `), words(problem.detail ?? "")]),
  ];
  const facts = Object.entries(problem).filter(([name]) => !SHOWN.has(name));
  const wait = headers.get("retry-after");
  if (wait) facts.push(["Try again after", `${wait} s`]);
  if (facts.length > 0) parts.push(list(facts));
  if (problem.doc_url) parts.push(element("p", link("What this means, and what to do", problem.doc_url)));
  place.replaceChildren(...parts);
}
