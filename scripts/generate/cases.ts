// Writes contracts/test/cases.tree, all cases of the contracts' tests in words, from the tests' names:
// `node scripts/generate/cases.ts`. With `--check`, fails if the committed file differs.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../contracts/test/", import.meta.url));
const file = `${folder}cases.tree`;

/** `refusesAnERC1271Wallet` is read as "refuses an ERC1271 wallet". */
function toWords(name: string): string {
  const words = name.match(/[A-Z]{2,}\d*(?![a-z])|[A-Z]?[a-z]+|\d+|[A-Z]/g) ?? [];
  return words.map((word) => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase())).join(" ");
}

/** Returns the tests of one file as a tree, under the contract's comment. */
function readCases(name: string): string[] {
  const source = readFileSync(folder + name, "utf8");
  const title = /^(?:\/\/\/ @notice (.+(?:\n\/\/\/ .+)*)\n)?contract (\w+)Test (?:is|\{)/m.exec(source);
  if (!title) throw new Error(`contracts/test/${name}: no contract whose name ends in Test`);
  const says = title[1]?.replaceAll(/\n\/\/\/ +/g, " ");
  const tests = [...source.matchAll(/function (test|testFuzz|invariant)_(\w+)\(/g)];
  const marks: Record<string, string> = { testFuzz: " (any values)", invariant: " (any sequence of calls)" };
  return [
    says ? `${title[2]}: ${says}` : `${title[2]}`,
    ...tests.map(([, kind = "", test = ""], index) => {
      const branch = index === tests.length - 1 ? "└──" : "├──";
      return `${branch} ${toWords(test)}${marks[kind] ?? ""}`;
    }),
    "",
  ];
}

const files = readdirSync(folder).filter((name) => name.endsWith(".t.sol"));
const generated = ["Written by scripts/generate/cases.ts from the tests' names; do not edit.", ""]
  .concat(files.sort().flatMap(readCases))
  .join("\n");
if (existsSync(file) && readFileSync(file, "utf8") === generated) {
  console.log("contracts/test/cases.tree is up to date");
} else if (process.argv.includes("--check")) {
  console.error(
    "contracts/test/cases.tree: differs from the names of the tests. Run node scripts/generate/cases.ts.",
  );
  process.exitCode = 1;
} else {
  writeFileSync(file, generated);
  console.log("wrote contracts/test/cases.tree");
}
