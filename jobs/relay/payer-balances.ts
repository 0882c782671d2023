import { and, eq, inArray, or } from "drizzle-orm";
import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { order, relay } from "../../db/schema.ts";
import type { Relay } from "./relay-row.ts";
import type { RelayParts } from "./transactions.ts";

/**
 * Reserves payers' balances for their payments. Each payment passes its simulation alone, but a balance can be spent
 * once: a payment beyond it would be mined and revert.
 */
export function createPayerBalances(db: Database, { chain, node }: Pick<RelayParts, "chain" | "node">) {
  return async function readPayers(rows: Relay[]) {
    const payments = rows.filter(({ signer, forFunded }) => signer !== null && !forFunded);
    const { amounts, promised } = await readPayments(payments);
    const balances = new Map<Address, bigint | null>();

    /** Reserves a payment's amount; false if the payer's payments in flight leave too little. */
    return async function reserve({ id, signer }: Relay): Promise<boolean> {
      const amount = amounts.get(id);
      if (signer === null || amount === undefined) return true;
      const before = promised.get(signer) ?? 0n;
      if (before > 0n) {
        // If the token does not answer, the simulation decides.
        if (!balances.has(signer))
          balances.set(signer, await node.readTokenBalance(signer).catch(() => null));
        const balance = balances.get(signer) ?? null;
        if (balance !== null && before + amount > balance) return false;
      }
      promised.set(signer, before + amount);
      return true;
    };
  };

  /** Reads the amounts of payments, and the sum of each payer's payments in flight. */
  async function readPayments(payments: Relay[]) {
    const amounts = new Map<string, bigint>();
    const promised = new Map<Address, bigint>();
    if (payments.length === 0) return { amounts, promised };
    const ids = payments.map(({ id }) => id);
    const payers = payments.map(({ signer }) => signer as Address);
    const isInFlight = and(eq(relay.status, "signed"), inArray(relay.signer, payers));
    const found = await db
      .select({ id: relay.id, status: relay.status, signer: relay.signer, amount: order.amount })
      .from(relay)
      .innerJoin(order, eq(order.id, relay.orderId))
      .where(
        and(
          eq(relay.chainId, chain.chain_id),
          eq(relay.forFunded, false),
          or(inArray(relay.id, ids), isInFlight),
        ),
      );
    for (const { id, status, signer, amount } of found) {
      const payer = signer as Address;
      if (status === "signed") promised.set(payer, (promised.get(payer) ?? 0n) + amount);
      else amounts.set(id, amount);
    }
    return { amounts, promised };
  }
}
