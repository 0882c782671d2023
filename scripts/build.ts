// npm run build: builds the published packages into dist/, and the web files that the API serves into dist/web/.
// `node scripts/build.ts <folder>` builds only the packages, into the folder. `--web` builds only the web files.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildWeb } from "../tools/build/web.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { web: { type: "boolean" } },
});
const [folder] = positionals;
const isAll = !folder && !values.web;

if (isAll || values.web) await buildWeb();
if (isAll || folder) {
  const { buildPackage } = await import("../tools/build/package.ts");
  const dist = fileURLToPath(new URL("../dist", import.meta.url));
  process.exitCode = (await buildPackage(resolve(folder ?? dist))) ? 0 : 1;
}
