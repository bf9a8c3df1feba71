/**
 * Drives Chromium over the page /try of a development notary with limits: free calls, the 402, and its payment.
 *
 * node tests/peers/web/try.mjs BASE_URL MODULES SHOTS, as for pages.mjs.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { check, end, start } from "./browser.mjs";

const [base, modules, shots] = process.argv.slice(2);
await mkdir(shots, { recursive: true });
const { browser, open, look } = await start(base, modules);

/** The most bytes that the page may load in all, also to pay. */
const MAX_BYTES = 250_000;
const FREE_CALLS = 3;
/** Statuses of answers, which Chromium's console complains of. */
const STATUSES = /Failed to load resource/;
const WIDE = { viewport: { width: 1280, height: 900 } };

const verdict = (page) => page.textContent("[data-result] .verdict");
const price = (page) => page.textContent("[data-pay] h2");

/** Opens the console at a route. */
async function at(page, route) {
  await page.goto(`${base}/try?route=${route}`);
  await page.waitForSelector("[data-try]:not([hidden])");
}

/** Presses a button and waits until the answer is there. */
async function press(page, selector) {
  await page.click(selector);
  await page.waitForSelector("[data-try]:not([aria-busy])");
}

/** Writes a member of the question. */
async function change(page, name, value) {
  const question = JSON.parse(await page.inputValue("#question"));
  await page.fill("#question", JSON.stringify({ ...question, [name]: value }));
}

const ASK = "[data-send]";
const DEV = "text=with the development wallet";

// --- The first call on the home page, the last free one, and the first that is paid for ---

const page = await open(WIDE, STATUSES);
await page.goto(base);
await page.click("text=Ask this now");
await page.waitForURL(/\/r\/[0-9a-f]{64}$/);
check((await page.textContent(".verdict")).includes("CONFIRMED"), "the call of the home page is not confirmed");
const loaded = new Set();
page.on("request", (request) => loaded.add(new URL(request.url()).pathname));
await page.goto(`${base}/try?route=claim-verdict`);
await page.waitForSelector("[data-try]:not([hidden])");
for (let call = 2; call <= FREE_CALLS; call += 1) {
  await change(page, "claim", `This key signed the empty message, it's said ${call} times.`);
  await press(page, ASK);
  check((await verdict(page)).includes("CONFIRMED"), `the free call ${call} is not confirmed`);
}
check((await page.textContent("[data-result]")).includes("more calls of this route"), "nothing is said of the rate");
check((await page.textContent("[data-curl]")).includes(`it'\\''s said 3 times`), "the line of shell is not the question");
await look(page, "a receipt on /try");

await change(page, "claim", "This key signed the empty message, for money.");
await press(page, ASK);
check((await price(page)) === "This call costs 0.05 USDC", `the price is said as: ${await price(page)}`);
const shown = await page.textContent("[data-pay]");
for (const part of ["the free calls of this day are used up", "50000 atomic units", "eip155:8453", "Touchstone local USDC", "for 300 s"]) {
  check(shown.includes(part), `before a payment, ${part} is not shown: ${shown}`);
}
await look(page, "the price on /try");
await page.screenshot({ path: join(shots, "try-price-1280.png"), fullPage: true });
await press(page, DEV);
check((await verdict(page)).includes("CONFIRMED"), "the paid call is not confirmed");
check((await page.textContent("[data-result]")).includes("0.05 USDC on base"), "what was paid is not said");
check(!(await page.isVisible("[data-pay]")), "the price is still there after the payment");
await page.screenshot({ path: join(shots, "try-paid-1280.png"), fullPage: true });
const files = [...loaded].filter((path) => path === "/try" || path.startsWith("/assets/"));
await page.click("text=The receipt's page");
await page.waitForURL(/\/r\/[0-9a-f]{64}$/);
const receipt = await page.textContent("main");
check(receipt.includes("Genuine: yes") && receipt.includes("and paid with 0.05 USDC"), "the paid receipt's page lacks it");

