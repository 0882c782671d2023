import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addLogAnchors } from "./log-anchors.ts";
import { addLogProofs } from "./log-proofs.ts";
import { addLogTiles } from "./log-tiles.ts";

/** Adds the routes of the log of receipts, at the root: tiles (c2sp.org/tlog-tiles), proofs of receipts, and anchors on the chain. */
export function addTlog(root: App, context: Context): void {
  addLogProofs(root, context);
  addLogTiles(root, context);
  addLogAnchors(root, context);
}
