// npm run build: what others import of this repository, each entry as one file that needs no other package and runs in
// Node 20 and in browsers, with its types, into dist/. `node scripts/build.ts <folder>` writes elsewhere.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../receipts/bundle.ts";
import { isRunnable, toolPath } from "./tools.ts";

/** The entries of `exports` in package.json; scripts/build.tsconfig.json lists the same files for their types. */
const entries = {
  receipts: "receipts/index.ts",
  settlement: "settlement/index.ts",
  webhooks: "webhooks/index.ts",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "dist"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, file] of Object.entries(entries)) {
  writeFileSync(join(folder, `${name}.js`), await bundle(join(root, file)));
}
// An installation without development packages has no compiler; what runs is complete without the types.
if (isRunnable("tsc")) {
  const project = join(root, "scripts", "build.tsconfig.json");
  const args = ["--project", project, "--outDir", join(folder, "types")];
  process.exitCode = spawnSync(toolPath("tsc"), args, { stdio: "inherit" }).status ?? 1;
}
