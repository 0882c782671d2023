import type { Database } from "../../../db/client.ts";
import { lockOrder, type NewFact, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { placeOrder, randomHash } from "../jobs/ledger.ts";
import { createTrade } from "./trade.ts";

/** The context of verbs, and orders in the states from which their steps begin. */
export async function createOrders() {
  const trade = await createTrade();
  const chain = trade.context.config.defaultChain;
  if (!chain) throw new Error("No chain is served.");

  /** An order, and the callers that are its parties. */
  async function place() {
    const row = await placeOrder(trade.db, chain as NonNullable<typeof chain>);
    const buyer = { accountId: row.buyerAccountId, keyId: null };
    return { row, buyer, provider: { accountId: row.providerAccountId } };
  }

  return {
    ...trade,
    place,
    /** The same with the facts that make the order funded, or disputed. */
    async reach(status: "funded" | "disputed") {
      const placed = await place();
      await record(trade.db, placed.row, { type: "order.funded", actor: "chain", data: {} });
      if (status === "disputed") {
        const data = { party: "buyer", reason_hash: randomHash() };
        await record(trade.db, placed.row, { type: "order.disputed", actor: "chain", data });
      }
      return placed;
    },
  };
}
export type Orders = Awaited<ReturnType<typeof createOrders>>;

export const outsider = { accountId: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" };

/** Records a step of an order, as the worker records one of the chain. */
async function record(
  db: Database,
  { id, chainId }: OrderRow,
  fact: Pick<NewFact, "type" | "actor" | "data">,
) {
  await inTransaction(db, async (tx) => {
    const row = await lockOrder(tx, id);
    if (!row) throw new Error("The order is not there.");
    const place = { chainId, blockNumber: 1n, blockHash: randomHash(), logIndex: 0 };
    const chain = { ...place, transactionHash: randomHash() };
    await recordFacts(tx, row, [{ ...fact, key: randomHash(), occurredAt: new Date(), chain }]);
  });
}
