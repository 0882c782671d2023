import { createRequire } from "node:module";
import { Hono } from "hono";
import type * as attached from "../../api/attach-to-ponder.ts";
import { readConfig } from "../../config/config.ts";

// Node loads the API itself and caches the compiled code. Vite, which loads this file, transforms all modules at each
// start.
const require = createRequire(import.meta.url);
const { attachApi } = require("../../api/attach-to-ponder.ts") as typeof attached;

export default new Hono().route("/", await attachApi(readConfig()));
