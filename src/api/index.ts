import { createApp } from "../../api/app.ts";
import { type Context, createContext } from "../../api/context.ts";
import { ApiError } from "../../api/errors.ts";
import { readConfig } from "../../config.ts";

// In development Ponder runs this file again after each change; one pool has to do for all of them.
const kept: { earnestContext?: Context } = globalThis as typeof globalThis & { earnestContext?: Context };
kept.earnestContext ??= createContext(readConfig());

// Ponder mounts these routes on an app of its own, whose answer to other paths would be bare text.
export default createApp(kept.earnestContext).all("*", () => {
  throw new ApiError("not_found", "There is nothing at this path and method.");
});
