// Compiles the contracts of this folder into one artifact: interface and runtime code of each.
//
//     node compile.mjs OUT.json       writes it
//     node compile.mjs --check FILE   exits 1 where FILE is not what the sources compile to
//
// contracts.json beside this file is committed, so that the tests in Rust need no compiler.

import { readFileSync, writeFileSync } from "node:fs";
import solc from "solc";

const files = ["Attacks.sol", "Token.sol", "Wallet1271.sol", "Wallets.sol"];

function compile() {
  const source = (file) => readFileSync(new URL(file, import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file) => [file, { content: source(file) }])),
    settings: {
      evmVersion: "shanghai",
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const complaints = output.errors ?? [];
  if (complaints.length > 0) throw new Error(complaints.map((complaint) => complaint.formattedMessage).join("\n"));
  const contracts = {};
  for (const file of files) {
    for (const [name, { abi, evm }] of Object.entries(output.contracts[file])) {
      if (evm.deployedBytecode.object === "") continue; // an interface
      if (Object.keys(evm.deployedBytecode.immutableReferences).length > 0) {
        throw new Error(`${name} has immutables: its code would not work where it is only set`);
      }
      contracts[name] = { abi, runtime: `0x${evm.deployedBytecode.object}` };
    }
  }
  const lines = Object.entries(contracts).map(([name, contract]) => `"${name}": ${JSON.stringify(contract)}`);
  return `{"compiler": "${solc.version()}", "contracts": {\n${lines.join(",\n")}\n}}\n`;
}

const check = process.argv[2] === "--check";
const file = process.argv[check ? 3 : 2];
if (file === undefined) {
  console.error("usage: compile.mjs [--check] FILE");
  process.exit(2);
}
const artifact = compile();
if (!check) {
  writeFileSync(file, artifact);
} else if (readFileSync(file, "utf8") !== artifact) {
  console.error(`${file} is not what the contracts compile to; run: node ${process.argv[1]} ${file}`);
  process.exit(1);
} else {
  console.log(`contracts: ${file} is what ${Object.keys(JSON.parse(artifact).contracts).join(", ")} compile to`);
}
