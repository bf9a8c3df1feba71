/** The page /verify: verifies a pasted or dropped receipt of this notary, or of another one with pasted keys. */

import { statusOfCrypto } from "./verify.js";
import { show } from "./steps.js";

const form = document.querySelector("[data-check]");
const part = (name) => form.querySelector(`[data-${name}]`);
const places = { list: part("steps"), status: part("said") };
const MAX_BYTES = 4 * 1024 * 1024;

/** This notary's own keys where none were pasted. No other host is asked. */
async function keys() {
  const [jwks, vkey] = [part("jwks").value.trim(), part("vkey").value.trim()];
  return {
    jwks: jwks || (await (await fetch("/.well-known/jwks.json", { credentials: "omit" })).text()),
    vkey: vkey || form.dataset.vkey,
  };
}

async function check() {
  places.list.replaceChildren();
  places.status.className = "";
  part("whose").textContent = "";
  const text = part("text").value;
  if (!text.trim()) {
    places.status.textContent = "Paste a receipt first.";
    return;
  }
  try {
    const { receipt } = await show(text, await keys(), places);
    const iss = receipt?.iss;
    part("whose").textContent = typeof iss === "string" ? `The receipt names its issuer: ${iss}.` : "";
    const isOther = typeof iss === "string" && iss !== form.dataset.iss && !part("jwks").value.trim();
    if (isOther) part("whose").textContent += " That is another notary: fetch its keys from there, and paste them below.";
  } catch (error) {
    places.status.textContent = `The keys could not be fetched: ${error.message}`;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  if (file.size > MAX_BYTES) {
    places.status.textContent = "No receipt is that large.";
    return;
  }
  part("text").value = await file.text();
  await check();
});

async function start() {
  if (!globalThis.isSecureContext || !(await statusOfCrypto())) {
    places.status.textContent =
      "This browser has no Ed25519 here (it needs https or a newer browser). The guide says how to verify in a shell.";
    return;
  }
  places.status.textContent = "";
  part("run").hidden = false;
  const handed = sessionStorage.getItem("receipt");
  if (handed) {
    sessionStorage.removeItem("receipt");
    part("text").value = handed;
    await check();
  }
}

start();
