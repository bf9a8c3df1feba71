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

/** An entry as a line: its index, its class and its time. */
function line({ index, class: name, signed_at: at }) {
  const item = document.createElement("li");
  const time = Object.assign(document.createElement("time"), { dateTime: at });
  time.textContent = new Date(at).toLocaleTimeString();
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
