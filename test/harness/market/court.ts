import { type Hex, zeroHash } from "viem";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { expectStatus, type Session, signIn } from "../api.ts";
import type { TestChain } from "../chain.ts";
import { ask, createMarket, indexer, type Market, placeDelivered, settleNow } from "./market.ts";

export type Court = Market & { arbiter: Session };

/** A market with the chain's arbiter, signed in. */
export async function createCourt(options: { chain?: TestChain } = {}): Promise<Court> {
  const market = await createMarket(options);
  return { ...market, arbiter: await signIn(market.api, localAccounts.arbiter) };
}

export const output = { translation: "Good day" };

/**
 * A delivered order that is disputed, as ledger and index have it.
 *
 * @param options.decideBy unix seconds; an hour from now unless given
 */
export async function placeDisputed(
  court: Court,
  options: { by?: "buyer" | "provider"; reasonHash?: Hex; decideBy?: number; recorded?: boolean } = {},
) {
  const { by = "buyer", reasonHash = zeroHash, decideBy, recorded = false } = options;
  const placed = await placeDelivered(court, output);
  const chain = indexer(court, placed.row);
  if (recorded) await chain.delivered(digestOf(output));
  await chain.disputed(by, reasonHash, decideBy);
  await settleNow(court);
  return { ...placed, path: `/orders/${placed.id}/dispute`, chain };
}

/** Returns the dispute's document as one of the parties reads it. */
export async function readDispute(court: Court, who: Session, orderId: string) {
  return expectStatus(200, await ask(court, who, "GET", `/orders/${orderId}/dispute`));
}
