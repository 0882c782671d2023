import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addChainStatus } from "./chain-status.ts";
import { addChains } from "./chains.ts";

/** Adds the routes that describe the chains. */
export function addChain(app: App, context: Context): void {
  addChainStatus(app, context);
  addChains(app, context);
}
