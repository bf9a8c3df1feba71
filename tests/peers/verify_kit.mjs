/**
 * Runs docs/verify/verify.mjs on many receipts in one process, since Node.js takes longer to start than it takes to verify.
 *
 * node verify_kit.mjs RECEIPTS JWKS VKEY, where RECEIPTS names a file a line; prints exit code and words of each.
 */
import { readFileSync } from "node:fs";

const script = new URL("../../docs/verify/verify.mjs", import.meta.url);
const [receipts, jwks, vkey] = process.argv.slice(2);
const print = console.log;
for (const [at, receipt] of readFileSync(receipts, "utf8").trimEnd().split("\n").entries()) {
  const said = [];
  console.log = (text) => said.push(text);
  process.argv = [process.argv[0], script.pathname, receipt, jwks, vkey];
  await import(`${script}?${at}`);
  print(`${process.exitCode}\t${said.join("\\n")}`);
}
process.exitCode = 0;