const lengths = await Promise.all(files.map(async (path) => (await (await fetch(base + path)).arrayBuffer()).byteLength));
const bytes = lengths.reduce((sum, length) => sum + length, 0);
check(loaded.has("/assets/vendor/noble-secp256k1/index.js"), "the wallet's modules are not counted");
check(bytes <= MAX_BYTES, `/try loads ${bytes} bytes: ${files.map((file, at) => `${file} ${lengths[at]}`)}`);

// --- Examples that give the verdict people pay for ---

for (const [route, expected] of [["grade-strategy", "REAL_EDGE"], ["copy-trade-score", "COPY"]]) {
  await at(page, route);
  check((await page.textContent("[data-curl]")).endsWith("-d @question.json"), `${route}: the line of shell is too long`);
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("[data-save]")]);
  check(file.suggestedFilename() === "question.json", `${route}: the question is saved as ${file.suggestedFilename()}`);
  await press(page, ASK);
  check((await verdict(page)).endsWith(` ${expected}`), `${route}: the example gives ${await verdict(page)}`);
}
// The other routes that can be judged without a network: none of their examples is one that nothing can be said of.
const routes = await page.$$eval("details[data-path]", (all) => all.map(({ id }) => id));
const offline = ["screen-entity", "screen-wallet", "agent-clearance", "scan-url", "scan-text", "distress-score", "watch"];
for (const route of offline) {
  check(routes.includes(route), `${route} is not offered`);
  await at(page, route);
  await press(page, ASK);
  const found = await verdict(page);
  check(!/INSUFFICIENT_DATA|UNKNOWN|UNRESOLVED|INCOMPLETE/.test(found), `${route}: the example gives ${found}`);
}
// The page of a receipt leads to its question, to ask it again.
await at(page, "screen-entity");
await change(page, "entity", "Somebody Quite Unlisted");
await press(page, ASK);
await page.click("text=The receipt's page");
await page.waitForURL(/\/r\/[0-9a-f]{64}$/);
check((await page.textContent("main")).includes("still the publication that is in use here"), "a receipt's lists are not compared");
// What the page loads last must not be cut off.
await page.waitForLoadState("networkidle");
await page.click("text=Ask the same question again");
await page.waitForSelector("[data-said]:has-text('the question of the receipt')");
check(JSON.parse(await page.inputValue("#question")).entity === "Somebody Quite Unlisted", "the question is not that of the receipt");

// A dispute is about the receipt that the page has got last.
await press(page, ASK);
check((await verdict(page)).endsWith(" NO_MATCH"), `asked again, the question gives ${await verdict(page)}`);
await page.selectOption("#route", "dispute");
const { receipt_hash: disputed } = JSON.parse(await page.inputValue("#question"));
check(!/^0+$/.test(disputed), "a dispute's example is about no receipt");

// --- A refusal, and a text that is no JSON ---

await at(page, "claim-verdict");
await page.fill("#question", '{"agent": "me"');
check((await page.textContent("[data-hint]")).startsWith("This is no JSON yet"), "broken JSON is not told");
await page.fill("#question", '{"agent": "another"}');
await press(page, ASK);
const problem = await page.textContent("[data-result]");
check(/Status 400.*claim.*missing/s.test(problem), `the problem is told as: ${problem}`);
check(await page.isVisible('[data-result] a[href^="/docs/errors#"]'), "the problem does not lead to its explanation");

// --- A payment is signed once, and sent again until it is answered ---

/** The proofs of payment that a page sends. */
function proofs(page) {
  const sent = [];
  page.on("request", (request) => {
    const proof = request.headers()["payment-signature"];
    if (proof) sent.push(proof);
  });
  return sent;
}
const sent = proofs(page);
const POSTS = `${base}/commit`;
const first = (answer) => {
  let isDone = false;
  return (route) => {
    if (isDone || !route.request().headers()["payment-signature"]) return route.continue();
    isDone = true;
    return answer(route);
  };
};
await page.route(POSTS, first((route) => route.fulfill({ status: 503, headers: { "retry-after": "1" }, json: { title: "Settling" } })));
await at(page, "commit");
await press(page, ASK);
check((await price(page)) === "This call costs 0.10 USDC", `a commitment costs: ${await price(page)}`);
await press(page, DEV);
check((await verdict(page)).includes("COMMITTED"), "after a 503 the question was not sent again");
check(sent.length === 2 && sent[0] === sent[1], `after a 503, ${new Set(sent).size} payments were signed`);

