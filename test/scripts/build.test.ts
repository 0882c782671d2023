import { execFile } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getFixture } from "../harness/fixtures/fixture.ts";
import { root } from "../harness/programs.ts";

const run = promisify(execFile);

/** A copy of the sources without a build. */
let folder: string;
let script: string;
beforeAll(async () => {
  await getFixture("webFiles");
  folder = mkdtempSync(join(tmpdir(), "earnest-build-"));
  const left = /^(node_modules|dist|test|contracts|bench|docs|\.[^/]+)$/;
  cpSync(root, folder, { recursive: true, filter: (path) => !left.test(relative(root, path)) });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  script = join(folder, "dist", "web", "receipt-page.js");
  // The console is a part of its own, and building it takes ten times as long.
  for (const name of ["console", "console.sources"])
    cpSync(join(root, "dist", "web", name), join(folder, "dist", "web", name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = () => run(process.execPath, ["scripts/build.ts", "--web"], { cwd: folder });

test("an API without a build says so at its start", async () => {
  const program = run(process.execPath, ["scripts/api.ts"], { cwd: folder });
  await expect(program).rejects.toMatchObject({
    code: 1,
    stderr: `${script}, which browsers get, is not built: run \`npm run build\`.\n`,
  });
});

test("the script of a receipt's page is built once, and again when its sources change", async () => {
  await build();
  const { mtimeNs } = statSync(script, { bigint: true });
  const before = readFileSync(script, "utf8");
  await build();
  expect(statSync(script, { bigint: true }).mtimeNs).toBe(mtimeNs);

  appendFileSync(join(folder, "receipts", "page-script.ts"), '\nconsole.log("changed");\n');
  await build();
  expect(readFileSync(script, "utf8")).not.toBe(before);
  expect(readFileSync(script, "utf8")).toContain('console.log("changed")');

  rmSync(script);
  await build();
  expect(readFileSync(script, "utf8")).toContain('console.log("changed")');
});

test("a page uses files of watched folders only, so each change builds it again", async () => {
  const page = join(folder, "receipts", "page-script.ts");
  appendFileSync(page, '\nexport { formatAmount } from "../protocol/settlement/money.ts";\n');
  await expect(build()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      "imports protocol/settlement/money.ts, which is not in abis, protocol/json, receipts, protocol/tlog.",
    ),
  });
});
