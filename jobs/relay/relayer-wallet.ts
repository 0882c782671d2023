import type { Logger } from "pino";
import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, type SQL, sql } from "../../db/drizzle.ts";
import { relayer } from "../../db/schema.ts";
import type { GasPrice } from "./fees.ts";

/** The reason why queued relays are not sent. */
export type Waiting = "balance" | "gas_price";

/** Milliseconds between two log lines of one alert. */
const alertEvery = 60_000;

export type Wallet = ReturnType<typeof createWallet>;

/**
 * Stores the balance of a chain's relayer wallet, for `GET /chain/status`. Logs what an operator has to act on, with
 * `"alert"`, once a minute each.
 */
export function createWallet(
  db: Database,
  log: Logger | undefined,
  { address, chainId }: { address: Address; chainId: number },
) {
  const loggedAt = new Map<string, number>();

  function alert(
    level: "warn" | "error",
    name: string,
    numbers: Record<string, bigint | null>,
    text: string,
  ): void {
    if (Date.now() - (loggedAt.get(text) ?? 0) < alertEvery) return;
    loggedAt.set(text, Date.now());
    const known = Object.entries(numbers).filter(([, wei]) => wei !== null);
    const wei = Object.fromEntries(known.map(([key, value]) => [key, String(value)]));
    log?.[level]({ alert: name, address, chain_id: chainId, ...wei }, text);
  }

  return {
    /** Stores the balance and the chain's gas price, in wei. */
    async storeBalance(seen: { balance: bigint; gasPrice: bigint }): Promise<void> {
      const values = { ...seen, address, seenAt: new Date() };
      await db
        .insert(relayer)
        .values({ chainId, ...values })
        .onConflictDoUpdate({ target: relayer.chainId, set: values });
    },

    /** Stores why nothing is sent, or null. */
    async storeWaiting(waiting: Waiting | null, fence?: SQL): Promise<void> {
      await db
        .update(relayer)
        .set({ waiting, waitingSince: waiting === null ? null : sql`now()` })
        .where(and(eq(relayer.chainId, chainId), sql`${relayer.waiting} is distinct from ${waiting}`, fence));
    },

    /** Alerts that the balance is below the operator's threshold. */
    alertLow: (balance: bigint, threshold: bigint) =>
      alert(
        "warn",
        "relayer_balance_low",
        { balance, threshold },
        "the relayer's balance is low: send native coin to its wallet",
      ),

    /** Alerts that the wallet cannot pay for the next transaction. */
    alertEmpty: (balance: bigint, needed: bigint | null) =>
      alert(
        "error",
        "relayer_balance_low",
        { balance, needed },
        "the relayer cannot pay for its transactions: send native coin to its wallet",
      ),

    /** Alerts that a call costs more than its gas bound at the ceiling, because of its data on the parent chain. */
    alertDataFee: (dataFee: bigint, most: bigint) =>
      alert(
        "warn",
        "relayer_gas_price_high",
        { data_fee: dataFee, most },
        "the data of a transaction is too expensive: relays wait, or raise MAX_FEE_GWEI",
      ),

    /** Alerts that gas costs more than the ceiling. */
    alertPrice: ({ baseFee, tip }: GasPrice, ceiling: bigint) =>
      alert(
        "warn",
        "relayer_gas_price_high",
        { gas_price: baseFee + tip, ceiling },
        "gas costs more than MAX_FEE_GWEI allows: nothing is sent until it is cheaper",
      ),
  };
}
