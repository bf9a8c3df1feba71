/** Chromium by playwright-core, and what every page must keep: no error on its console, no other host, no fault of axe. */
import { createRequire } from "node:module";
import { join } from "node:path";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const QUIET = [...FLAGS, "--disable-component-update", "--disable-sync"];

/** The longest that the browser may take to start, and a page to do one thing. */
const PATIENCE_MS = 120_000;

/** What did not hold. */
export const failures = [];
export const check = (holds, what) => holds || failures.push(what);

/**
 * Starts Chromium.
 *
 * @param {string} base the notary's address, which pages may ask and no other
 * @param {string} modules the folder of node_modules with playwright-core and axe-core
 */
export async function start(base, modules) {
  const require = createRequire(join(modules, "x.js"));
  const axe = require("axe-core").source;
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await require("playwright-core").chromium.launch({ executablePath, args: QUIET, timeout: PATIENCE_MS });

  /** A page that notes whatever goes wrong on it. `expected` is what its console may complain of. */
  async function open(options, expected = null) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const where = () => `${page.url()} ${JSON.stringify(options)}`;
    page.on("console", (said) => {
      check(said.type() !== "error" || expected?.test(said.text()), `${where()}: ${said.text()}`);
    });
    page.on("pageerror", (error) => failures.push(`${where()}: ${error.message}`));
    // A request that the next navigation cuts off is no fault of the page.
    const isCutOff = (request) => request.failure()?.errorText === "net::ERR_ABORTED";
    page.on("requestfailed", (request) => check(expected || isCutOff(request), `${where()}: ${request.url()} failed`));
    page.on("request", (request) => check(request.url().startsWith(base), `${where()}: asks ${request.url()}`));
    return page;
  }

  /** That a page fits its width, and that axe finds no serious fault. */
  async function look(page, name) {
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(overflow <= 0, `${name} is ${overflow} px too wide`);
    const { violations } = await page.evaluate(`${axe}; axe.run({ resultTypes: ["violations"] })`);
    for (const { id, impact, nodes } of violations) {
      const isGrave = impact === "serious" || impact === "critical";
      check(!isGrave, `${name}: ${impact}: ${id}: ${nodes[0]?.html}`);
    }
  }

  return { browser, open, look };
}

/** Prints what did not hold and a summary, and ends the process. */
export function end(summary) {
  for (const failure of new Set(failures)) console.error(failure);
  console.log(summary);
  process.exit(failures.length === 0 ? 0 : 1);
}
