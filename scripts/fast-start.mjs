// Before a program of ours: compiled code, and where each package's files were found, are kept between runs, and the program
// is one file where `build/programs.ts` made one of it. Loading is most of a start, and most of loading is looking for files.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

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

/** The one file that a program was made into, as long as its sources are those it was made of. */
function findBuilt(program) {
  try {
    const name = program.slice(0, -".ts".length).replaceAll("/", "-");
    const { file, sources } = JSON.parse(readFileSync(new URL(`dist/programs/${name}.json`, root), "utf8"));
    const folder = fileURLToPath(root);
    for (const [path, changed, size] of sources) {
      const now = statSync(folder + path);
      if (now.mtimeMs !== changed || now.size !== size) return null;
    }
    const built = new URL(`dist/programs/${file}`, root);
    statSync(built);
    return built.href;
  } catch {
    return null;
  }
}

/** The stack of an error names the sources. */
function tellSources(built) {
  let lines;
  const sourceOf = (at) => {
    lines ??= JSON.parse(readFileSync(new URL(`${built}.lines`), "utf8"));
    const { sources, runs } = lines;
    let [low, high] = [0, runs.length / 3 - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (runs[3 * middle] <= at) low = middle;
      else high = middle - 1;
    }
    const [from, source, original] = runs.slice(3 * low, 3 * low + 3);
    return `${root}${sources[source]}:${original + at - from + 1}`;
  };
  Error.prepareStackTrace = (error, frames) => {
    const places = frames.map((frame) => {
      const text = `    at ${frame}`;
      const at = text.indexOf(built);
      if (at === -1) return text;
      const [, line, end] = /^:(\d+):\d+(.*)$/s.exec(text.slice(at + built.length)) ?? [];
      try {
        return line ? `${text.slice(0, at)}${sourceOf(Number(line) - 1)}${end}` : text;
      } catch {
        return text;
      }
    });
    return [describe(error), ...places].join("\n");
  };
}

function describe(error) {
  try {
    return String(error);
  } catch {
    return "<error>";
  }
}

// The program itself, and no thread, is asked for by nobody.
let isProgram = isMainThread;

module.registerHooks?.({
  resolve(name, context, next) {
    const { parentURL, conditions, importAttributes } = context;
    if (isProgram && parentURL === undefined && name.startsWith(root)) {
      isProgram = false;
      const url = name.endsWith(".ts") && findBuilt(name.slice(root.length));
      if (url) {
        tellSources(url);
        return { url, format: "module", shortCircuit: true };
      }
    }
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
