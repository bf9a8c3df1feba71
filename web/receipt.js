/** The page of a receipt: verification in the browser, copy buttons, relative times. */

import { statusOfCrypto } from "./verify.js";
import { show } from "./steps.js";

const MINUTE = 60_000;
const UNITS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];

for (const time of document.querySelectorAll("time[data-ago]")) {
  const passed = Date.parse(time.dateTime) - Date.now();
  const [unit, length] = UNITS.find(([, length]) => Math.abs(passed) >= length) ?? ["minute", MINUTE];
  const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.round(passed / length), unit);
  time.append(` (${ago})`);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}

const section = document.querySelector("[data-verify]");
const part = (name) => section.querySelector(`[data-${name}]`);
const places = { list: part("steps"), status: part("said") };

async function load(path) {
  const answer = await fetch(path, { credentials: "omit" });
  if (!answer.ok) throw new Error(`${path} was answered with status ${answer.status}.`);
  return answer.text();
}

/** The receipt that this page shows, and no other. */
async function loadReceipt() {
  const text = await load(section.dataset.receipt);
  const hash = section.dataset.receipt.split("/").pop();
  if (JSON.parse(text).receipt_hash !== hash) throw new Error("another receipt came than the one of this page.");
  return text;
}

async function start() {
  if (!globalThis.isSecureContext || !(await statusOfCrypto())) {
    places.status.textContent =
      "This browser has no Ed25519 here (it needs https or a newer browser). The lines below do the same in a shell.";
    return;
  }
  places.status.textContent = "";
  let loaded = null;
  const once = async () => {
    loaded ??= await Promise.all([loadReceipt(), load("/.well-known/jwks.json")]);
    const [text, jwks] = loaded;
    return { text, keys: { jwks, vkey: section.dataset.vkey } };
  };
  const tell = (work) => async () => {
    try {
      await work();
    } catch (error) {
      places.status.textContent = `The receipt or the keys could not be fetched: ${error.message}`;
    }
  };
  part("run").hidden = false;
  part("break").hidden = false;
  part("run").addEventListener("click", tell(async () => {
    const { text, keys } = await once();
    await show(text, keys, places);
  }));
  part("break").addEventListener("click", tell(async () => {
    const { text, keys } = await once();
    const edited = part("text");
    part("edit").hidden = false;
    edited.value = JSON.stringify(JSON.parse(text), null, 1);
    edited.oninput = () => show(edited.value, keys, places);
    await show(edited.value, keys, places);
    edited.focus();
  }));
}

if (section) start();
