// Writes docs/openapi.json from the routes: `node scripts/generate/openapi.ts`. With `--check`, fails if it differs.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createApp } from "../../api/app.ts";
import { createContext } from "../../api/context.ts";
import { describeApi } from "../../api/http/openapi.ts";
import { readConfig } from "../../config/config.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { buildWeb } from "../../tools/build/web.ts";

const file = join("docs", "openapi.json");
const path = resolve(import.meta.dirname, "../..", file);

// The app begins with what it serves.
await buildWeb();
// No setting of this machine may appear in the document, and no connection is opened.
const context = createContext(readConfig({ DEPLOYMENTS_DIR: join(import.meta.dirname, "none") }));
const document = describeApi(createApp(context), apiPath);
await context.db.$client.end();
const text = `${JSON.stringify(document, null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
} else if (readOrEmpty() !== text) {
  console.error(`${file} differs from the routes in api/: run \`npm run generate\` and commit the result.`);
  process.exit(1);
}

function readOrEmpty(): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
