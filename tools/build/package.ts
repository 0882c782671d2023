import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";
import { isRunnable, toolPath } from "./tools.ts";

/** The entries of `exports` in package.json; tools/build/package.tsconfig.json lists the same files for their types. */
const entries = {
  execution: "protocol/execution/index.ts",
  receipts: "receipts/index.ts",
  settlement: "protocol/settlement/index.ts",
  tlog: "protocol/tlog/index.ts",
  webhooks: "protocol/webhooks/index.ts",
};

/**
 * Builds the published packages of this repository. Each entry is one file without dependencies, for Node 20 and browsers,
 * with its types.
 *
 * @returns whether the types were made
 */
export async function buildPackage(folder: string): Promise<boolean> {
  const types = join(folder, "types");
  rmSync(types, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of Object.entries(entries)) {
    writeFileSync(join(folder, `${name}.js`), await bundle(file));
  }
  // An installation without development packages has no compiler. The programs do not need the types.
  if (!isRunnable("tsc")) return true;
  const project = fileURLToPath(new URL("package.tsconfig.json", import.meta.url));
  const args = ["--project", project, "--outDir", types];
  return spawnSync(toolPath("tsc"), args, { stdio: "inherit" }).status === 0;
}
