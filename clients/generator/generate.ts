// Writes what is generated of the clients from docs/openapi.json: `node clients/generator/generate.ts`, or `--check` to fail
// where something differs. Each language has an emitter, which returns files by their path in the client's folder.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { emitGo, isGeneratedGo } from "./emit-go.ts";
import { emitPython } from "./emit-python.ts";
import { emitTypeScript } from "./emit-typescript.ts";
import type { Model } from "./model.ts";
import { type OpenApi, readModel } from "./read.ts";

type Language = {
  /** The folder below clients/. It has only generated files, so a file that no emitter writes is removed. */
  folder: string;
  /** Tells which files are generated, for a language with hand-written files in the same folder. */
  owns?: (file: string) => boolean;
  /** Returns the files of the folder in the form of their language's formatter, without its toolchain. */
  emit: (model: Model) => Map<string, string>;
};

const languages: Language[] = [
  { folder: "typescript/src/generated", emit: emitTypeScript },
  { folder: "go", owns: isGeneratedGo, emit: emitGo },
  { folder: "python/src/earnest/_generated", emit: emitPython },
];

const clients = resolve(import.meta.dirname, "..");
const root = dirname(clients);
const document = JSON.parse(readFileSync(join(root, "docs", "openapi.json"), "utf8")) as OpenApi;
const model = readModel(document);
const behind: string[] = [];

for (const { folder, owns, emit } of languages) {
  const files = emit(model);
  const place = join(clients, folder);
  const present = new Map(
    listFiles(place)
      .filter((file) => owns?.(relative(place, file)) ?? true)
      .map((file) => [relative(place, file), readFileSync(file, "utf8")]),
  );
  for (const name of new Set([...files.keys(), ...present.keys()])) {
    const text = files.get(name);
    if (text === present.get(name)) continue;
    const path = join(place, name);
    behind.push(relative(root, path));
    if (process.argv.includes("--check")) continue;
    mkdirSync(dirname(path), { recursive: true });
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text);
  }
}

if (!process.argv.includes("--check")) {
  for (const path of behind) console.log(`wrote ${path}`);
} else if (behind.length > 0) {
  console.error(`${behind.join(", ")}: differs from docs/openapi.json: run \`npm run generate\`.`);
  process.exitCode = 1;
}

function listFiles(folder: string): string[] {
  try {
    return (
      readdirSync(folder, { recursive: true, withFileTypes: true })
        // Python stores compiled files beside its modules.
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".pyc"))
        .map((entry) => join(entry.parentPath, entry.name))
    );
  } catch {
    return [];
  }
}
