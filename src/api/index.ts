import { createApp } from "../../api/app.ts";
import { type Context, createContext } from "../../api/context.ts";
import { readConfig } from "../../config.ts";

// In development Ponder runs this file again after each change; one pool has to do for all of them.
const kept: { earnestContext?: Context } = globalThis as typeof globalThis & { earnestContext?: Context };
kept.earnestContext ??= createContext(readConfig());

export default createApp(kept.earnestContext);
