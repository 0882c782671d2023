import { createRequire } from "node:module";
import type * as app from "../../api/app.ts";
import type * as context from "../../api/context.ts";
import type * as settings from "../../config.ts";

// By Node itself, which loads these hundreds of files in a fraction of the time that Ponder's own loader takes.
const load = createRequire(import.meta.url);
const { createApp } = load("../../api/app.ts") as typeof app;
const { createContext } = load("../../api/context.ts") as typeof context;
const { readConfig } = load("../../config.ts") as typeof settings;

export default createApp(createContext(readConfig()));
