/** The page /try: asks any verdict route, shows the answer, and pays for a call that costs money. */

import { element, showProblem, showReceipt, words } from "./answer.js";
import { example } from "./examples.js";
import { Unpayable, authorization, identifier, proof, readTerms } from "./payment.js";
import { devWallet, injectedWallet } from "./wallets.js";

/** The longest time that an answer is waited for: longer than any route and a settlement take. */
const ANSWER_MS = 90_000;
/** How often, and after how long a pause at most, a question is sent again with its payment. */
const [MAX_SENDS, MAX_PAUSE_S] = [6, 30];
/** Bytes of a question that a line of shell shows whole. */
const MAX_SHOWN = 2000;

const form = document.querySelector("[data-try]");
const part = (name) => form.querySelector(`[data-${name}]`);
const [choice, text, said, result, pay] = ["choice", "question", "said", "result", "pay"].map(part);
const routes = new Map([...document.querySelectorAll("details[data-path]")].map((route) => [route.id, route]));

/** The text that was written for each route. */
const drafts = new Map();
/** The payment that was signed for each question, until its answer is there: nothing is paid twice unasked. */
const signed = new Map();
/** The question that was sent last. */
let asked = null;
/** The hash of the newest receipt, for disputes. */
let newest = null;
let isBusy = false;

const route = () => routes.get(choice.value);
const keyOf = ({ path, body }) => `${path}\n${body}`;
const clock = (ms) => new Date(ms).toLocaleTimeString();

function tell(sentence, kind = "") {
  said.textContent = sentence;
  said.className = kind;
}

function clear() {
  for (const place of [result, pay]) {
    place.replaceChildren();
    place.hidden = true;
  }
}

// --- The question ---

/** Why a text is no question; nothing where it is one. */
function fault(body) {
  try {
    const question = JSON.parse(body);
    return question !== null && typeof question === "object" ? "" : "A question is a JSON object.";
  } catch (error) {
    return `This is no JSON yet: ${error.message}`;
  }
}

