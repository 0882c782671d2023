import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildPrograms } from "../../build/programs.ts";
import { ourProgram, root } from "../harness/programs.ts";

let folder: string;
/** A program with a module, a thread and a CommonJS package, and the file that starts it. */
const files = {
  "scripts/say.ts": `
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { place } from "placed";
import { fail, word } from "../room/word.ts";

const thread = new Worker(new URL("../room/thread.ts", import.meta.url));
const [thought] = await once(thread, "message");
const beside = readFileSync(new URL("./beside.txt", import.meta.url), "utf8");
const { lazy } = await import("../room/lazy.ts");
let stack = "";
try {
  fail();
} catch (error) {
  stack = (error as Error).stack ?? "";
}
const isProgram = process.argv[1] === import.meta.filename;
console.log(JSON.stringify({ word, thought, beside, lazy, stack, isProgram, place, url: import.meta.url, loaded: globalThis.loaded }));
`,
  "scripts/beside.txt": "beside",
  "room/word.ts": `
export const word: string = "first";

export function fail(): never {
  throw new TypeError("for a test");
}
`,
  "room/lazy.ts": 'export const lazy = "lazy";\n',
  "room/thread.ts": `
import { parentPort } from "node:worker_threads";
import { word } from "./word.ts";

parentPort?.postMessage(["thought", word].join(" "));
`,
  "node_modules/placed/package.json": '{"name": "placed", "main": "index.js"}',
  "node_modules/placed/index.js": "exports.place = __dirname;\n",
  "node_modules/.package-lock.json": "{}",
  "tsconfig.json": "{}",
  "build/indexer.ts": "",
  "build/programs.ts": "",
};

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "earnest-programs-")));
  for (const [name, text] of Object.entries(files)) write(name, text);
  cpSync(join(root, "scripts/fast-start.mjs"), join(folder, "scripts/fast-start.mjs"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const build = () => buildPrograms({ root: folder, programs: ["scripts/say.ts"] });

/** What the program says, and which files of the folder its main thread loaded. */
function run(): Record<string, unknown> & { loaded: string[]; stack: string } {
  const url = pathToFileURL(folder).href;
  const hook = `
    import { registerHooks } from "node:module";
    globalThis.loaded = [];
    registerHooks({ load(url, context, next) {
      if (url.startsWith(${JSON.stringify(url)})) globalThis.loaded.push(url.slice(${url.length + 1}));
      return next(url, context);
    } });`;
  const args = [
    ...["--import", join(folder, "scripts/fast-start.mjs")],
    ...["--import", `data:text/javascript,${encodeURIComponent(hook)}`],
    join(folder, "scripts/say.ts"),
  ];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }));
}

test("a program runs from the one file that it was made into, and all in it keeps its place", async () => {
  const { loaded: before, ...bySources } = run();
  expect(before).toContain("room/word.ts");
  expect(await build()).toEqual(["scripts/say.ts"]);
  const { loaded, ...built } = run();
  expect(loaded).toEqual([expect.stringMatching(/^dist\/programs\/scripts-say\.[0-9a-f]{12}\.mjs$/)]);
  // A stack names the line of the source, without its column. Whether Node's own queue is in it is a matter of timing.
  const ours = (stack: string) =>
    stack.replace(/(\.ts:\d+):\d+/g, "$1").replace(/\n.*\bnode:internal\b.*/g, "");
  expect({ ...built, stack: ours(built.stack) }).toEqual({ ...bySources, stack: ours(bySources.stack) });
  expect(built.stack).toContain(`at fail (${pathToFileURL(join(folder, "room/word.ts")).href}:5)`);
  expect(built).toMatchObject({ word: "first", thought: "thought first", isProgram: true });
});

test("a source that has changed is run itself, until the program is built anew", async () => {
  await build();
  write("room/word.ts", files["room/word.ts"].replace("first", "other"));
  expect(run()).toMatchObject({ word: "other", thought: "thought other" });
  expect(run().loaded).toContain("room/word.ts");
  expect(await build()).toEqual(["scripts/say.ts"]);
  expect(run()).toMatchObject({ word: "other", loaded: [expect.stringMatching(/^dist\/programs\//)] });
});

test("the same content written anew, as by a checkout, is built once", async () => {
  await build();
  utimesSync(join(folder, "room/word.ts"), new Date(), new Date());
  expect(run().loaded).toContain("room/word.ts");
  expect(await build()).toEqual([]);
  expect(run().loaded).toEqual([expect.stringMatching(/^dist\/programs\//)]);
});

test("other packages make another program", async () => {
  await build();
  write("node_modules/.package-lock.json", '{"packages": {}}');
  expect(run().loaded).toContain("room/word.ts");
  expect(await build()).toEqual(["scripts/say.ts"]);
});

test("what starts the service is the same program where it is built by itself", async () => {
  const recipe = join(root, "dist/programs/stack-bring-up.json");
  const whole = JSON.parse(readFileSync(recipe, "utf8"));
  rmSync(recipe);
  expect(await buildPrograms({ programs: ["stack/bring-up.ts"] })).toEqual(["stack/bring-up.ts"]);
  expect(JSON.parse(readFileSync(recipe, "utf8")).file).toBe(whole.file);
});

test.each(["keys", "monitor", "reputation", "verify", "witness"])(
  "%s says the same from its one file and from its sources",
  (name) => {
    const say = (args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
      return { status, stdout, stderr };
    };
    const program = `scripts/${name}.ts`;
    const said = say(ourProgram(program, "--help"));
    expect(said).toEqual(say([join(root, program), "--help"]));
    expect(said.stdout + said.stderr).toContain(`npm run ${name}`);
  },
);