// The answer is lost on its way.
await page.unroute(POSTS);
await page.route(POSTS, first(async (route) => {
  await route.fetch();
  await route.abort();
}));
sent.length = 0;
await change(page, "content", "lost on its way");
check(!(await page.isVisible("[data-pay]")), "the price of another question is shown");
await press(page, ASK);
await press(page, DEV);
check((await price(page)) === "Your payment is signed", "after a lost answer nothing is said of the payment");
await press(page, ASK);
check((await verdict(page)).includes("COMMITTED"), "after a lost answer the question was not answered");
check(sent.length === 2 && sent[0] === sent[1], `after a lost answer, ${new Set(sent).size} payments were signed`);
await page.unroute(POSTS);

// The notary does not take the payment: a second one is not signed unasked.
await page.route(POSTS, first(async (route) => {
  const headers = { ...route.request().headers() };
  delete headers["payment-signature"];
  const answer = await route.fetch({ headers });
  return route.fulfill({ response: answer, json: { ...(await answer.json()), code: "insufficient_funds" } });
}));
sent.length = 0;
await change(page, "content", "not taken at first");
await press(page, ASK);
await press(page, DEV);
const refused = await page.textContent("[data-pay]");
check(/was not taken \(insufficient_funds\).*has signed two/s.test(refused), `a refused payment is told as: ${refused}`);
check(await page.isVisible("text=Sign another payment with the development wallet"), "another payment cannot be signed");
await press(page, "text=Send it again with the same payment");
check((await verdict(page)).includes("COMMITTED"), "the refused payment was not taken when it was sent again");
check(sent.length === 2 && sent[0] === sent[1], `of a refused payment, ${new Set(sent).size} were signed`);
await page.unroute(POSTS);

// A watch's answer has its id, which the notary tells to nobody but the payer: a second signature gets it, and nothing is paid twice.
const WATCHES = `${base}/watch`;
await at(page, "watch");
await press(page, ASK);
await page.route(WATCHES, first(async (route) => {
  await route.fetch();
  await route.abort();
}));
await change(page, "agent", "another-watcher");
for (let asked = 0; asked < 3 && !(await page.isVisible(`[data-pay] button`)); asked += 1) await press(page, ASK);
await press(page, DEV);
check((await price(page)) === "Your payment is signed", `after a lost watch: ${await price(page)}`);
await press(page, "text=Send it again with the same payment");
check((await price(page)).includes("answer waits for you"), `a watch's payer is asked: ${await price(page)}`);
await press(page, DEV);
check((await verdict(page)).includes("WATCHING"), "the payer did not get the watch");
check((await page.textContent("[data-result]")).match(/[0-9a-f]{32}/), "the payer was not told the watch's id");
await page.unroute(WATCHES);
await at(page, "commit");

// --- Terms that name another payee are not paid; what an answer says is inert ---

await page.route(POSTS, async (route) => {
  const answer = await route.fetch();
  const terms = JSON.parse(Buffer.from(answer.headers()["payment-required"], "base64").toString());
  terms.accepts[0].payTo = "0x000000000000000000000000000000000000dEaD";
  const headers = { ...answer.headers(), "payment-required": Buffer.from(JSON.stringify(terms)).toString("base64") };
  return route.fulfill({ response: answer, headers });
});
await change(page, "content", "for somebody else");
await press(page, ASK);
check((await page.textContent("[data-pay]")).includes("Do not pay them"), "another payee is not told");
check((await page.$("[data-pay] button")) === null, "another payee can be paid");
await page.unroute(POSTS);