/** Shows all that follows from the text: its size, its fault, and the line of shell. */
function follow() {
  const body = text.value;
  drafts.set(choice.value, body);
  const bytes = new TextEncoder().encode(body).length;
  part("hint").textContent = fault(body) || `${bytes.toLocaleString("en")} bytes`;
  const isShort = bytes <= MAX_SHOWN;
  const data = isShort ? `-d '${body.replaceAll("'", `'\\''`)}'` : "-d @question.json";
  part("curl").textContent =
    `curl -s ${location.origin}${route().dataset.path} -H 'content-type: application/json' ${data}`;
  part("save").hidden = isShort;
  // A price is hidden that is another question's; a payment that was signed never is.
  if (asked && asked.body !== body && !signed.has(keyOf(asked))) pay.hidden = true;
}

function choose(name) {
  choice.value = name;
  const { summary, offer, example: declared } = route().dataset;
  part("about").textContent = `${summary} ${offer[0].toUpperCase()}${offer.slice(1)}.`;
  part("fields").replaceChildren(route().querySelector("[data-table]").cloneNode(true));
  text.value = drafts.get(name) ?? example(name, declared, newest);
  clear();
  tell("");
  follow();
}

// --- The answer ---

async function post({ path, body }, payment) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  if (payment) headers["payment-signature"] = payment.proof;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const options = { method: "POST", body, headers, signal, credentials: "omit", cache: "no-store" };
  let answer, written;
  try {
    answer = await fetch(path, options);
    written = await answer.text();
  } catch (error) {
    throw new Error(`no answer came from the notary (${error.message}).`);
  }
  let content = {};
  try {
    content = JSON.parse(written);
  } catch {
    content = { title: "The answer is no JSON", detail: written.slice(0, 300) };
  }
  return { status: answer.status, headers: answer.headers, content };
}

/** The pause before the question is sent again with its payment; nothing where it is not. */
function pause({ status, headers }, payment, sends) {
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const again = payment && status === 503 && seconds >= 0 && seconds <= MAX_PAUSE_S && sends < MAX_SENDS;
  return again ? Math.max(1, seconds) : null;
}

/** Asks, with the payment that was signed for this very question, if there is one. */
async function ask(question) {
  asked = question;
  clear();
  const payment = signed.get(keyOf(question));
  for (let sends = 1; ; sends += 1) {
    tell(payment ? "Sent with the payment that you signed; waiting for the answer." : "Asking.");
    const answer = await post(question, payment);
    const seconds = pause(answer, payment, sends);
    if (seconds === null) return show(question, answer, payment);
    tell(`The payment is not settled yet. The same question goes out again in ${seconds} s; nothing new is signed.`);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

function show(question, answer, payment) {
  const { status, headers, content } = answer;
  if (status === 402) return showPrice(question, answer, payment);
  result.hidden = false;
  if (status !== 200) {
    showProblem(result, content, answer);
    if (payment) (content.code === "payer_unproven" ? offerAnother : offerAgain)(question, payment);
    return tell("No receipt: the answer below says why.");
  }
  signed.delete(keyOf(question));
  newest = /^[0-9a-f]{64}$/.test(content.receipt_hash) ? content.receipt_hash : newest;
  showReceipt(result, content, headers, route());
  return tell(`${content.verdict}. The receipt is below.`);
}

// --- The payment ---

/** Runs one thing at a time, and tells why it failed. */
async function alone(work) {
  if (isBusy) return;
  isBusy = choice.disabled = text.readOnly = true;
  form.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    const payment = asked && signed.get(keyOf(asked));
    const why = error?.message ? String(error.message).slice(0, 300) : "the wallet gave no reason";
    tell(`That did not work: ${why}`, "no");
    if (payment) offerAgain(asked, payment);
  } finally {
    isBusy = choice.disabled = text.readOnly = false;
    form.removeAttribute("aria-busy");
    // The button that was pressed may be gone: the keyboard goes on from the answer.
    const place = pay.hidden ? result : pay;
    if (document.activeElement === document.body && !place.hidden) place.focus({ preventScroll: true });
  }
}

function button(title, work) {
  const made = element("button", title, { type: "button" });
  made.addEventListener("click", () => alone(work));
  return made;
}

/** A signed payment may have been taken though no receipt came: the same one is sent again, and no other. */
function offerAgain(question, payment) {
  pay.hidden = false;
  pay.replaceChildren(
    element("h2", "Your payment is signed"),
    element("p", `You signed a payment of ${payment.amount} for this question at ${clock(payment.at)}. Whatever became of it, \
sending the identical question with the same payment costs nothing more. Keep this page open until the receipt is there.`),
    element("p", button("Send it again with the same payment", () => ask(question))),
  );
}

/** The payment has settled, and the notary gives its answer to nobody but the payer: a second signature, under the identifier of the first. */
function offerAnother(question, payment) {
  const { terms, id } = payment;
  const buttons = wallets(question, terms, "Show that you are the payer", id);
  pay.hidden = false;
  pay.replaceChildren(
    element("h2", "Your payment was taken, and its answer waits for you"),
    element("p", `The payment of ${payment.amount} that you signed at ${clock(payment.at)} is settled. Anybody can read it by now, so the \
notary asks who you are: sign once more, and the notary answers by the first payment. It says that it does not settle this second \
signature, which could otherwise be taken for ${terms.validS} s.`),
    element("p", buttons),
  );
}

/** What a signed payment that was not taken may still do. */
function refusal(payment, content) {
  const until = payment.until > Date.now() ? `It can still be taken until ${clock(payment.until)}` : "It has expired";
  return element("p", `The payment that you signed at ${clock(payment.at)} was not taken (${content.code}). ${until}: whoever \
signs another one before that has signed two.`, { className: "notice" });
}

/** Shows the price of a call, or why the page does not pay it. */
function showPrice(question, answer, payment) {
  pay.hidden = false;
  try {
    const terms = readTerms(answer.headers.get("payment-required"), form.dataset);
    pay.replaceChildren(...bill(question, terms, answer.content, payment));
    tell(payment ? "The payment was not taken: see below." : `This call costs ${terms.amount}. Nothing has been paid.`);
  } catch (error) {
    if (!(error instanceof Unpayable)) throw error;
    result.hidden = false;
    showProblem(result, answer.content, answer);
    pay.replaceChildren(element("h2", "The page cannot pay for this call"), element("p", error.message));
    if (payment) {
      pay.append(refusal(payment, answer.content));
      pay.append(element("p", button("Send it again with the same payment", () => ask(question))));
    }
    tell("This call costs money, and the page cannot pay for it.");
  }
}

/** What the call costs and who is paid, all that is signed, and the buttons that sign it. */
function bill(question, terms, content, payment) {
  const { chain, network, token, tokenName, payTo } = form.dataset;
  const fact = (name, value) => [element("dt", name), element("dd", value)];
  const parts = [
    element("h2", `This call costs ${terms.amount}`),
    element("p", ["The notary says: ", words(content.detail ?? "payment is required"), "."]),
    element("p", "You sign one payment of exactly this amount, for this question alone (EIP-3009, x402):"),
    element("dl", [
      ...fact("Amount", `${terms.amount} (${terms.accepted.amount} atomic units)`),
      ...fact("To", element("span", payTo, { className: "hash" })),
      ...fact("Network", `${network} (eip155:${chain})`),
      ...fact("Token", [`${tokenName}, `, element("span", token, { className: "hash" })]),
      ...fact("Valid", `for ${terms.validS} s from when you sign`),
    ]),
  ];
  if (payment) {
    parts.push(refusal(payment, content));
    parts.push(element("p", button("Send it again with the same payment", () => ask(question))));
  }
  const buttons = wallets(question, terms, payment ? "Sign another payment" : "Pay");
  const guide = element("a", "The guide says how to pay otherwise", { href: "/docs/payments" });
  if (buttons.length > 0) parts.push(element("p", buttons));
  return [...parts, element("p", [buttons.length > 0 ? "" : "This browser has no wallet that can pay here. ", guide, "."])];
}

/** The buttons of the wallets that are there. */
function wallets(question, terms, title, id = identifier()) {
  const { devKey, chain } = form.dataset;
  const found = [];
  if (devKey) {
    const open = () => devWallet(devKey);
    found.push(button(`${title} with the development wallet (worthless money)`, () => buy(question, terms, open, id)));
  }
  // Over plain http anybody on the way could have changed the payee on this page.
  if (globalThis.ethereum && globalThis.isSecureContext) {
    const open = () => injectedWallet(globalThis.ethereum, chain);
    found.push(button(`${title} with this browser's wallet`, () => buy(question, terms, open, id)));
  }
  return found.flatMap((made, at) => (at > 0 ? [" ", made] : [made]));
}

