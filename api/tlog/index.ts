import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addLogAnchors } from "./log-anchors.ts";
import { addLogProofs } from "./log-proofs.ts";
import { addLogTiles } from "./log-tiles.ts";

/** The log of receipts, at the root: its tiles, as c2sp.org/tlog-tiles has them, the proofs of single receipts, and what of it is on the chain. */
export function addTlog(root: App, context: Context): void {
  addLogProofs(root, context);
  addLogTiles(root, context);
  addLogAnchors(root, context);
}
