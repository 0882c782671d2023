// Writes the files of receipts/ and protocol/tlog/ for readers in any language: JSON Schemas of documents, and test vectors.
// With `--check`, fails if the committed files differ.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { jsonSchemaOf, schemaNames } from "../../receipts/schema.ts";
import { makeLogVectors } from "./log/index.ts";
import { makeVectors } from "./vectors/index.ts";

const root = join(import.meta.dirname, "../..");

function* files(): Generator<[file: string, content: object]> {
  for (const name of schemaNames) yield [join("receipts", "schema", name), jsonSchemaOf(name)];
  yield [join("receipts", "vectors.json"), makeVectors()];
  yield [join("protocol", "tlog", "vectors.json"), makeLogVectors()];
}

for (const [file, content] of files()) {
  const path = join(root, file);
  const text = write(content);
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  } else if (readOrEmpty(path) !== text) {
    console.error(`${file} differs from the code: run \`npm run generate\` and commit the result.`);
    process.exitCode = 1;
  }
}

/** Writes two levels indented, then a line for each item, so that a changed case is a changed line. */
function write(content: object): string {
  if (!("cases" in content)) return `${JSON.stringify(content, null, 2)}\n`;
  const members = Object.entries(content).map(([name, value]) => {
    if (typeof value !== "object" || value === null)
      return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const items = Object.entries(value).map(([key, item]) =>
      Array.isArray(value) ? JSON.stringify(item) : `${JSON.stringify(key)}: ${JSON.stringify(item)}`,
    );
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return `  ${JSON.stringify(name)}: ${open}\n${items.map((item) => `    ${item}`).join(",\n")}\n  ${close}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
