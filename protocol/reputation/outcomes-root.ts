import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { canonicalBytes } from "../../receipts/canonical-bytes.ts";
import type { Outcome } from "./public-outcome.ts";

/**
 * Hashes outcomes one by one, so that a long list needs little memory: SHA-256 over the canonical JSON (RFC 8785) of
 * each and a line feed. `unchecked` is omitted, because it changes no record. The outcomes must be sorted by
 * settlement time, then by order id.
 */
export function createOutcomesRoot(): { add(outcome: Outcome): void; end(): string } {
  const hash = sha256.create();
  const lineFeed = Uint8Array.of(0x0a);
  return {
    add: ({ unchecked: _, ...line }) => void hash.update(canonicalBytes(line)).update(lineFeed),
    end: () => `0x${bytesToHex(hash.digest())}`,
  };
}

/** Computes the `outcomes_root` of a statement from its outcomes, in any order. */
export function outcomesRootOf(outcomes: readonly Outcome[]): string {
  const root = createOutcomesRoot();
  for (const outcome of outcomes.toSorted(compare)) root.add(outcome);
  return root.end();
}

function compare(a: Outcome, b: Outcome): number {
  return Date.parse(a.settled_at) - Date.parse(b.settled_at) || (a.order_id < b.order_id ? -1 : 1);
}
