// Scans labelled texts with the npm package @andersmyrmel/vard: vard.mjs FOLDER
// A text is flagged where it would be refused, by each of its presets. Its input is cut at the length that it takes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import vard from "@andersmyrmel/vard";

const folder = process.argv[2];
const lines = (text) => text.trim().split("\n").map((line) => JSON.parse(line));
const read = (file) => lines(readFileSync(join(folder, file), "utf8"));
const injections = [...read("prompt_injection.jsonl"), ...read("prompt_injection_2.jsonl")];
const ordinary = lines(gunzipSync(readFileSync(join(folder, "ordinary_texts.jsonl.gz"))).toString("utf8"));
const share = (part, all) => `${part} of ${all} (${((100 * part) / all).toFixed(2)} %)`;

for (const preset of ["strict", "moderate", "lenient"]) {
  const guard = vard[preset]().maxLength(1 << 20);
  let milliseconds = 0, bytes = 0;
  const flagged = (row) => {
    const started = performance.now();
    const result = guard.safeParse(row.text);
    milliseconds += performance.now() - started;
    bytes += Buffer.byteLength(row.text);
    return !result.safe;
  };
  const count = (rows) => share(rows.filter(flagged).length, rows.length);
  console.log(
    `vard ${preset}: attacks ${count(injections.filter((row) => row.label === 1))};`,
    `benign rows beside them ${count(injections.filter((row) => row.label === 0))};`,
    `trigger words ${count(injections.filter((row) => row.kind.startsWith("notinject")))};`,
    `ordinary ${count(ordinary.filter((row) => !row.hard))}; hard ${count(ordinary.filter((row) => row.hard))};`,
    `MB_per_s=${(bytes / 1e3 / milliseconds).toFixed(1)}`,
  );
}
