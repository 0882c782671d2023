#!/usr/bin/env node
"use strict";
// npm's solc as the compiler binary that forge calls with --version and --standard-json.
// `solcjs` prints a notice before its JSON, which forge cannot read.
const fs = require("node:fs");
const path = require("node:path");
const solc = require("solc");

// solc installs handlers that swallow the stack of any error in this process.
process.removeAllListeners("uncaughtException");
process.removeAllListeners("unhandledRejection");

const args = process.argv.slice(2);
const values = (flag) => args.flatMap((arg, i) => (arg === flag ? [args[i + 1]] : []));

/** Reads what forge did not inline, from the folders forge allows and from no other. */
function readImport(unit) {
  const roots = [...values("--base-path"), ...values("--include-path")];
  const allowed = [...roots, ...values("--allow-paths").flatMap((list) => list.split(","))];
  const prefixes = allowed.map((folder) => path.resolve(folder) + path.sep);
  for (const root of roots) {
    const file = path.resolve(root, unit);
    if (prefixes.some((prefix) => file.startsWith(prefix)) && fs.existsSync(file)) {
      return { contents: fs.readFileSync(file, "utf8") };
    }
  }
  return { error: `not found: ${unit}` };
}

if (args.includes("--version")) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);
} else if (args.includes("--standard-json")) {
  process.stdout.write(solc.compile(fs.readFileSync(0, "utf8"), { import: readImport }));
} else {
  process.stderr.write(`scripts/solc.cjs: unsupported arguments: ${args.join(" ")}\n`);
  process.exitCode = 1;
}
