// npm run generate: writes all committed files that programs make. `npm run check` fails if one of them is out of date.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { toolPath } from "../tools/build/tools.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const steps: [what: string, file: string, ...args: string[]][] = [
  ["abis/", process.execPath, "scripts/generate/abis.ts"],
  ["contracts/gas", toolPath("forge"), "test", "--isolate", "--silent", "--match-contract", "GasTest$"],
  ["contracts/test/cases.tree", process.execPath, "scripts/generate/cases.ts"],
  [".env.example", process.execPath, "scripts/generate/settings.ts"],
  ["docs/openapi.json", process.execPath, "scripts/generate/openapi.ts"],
  ["clients/", process.execPath, "clients/generator/generate.ts"],
  [
    "receipts/schema, receipts/vectors.json, protocol/tlog/vectors.json",
    process.execPath,
    "scripts/generate/receipts.ts",
  ],
  ["clients/scenarios/protocol-vectors.json", process.execPath, "scripts/generate/protocol.ts"],
  ["console/src/text/", process.execPath, "scripts/generate/texts.ts"],
  ["db/migrations", toolPath("drizzle-kit"), "generate", "--config=db/drizzle.config.ts"],
];
for (const [what, file, ...args] of steps) {
  console.log(what);
  const { status } = spawnSync(file, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) continue;
  console.error(`${what} could not be written: the output above has the cause.`);
  process.exit(1);
}
