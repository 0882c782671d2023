// npm run build: what others import of this repository, into dist/, and what the API serves to browsers, into dist/web/.
// `node scripts/build.ts <folder>` writes the former alone, elsewhere; `--web` builds the latter alone.

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
