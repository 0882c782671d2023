import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../harness/programs.ts";

const hook = (tell: string) =>
  `import { registerHooks } from "node:module";
   registerHooks({ resolve(name, context, next) { const found = next(name, context); ${tell}; return found; } });`;
const asImport = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
const url = JSON.stringify(new URL("../../api/app.ts", import.meta.url).href);
const load = `await import(${url}); process.stdout.write(JSON.stringify({ all: [...globalThis.all], asked: globalThis.asked }));`;

/** Loads the API. Says which files that took, each with how Node took it, and how often Node itself looked for one. */
function loadApi(fast: boolean): { all: [string, string][]; asked: number } {
  const args = [
    ...asImport(
      `globalThis.all = new Map(); globalThis.asked = 0; ${hook("if (context.parentURL) globalThis.asked += 1")}`,
    ),
    ...(fast ? ["--import", new URL("../../scripts/fast-start.mjs", import.meta.url).href] : []),
    ...asImport(hook("if (found.format) globalThis.all.set(found.url, found.format)")),
    ...["--input-type=module", "-e", load],
  ];
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }),
  );
}

test("a fast start loads the same files in the same way, and the second one has Node look for hardly any", () => {
  const usual = loadApi(false);
  loadApi(true);
  const fast = loadApi(true);
  const ofProgram = ({ all }: typeof usual) =>
    all.filter(([name]) => name.startsWith("file:") && !name.endsWith("fast-start.mjs")).sort();
  expect(usual.all.length).toBeGreaterThan(500);
  expect(ofProgram(fast)).toEqual(ofProgram(usual));
  expect(fast.asked).toBeLessThan(usual.asked / 10);
});

test("the API loads no bundler: what browsers get is built before", () => {
  const files = loadApi(true).all.map(([name]) => name);
  expect(files.filter((name) => name.includes("/node_modules/esbuild/"))).toEqual([]);
});
