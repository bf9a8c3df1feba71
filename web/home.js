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
