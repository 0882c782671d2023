import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, inArray, or } from "../../db/drizzle.ts";
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
    const balances = new Map<string, bigint | null>();

    /** Reserves a payment's amount; false if the payer's payments in flight leave too little. */
    return async function reserve({ id, signer }: Relay): Promise<boolean> {
      const payment = amounts.get(id);
      if (signer === null || payment === undefined) return true;
      const { token, amount } = payment;
      const account = accountOf(signer, token);
      const before = promised.get(account) ?? 0n;
      if (before > 0n) {
        // If the token does not answer, the simulation decides.
        if (!balances.has(account))
          balances.set(account, await node.readTokenBalance(token, signer).catch(() => null));
        const balance = balances.get(account) ?? null;
        if (balance !== null && before + amount > balance) return false;
      }
      promised.set(account, before + amount);
      return true;
    };
  };

  /** Reads the amounts of payments, and the sum of each payer's payments in flight in a token. */
  async function readPayments(payments: Relay[]) {
    const amounts = new Map<string, { token: Address; amount: bigint }>();
    const promised = new Map<string, bigint>();
    if (payments.length === 0) return { amounts, promised };
    const ids = payments.map(({ id }) => id);
    const payers = payments.map(({ signer }) => signer as Address);
    const isInFlight = and(eq(relay.status, "signed"), inArray(relay.signer, payers));
    const found = await db
      .select({
        id: relay.id,
        status: relay.status,
        signer: relay.signer,
        token: order.token,
        amount: order.amount,
      })
      .from(relay)
      .innerJoin(order, eq(order.id, relay.orderId))
      .where(
        and(
          eq(relay.chainId, chain.chain_id),
          eq(relay.forFunded, false),
          or(inArray(relay.id, ids), isInFlight),
        ),
      );
    for (const { id, status, signer, token, amount } of found) {
      const account = accountOf(signer as Address, token);
      if (status === "signed") promised.set(account, (promised.get(account) ?? 0n) + amount);
      else amounts.set(id, { token, amount });
    }
    return { amounts, promised };
  }
}

/** Names the balance of a payer in a token. */
const accountOf = (payer: Address, token: Address) => `${payer} ${token}`.toLowerCase();
