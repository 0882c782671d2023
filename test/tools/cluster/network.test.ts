import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeFolders } from "../../../tools/cluster/network.ts";
import { root } from "../../harness/programs.ts";

test("the folders of a run are removed, and those of other runs stay", () => {
  const place = mkdtempSync(join(tmpdir(), "earnest-folders-"));
  for (const name of ["earnest-cluster-12-a", "earnest-cluster-12-b", "earnest-cluster-123-c"])
    mkdirSync(join(place, name, "disk"), { recursive: true });
  removeFolders(12, place);
  expect(readdirSync(place)).toEqual(["earnest-cluster-123-c"]);
  rmSync(place, { recursive: true });
});

// Namespaces need rights that a container may lack.
const hasNamespaces =
  spawnSync("unshare", ["--net", "--mount", "--pid", "--fork", "--mount-proc", "true"]).status === 0;

test.runIf(hasNamespaces)("a program inside that SIGTERM ends leaves no folder", async () => {
  const code = `
    import { isInside, makeFolder, runInside } from "${root}/tools/cluster/network.ts";
    if (isInside()) { console.log(makeFolder()); setInterval(() => {}, 1000); }
    else process.exit(await runInside());`;
  const place = mkdtempSync(join(tmpdir(), "earnest-inside-"));
  const file = join(place, "program.mts");
  writeFileSync(file, code);
  try {
    const child = spawn(process.execPath, [file], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const folder = String(line).trim();
    expect(existsSync(folder)).toBe(true);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(existsSync(folder)).toBe(false);
  } finally {
    rmSync(place, { recursive: true });
  }
});