const attack = `</p><img src=x onerror='document.title="broken"'>\u202e\u2066`;
for (const [status, json] of [
  [200, { verdict: attack, explanation: attack, payment: { amount: attack }, missing: [{ [attack]: attack }] }],
  [400, { title: attack, detail: attack, field: attack, doc_url: "javascript:document.title='broken'" }],
  [402, { title: attack, detail: attack, [attack]: attack, doc_url: "//elsewhere.example/" }],
]) {
  const headers = { link: `<javascript:alert(1)>; rel="alternate"`, "payment-required": "W10=", "watch-id": "<b>" };
  await page.route(POSTS, (route) => route.fulfill({ status, headers, json }));
  await press(page, ASK);
  const made = await page.$$eval("[data-result] :is(img, b, a), [data-pay] :is(img, b, button)", (all) => all.length);
  check(made === 0 && (await page.title()) !== "broken", `an answer of status ${status} broke out of its place`);
  await page.unroute(POSTS);
}

// --- A browser's own wallet, on another chain at first ---

const owner = await open(WIDE, STATUSES);
await owner.addInitScript(() => {
  const asked = (globalThis.asked = []);
  let chain = "0x1";
  const key = () => document.querySelector("[data-try]").dataset.devKey;
  const wallet = async () => (await import("/assets/wallets.js")).devWallet(key());
  globalThis.ethereum = {
    async request({ method, params }) {
      asked.push(method);
      if (method === "eth_requestAccounts") return [(await wallet()).address];
      if (method === "eth_chainId") return chain;
      if (method === "wallet_switchEthereumChain") return void (chain = params[0].chainId);
      if (method !== "eth_signTypedData_v4") throw new Error(`${method} is not known`);
      if (globalThis.refuses) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
      globalThis.typed = JSON.parse(params[1]);
      return (await wallet()).sign(globalThis.typed);
    },
  };
});
const owned = proofs(owner);
await at(owner, "commit");
await press(owner, ASK);
await owner.evaluate(() => (globalThis.refuses = true));
await press(owner, "text=Pay with this browser's wallet");
check((await owner.textContent("[data-said]")).includes("User rejected"), "that the wallet refused is not told");
await owner.evaluate(() => (globalThis.refuses = false));
await press(owner, "text=Pay with this browser's wallet");
check((await verdict(owner)).includes("COMMITTED"), "the browser's wallet did not pay");
const { asked, typed } = await owner.evaluate(() => ({ asked: globalThis.asked, typed: globalThis.typed }));
check(asked.filter((method) => method === "wallet_switchEthereumChain").length === 1, `the wallet was asked ${asked}`);
const { domain, message } = typed;
check(domain.chainId === 8453 && message.value === "100000", `the wallet was shown ${JSON.stringify(typed)}`);
check(owned.length === 1, `the wallet's payment was sent ${owned.length} times`);

// --- Small and dark; without a script ---

for (const colorScheme of ["light", "dark"]) {
  const small = await open({ viewport: { width: 390, height: 900 }, colorScheme }, STATUSES);
  await at(small, "commit");
  await small.focus("#question");
  await small.keyboard.press("Control+Enter");
  await small.waitForSelector("[data-pay] button");
  await look(small, `the price at 390 px, ${colorScheme}`);
  await small.focus("[data-pay] button");
  await small.keyboard.press("Enter");
  await small.waitForSelector("[data-result] .verdict");
  await look(small, `a receipt at 390 px, ${colorScheme}`);
  await small.screenshot({ path: join(shots, `try-paid-390-${colorScheme}.png`), fullPage: true });
  await small.context().close();
}
const plain = await open({ javaScriptEnabled: false });
await plain.goto(`${base}/try`);
check(!(await plain.isVisible("[data-try]")), "without a script the console is shown");
for (const route of routes) {
  await plain.click(`#${route} > summary`);
  check((await plain.textContent(`#${route} pre`)).includes(`/${route} -H`), `${route} has no line of shell`);
}

await browser.close();
end(`/try: ${FREE_CALLS} free calls, 7 paid ones, ${routes.length} routes; ${bytes} bytes with the wallet`);
