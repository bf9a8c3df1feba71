// Do the indexes of agents find what the notary sells?
//
//     node discovery.mjs BASE_URL
//
// npm @agentcash/discovery reads the OpenAPI document and asks each paid route for its terms; mppx validates the same document.
// Exits 1 where either reports an error or a warning, or where the paid routes that they find are not those of the catalog.

import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { validate } from "mppx/discovery";

const base = process.argv[2]?.replace(/\/$/, "");
assert(base, "node discovery.mjs BASE_URL");

// The program is not among what the package exports, so it is found beside its library.
const library = createRequire(import.meta.url).resolve("@agentcash/discovery");
const program = join(dirname(library), "..", "bin", "discovery.js");
let found, complaints;
for (let tries = 0; tries < 3; tries += 1) {
  found = JSON.parse(execFileSync(process.execPath, [program, "discover", base, "--json"], { maxBuffer: 1 << 26 }));
  assert(found.ok && found.selectedStage === "openapi", "no OpenAPI document was found");
  complaints = found.warnings.filter(({ severity }) => severity !== "info");
  // An icon that does not come within 5 s counts as missing.
  if (complaints.length !== 1 || complaints[0].code !== "FAVICON_MISSING") break;
}
const document = await (await fetch(`${base}/openapi.json`)).json();
complaints.push(...validate(document));
for (const { severity, code, path, message } of complaints) console.error(severity, code ?? "", path ?? "", message);
assert.equal(complaints.length, 0, `${complaints.length} complaints`);

const { routes } = await (await fetch(`${base}/catalog`)).json();
const priced = new Set(routes.filter(({ price, available }) => price && available).map(({ path }) => path));
const paid = new Set(found.resources.filter(({ authHint }) => authHint === "paid").map(({ path }) => path));
assert.deepEqual([...paid].sort(), [...priced].sort(), "the routes found as paid are not those of the catalog");
console.log(`discovery: ${found.resources.length} operations, ${paid.size} paid routes, no complaint`);
