// Before a program of ours: compiled code, and where each package's files were found, are kept between runs. Loading is
// most of a start, and most of loading is looking for files.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url).href;
const packages = `${root}node_modules/`;
const cache = fileURLToPath(new URL("../node_modules/.cache/earnest", import.meta.url));
module.enableCompileCache?.(cache);

const file = `${cache}/found.json`;
/** What is kept holds for one Node and one installation: npm writes this file anew at each. */
const holdsFor = describeInstallation();

function describeInstallation() {
  try {
    const { mtimeMs, size } = statSync(fileURLToPath(`${packages}.package-lock.json`));
    return `${process.version} ${mtimeMs} ${size}`;
  } catch {
    return null;
  }
}

/** By folder, then by what was asked for in which way: the file and its format. Files are named from the root. */
function readKept() {
  try {
    const kept = JSON.parse(readFileSync(file, "utf8"));
    return kept.holdsFor === holdsFor ? kept.folders : {};
  } catch {
    return {};
  }
}

const kept = readKept();
let added = {};

function keep() {
  const folders = Object.entries(added);
  if (!holdsFor || folders.length === 0) return;
  added = {};
  try {
    // Others write too: what they found stays.
    const all = readKept();
    for (const [folder, found] of folders) all[folder] = { ...all[folder], ...found };
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ holdsFor, folders: all }));
    renameSync(draft, file);
  } catch {
    // The next program looks for itself.
  }
}
process.on("exit", keep);
// For a program that will be killed.
setTimeout(() => {
  keep();
  module.flushCompileCache?.();
}, 20_000).unref();

module.registerHooks?.({
  resolve(name, context, next) {
    const { parentURL, conditions, importAttributes } = context;
    const isOurs = parentURL?.startsWith(root) && !name.startsWith("node:");
    if (!isOurs || Object.keys(importAttributes ?? {}).length > 0) return next(name, context);
    const isOfPackage = parentURL.startsWith(packages);
    const isRelative = name.startsWith(".");
    // Our own files are where they are said to be; each is a module.
    if (isRelative && !isOfPackage) {
      if (!name.endsWith(".ts")) return next(name, context);
      return { url: new URL(name, parentURL).href, format: "module-typescript", shortCircuit: true };
    }
    const folder = parentURL.slice(root.length, parentURL.lastIndexOf("/") + 1);
    const key = `${conditions.includes("import") ? "import" : "require"} ${name}`;
    const known = kept[folder]?.[key];
    if (known) return { url: root + known[0], format: known[1], shortCircuit: true };
    const found = next(name, context);
    if (found.url.startsWith(packages) && found.format) {
      const entry = [found.url.slice(root.length), found.format];
      for (const map of [kept, added]) {
        map[folder] ??= {};
        map[folder][key] = entry;
      }
    }
    return found;
  },
});
