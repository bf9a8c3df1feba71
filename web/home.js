/** The home page: finds the page of a receipt by its hash or its link, and hands a whole receipt to /verify. */

import { hashOf } from "./verify.js";

const form = document.querySelector("[data-find]");
const said = form.querySelector("[data-said]");
const field = form.querySelector("textarea");

function find(text) {
  const hash = hashOf(text.trim());
  if (hash) {
    location.assign(`/r/${hash}`);
  } else if (text.trim().startsWith("{")) {
    sessionStorage.setItem("receipt", text);
    location.assign("/verify");
  } else {
    said.textContent = "That is no hash, no link to a receipt and no receipt.";
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  find(field.value);
});

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file && file.size <= 4 * 1024 * 1024) find(await file.text());
});

// --- The first call ---

const call = document.querySelector("[data-ask]");

/** Asks what the form has, and goes to the page of the receipt. */
async function ask() {
  const answer = await fetch(call.dataset.ask, {
    method: "POST",
    headers: { "content-type": "application/json" },
    credentials: "omit",
    body: call.querySelector("textarea").value,
  });
  const body = await answer.json();
  if (answer.ok) {
    location.assign(`/r/${body.receipt_hash}`);
    return "Signed. Its page opens.";
  }
  if (answer.status === 402) {
    return "The free calls of this name are used up for today. The console pays for this call; or choose another name in agent.";
  }
  return `${answer.status}: ${body.detail ?? body.title ?? "no receipt"}`;
}

call?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const status = call.querySelector("[data-said]");
  const button = call.querySelector("button");
  button.disabled = true;
  status.textContent = "Asking.";
  status.textContent = await ask().catch((error) => `No answer: ${error.message}.`);
  button.disabled = false;
});

// --- What is issued here ---

/** The number of entries that are shown. */
const SHOWN = 8;
const live = document.querySelector("[data-live]");
const fresh = live.querySelector("[data-fresh]");

async function totals() {
  const answer = await fetch("/stats", { credentials: "omit" });
  if (!answer.ok) return;
  const { receipts_issued: issued, since, revenue } = await answer.json();
  const income = Object.entries(revenue).map(([asset, { total }]) => `, ${total} ${asset} earned`);
  const day = new Date(since).toLocaleDateString(undefined, { dateStyle: "long" });
  live.querySelector("[data-totals]").textContent =
    `${issued.toLocaleString()} receipts since ${day}${income.join("")}.`;
  live.hidden = false;
}

/** Shows what /status has of receipts a day and of latencies. */
async function days() {
  const answer = await fetch("/status", { credentials: "omit" });
  if (!answer.ok) return;
  const status = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = [...status.querySelectorAll("[data-days]")];
  for (const heading of parts.map((part) => part.querySelector("h2"))) {
    const lower = document.createElement("h3");
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
  live.querySelector("[data-days]").replaceChildren(...parts);
}

/** An entry as a line: its index, its class and its time. */
function line({ index, class: name, signed_at: at }) {
  const item = document.createElement("li");
  const time = Object.assign(document.createElement("time"), { dateTime: at });
  time.textContent = new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  item.append(`${index}: ${name}, `, time);
  return item;
}

// A browser connects again by itself where the answer ends.
const events = new EventSource("/stream");
events.addEventListener("message", ({ data }) => {
  fresh.prepend(...JSON.parse(data).slice(0, SHOWN).map(line));
  while (fresh.children.length > SHOWN) fresh.lastChild.remove();
  totals().catch(() => {});
});
totals().catch(() => {});
days().catch(() => {});
