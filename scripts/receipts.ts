// Writes what receipts/ publishes for readers in any language: the JSON Schemas of its documents. `--check` fails where
// the committed files differ.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documentVersions } from "../receipts/document.ts";
import { type DocumentVersion, documentJsonSchema, schemaName } from "../receipts/schema.ts";

const root = join(import.meta.dirname, "..");

function* files(): Generator<[file: string, content: object]> {
  for (const version of Object.keys(documentVersions).map(Number) as DocumentVersion[]) {
    yield [join("receipts", "schema", schemaName(version)), documentJsonSchema(version)];
  }
}

for (const [file, content] of files()) {
  const path = join(root, file);
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  } else if (readOrEmpty(path) !== text) {
    console.error(`${file} differs from receipts/: run \`npm run generate\` and commit what it writes.`);
    process.exitCode = 1;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