/** Signs the terms as they are shown, once, and asks with the proof. */
async function buy(question, terms, open, id) {
  tell("Signing.");
  const wallet = await open();
  const typed = authorization(terms, wallet.address);
  const signature = await wallet.sign(typed);
  const payment = {
    proof: proof(terms, typed.message, signature, id),
    terms,
    id,
    amount: terms.amount,
    at: Date.now(),
    until: Number(typed.message.validBefore) * 1000,
  };
  signed.set(keyOf(question), payment);
  await ask(question);
}

// --- The page ---

function send() {
  const body = text.value;
  const why = fault(body);
  if (why) return tell(why, "no");
  return alone(() => ask({ path: route().dataset.path, body }));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
text.addEventListener("input", follow);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
});
choice.addEventListener("change", () => {
  choose(choice.value);
  history.replaceState(null, "", `/try?route=${encodeURIComponent(choice.value)}`);
});
part("reset").addEventListener("click", () => {
  if (isBusy) return;
  drafts.delete(choice.value);
  choose(choice.value);
});
part("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(part("curl").textContent);
  tell("Copied.");
});
part("save").addEventListener("click", () => {
  const href = URL.createObjectURL(new Blob([text.value], { type: "application/json" }));
  element("a", [], { href, download: "question.json" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
});

/** The kind of a value, in the words of the tables of fields. */
function kindOf(value) {
  if (Array.isArray(value)) return `list of ${kindOf(value[0])}`;
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Whether a value of a receipt is one that its field of the question takes: some have one name and two kinds. */
function fits(value, kinds) {
  if (value === undefined || value === null) return false;
  const kind = kindOf(value);
  const isKind = (one) => one === kind || (one === "number" && kind === "integer");
  return kinds.split(" or ").some(isKind) || kinds.split(", ").includes(JSON.stringify(value));
}

/** Writes the question of a receipt again, as far as the receipt repeats it. */
async function repeat(hash) {
  const answer = await fetch(`/receipts/${hash}`, { credentials: "omit" });
  if (!answer.ok) throw new Error("the notary has no such receipt.");
  const receipt = await answer.json();
  if (receipt.class !== choice.value) throw new Error("the receipt is of a route that is not asked here.");
  const rows = [...route().querySelectorAll("[data-table] tr:has(td)")];
  const fields = rows.map(({ cells: [name, kinds, need] }) => {
    return { name: name.textContent, kinds: kinds.textContent, isNeeded: need.textContent === "yes" };
  });
  // The hash that a receipt has is its own, and not that of the question.
  const own = fields.filter(({ name }) => !name.includes(".") && !["agent", "receipt_hash"].includes(name));
  const given = own.filter(({ name, kinds }) => fits(receipt[name], kinds));
  const question = { agent: "my-agent", ...Object.fromEntries(given.map(({ name }) => [name, receipt[name]])) };
  text.value = JSON.stringify(question, null, 2);
  follow();
  const missing = own.filter(({ name, isNeeded }) => isNeeded && !(name in question)).map(({ name }) => name);
  tell(
    given.length === 0
      ? "The receipt does not repeat its question. Write it again."
      : missing.length > 0
      ? `The receipt does not repeat all that was asked. Complete it: ${missing.join(", ")}.`
      : "This is the question of the receipt, under another name. What it did not repeat is not here.",
  );
}

// A payment that was signed is kept by this page alone.
addEventListener("beforeunload", (event) => {
  if (signed.size > 0) event.preventDefault();
});
for (const [name, { dataset }] of routes) choice.append(element("option", dataset.path, { value: name }));
part("copy").hidden = !navigator.clipboard;
const wanted = new URLSearchParams(location.search);
choose(routes.has(wanted.get("route")) ? wanted.get("route") : choice.value);
form.hidden = false;
if (/^[0-9a-f]{64}$/.test(wanted.get("again") ?? "")) alone(() => repeat(wanted.get("again")));
