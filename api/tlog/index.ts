import type { App, Context } from "../context.ts";
import { addLogAnchors } from "./anchors.ts";
import { addLogProofs } from "./proofs.ts";
import { addLogTiles } from "./tiles.ts";

/** The log of receipts: its tiles at the root, as c2sp.org/tlog-tiles has them, and the proofs of single receipts; and what of it is on the chain. */
export function addTlog(api: App, root: App, context: Context): void {
  addLogProofs(api, context);
  addLogTiles(root, context);
  addLogAnchors(root, context);
}
