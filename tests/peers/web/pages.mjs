/**
 * Drives Chromium over the pages of a development notary without limits.
 *
 * node tests/peers/web/pages.mjs BASE_URL MODULES SHOTS, where MODULES is the folder of node_modules with playwright-core
 * and axe-core, and SHOTS the folder for screenshots.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { check, end, start } from "./browser.mjs";

const [base, modules, shots] = process.argv.slice(2);
await mkdir(shots, { recursive: true });

const CHANGES = 200;

const json = async (path, body) => {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await fetch(base + path, sent)).json();
};

/** A receipt of each class that answers its own example for nothing. */
async function examples() {
  const receipts = [];
  for (const { path, example } of (await json("/catalog")).routes) {
    if (!example) continue;
    const receipt = await json(path, example);
    if (receipt.receipt_hash) receipts.push(receipt);
  }
  return receipts;
}

/** A claim whose words and name try to break out of the page. */
async function hostile() {
  const { example } = (await json("/catalog")).routes.find(({ path }) => path === "/claim-verdict");
  const words = `</p><script>document.title="broken"</script><img src=x onerror='document.title="broken"'>\u202e\u2066`;
  return json("/claim-verdict", { ...example, agent: words.slice(0, 128), claim: words.padEnd(4096, "W\u0301") .slice(0, 4096) });
}

const { browser, open, look } = await start(base, modules);

const receipts = await examples();
const attack = await hostile();
const paths = ["/", "/try", "/verify", "/docs", "/docs/verifying", "/pricing", "/status", "/lists", "/log"];
const targets = [
  ...paths.map((path) => [path, path === "/" ? "home" : path.slice(1).replace("/", "-")]),
  ...receipts.map((receipt) => [`/r/${receipt.receipt_hash}`, receipt.class]),
  [`/r/${attack.receipt_hash}`, "hostile"],
];

for (const width of [390, 1280]) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open({ viewport: { width, height: 900 }, colorScheme });
    for (const [path, name] of targets) {
      await page.goto(base + path);
      await look(page, `${name} at ${width} px, ${colorScheme}`);
      check((await page.title()) !== "broken", `${name} ran a stranger's script`);
      if (colorScheme === "light") await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
    }
    await page.context().close();
  }
}

// The home page is told of each receipt while it is open.
const home = await open({ viewport: { width: 1280, height: 900 } });
await home.goto(base);
await home.waitForSelector("[data-fresh] li");
const before = await home.textContent("[data-fresh] li");
await hostile();
await home.waitForFunction((text) => document.querySelector("[data-fresh] li").textContent !== text, before);
check((await home.textContent("[data-totals]")).includes("receipts since"), "the home page has no totals");
await home.context().close();

// On paper: whole lines, the address as a QR code, and no buttons.
const paper = await open({ viewport: { width: 800, height: 1100 } });
await paper.emulateMedia({ media: "print" });
await paper.goto(`${base}/r/${receipts[0].receipt_hash}`);
check(await paper.isVisible(".qr svg"), "the printed receipt has no QR code");
check(!(await paper.isVisible("[data-verify]")), "the printed receipt has buttons");
await paper.screenshot({ path: join(shots, "print.png"), fullPage: true });

// Without a script the page says all that it says.
const plain = await open({ javaScriptEnabled: false });
await plain.goto(`${base}/r/${receipts[0].receipt_hash}`);
check((await plain.textContent("main")).includes("Genuine: yes"), "without a script nothing is said of genuineness");
check(await plain.isVisible("text=bash verify.sh"), "without a script the shell lines are missing");

// The browser verifies each receipt by itself.
const page = await open({ viewport: { width: 1280, height: 900 } });
let slowest = 0;
for (const { receipt_hash: hash, class: name } of receipts) {
  await page.goto(`${base}/r/${hash}`);
  await page.click("[data-run]");
  await page.waitForSelector("[data-steps] li");
  const said = await page.textContent("[data-verify] [data-said]");
  check(said.startsWith("Your browser agrees: every step holds"), `${name}: ${said}`);
  slowest = Math.max(slowest, Number(/\((\d+) ms\)/.exec(said)?.[1] ?? 0));
}

// Break it: what is changed by hand is told.
await page.click("[data-break]");
const text = await page.inputValue("[data-text]");
await page.fill("[data-text]", text.replace('"verdict": "', '"verdict": "X'));
await page.waitForSelector("[data-verify] [data-said].no");
check((await page.textContent("[data-verify] [data-said]")).includes("Hash"), "the changed verdict breaks no hash");

// A genuine receipt that is not the one of the page is no verification of the page; nor is a refusal.
const refused = await browser.newPage(); // Its console complains of the status, as it should.
for (const [answer, expected] of [
  [{ json: receipts[1] }, "another receipt"],
  [{ status: 429, json: {} }, "status 429"],
]) {
  const path = `**/receipts/${receipts[0].receipt_hash}`;
  await refused.route(path, (route) => route.fulfill(answer));
  await refused.goto(`${base}/r/${receipts[0].receipt_hash}`);
  await refused.click("[data-run]");
  await refused.waitForFunction(() => document.querySelector("[data-verify] [data-said]").textContent !== "");
  const said = await refused.textContent("[data-verify] [data-said]");
  check(said.includes(expected), `instead of ${expected}, the page says: ${said}`);
  await refused.unroute(path);
}

// Each of 200 changed bytes is found, by the module as the browser runs it.
const missed = await page.evaluate(
  async ({ receipts, changes }) => {
    const { verify, parseJson, canonical } = await import("/assets/verify.js");
    const jwks = await (await fetch("/.well-known/jwks.json")).text();
    const vkey = document.querySelector("[data-vkey]").dataset.vkey;
    const missed = [];
    let [made, seed] = [0, 7];
    const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
    while (made < changes) {
      const text = JSON.stringify(receipts[next(receipts.length)]);
      const at = next(text.length);
      const changed = text.slice(0, at) + String.fromCharCode(33 + next(90)) + text.slice(at + 1);
      let isSame = false;
      try {
        isSame = canonical(parseJson(changed)) === canonical(parseJson(text));
      } catch {
        // No JSON any more: broken.
      }
      if (isSame) continue;
      made += 1;
      if ((await verify(changed, { jwks, vkey })).valid) missed.push(`${at}: ${changed}`);
    }
    return missed;
  },
  { receipts, changes: CHANGES },
);
check(missed.length === 0, `changes that were not found: ${missed[0]}`);

// /verify takes a pasted receipt, and says whose it is.
await page.goto(`${base}/verify`);
await page.fill("[data-text]", JSON.stringify(receipts[0]));
await page.click("[data-run]");
await page.waitForSelector("[data-steps] li");
check((await page.textContent("[data-check] [data-said]")).includes("every step holds"), "/verify does not verify");
check((await page.textContent("[data-whose]")).includes(receipts[0].iss), "/verify does not say whose it is");

// The home page leads from a hash to the receipt, and from a receipt to its verification.
await page.goto(base);
await page.fill("#find", receipts[0].receipt_hash);
await page.click("[data-find] button");
await page.waitForURL(`${base}/r/${receipts[0].receipt_hash}`);
await page.goto(base);
await page.fill("#find", JSON.stringify(receipts[0]));
await page.click("[data-find] button");
await page.waitForURL(`${base}/verify`);
await page.waitForSelector("[data-steps] li");

await browser.close();
const summary = `${targets.length} pages at two widths in two schemes; ${receipts.length} receipts verified in the browser`;
end(`${summary}, ${CHANGES} changes found; the slowest took ${slowest} ms`);
