import type { Logger } from "pino";
import type { GasPrice } from "./fees.ts";

/** Milliseconds between two lines of the log about the same. */
const every = 60_000;

export type Alarm = ReturnType<typeof createAlarm>;

/** Says in the log what an operator has to see to, as lines with `"alert"`, and each once a minute. */
export function createAlarm(log: Logger | undefined, wallet: { address: string; chain_id: number }) {
  const loggedAt = new Map<string, number>();

  function write(
    level: "warn" | "error",
    alert: string,
    numbers: Record<string, bigint | null>,
    text: string,
  ) {
    if (Date.now() - (loggedAt.get(text) ?? 0) < every) return;
    loggedAt.set(text, Date.now());
    const known = Object.entries(numbers).filter(([, wei]) => wei !== null);
    const wei = Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
    log?.[level]({ alert, ...wallet, ...wei }, text);
  }

  return {
    /** The wallet holds less than the operator wants to be told of. */
    low: (balance: bigint, threshold: bigint) =>
      write(
        "warn",
        "relayer_balance_low",
        { balance, threshold },
        "the relaying wallet runs low: send it native coin",
      ),
    /** The wallet cannot pay for what is to be sent. */
    empty: (balance: bigint, needed: bigint | null) =>
      write(
        "error",
        "relayer_balance_low",
        { balance, needed },
        "the relaying wallet cannot pay for its transactions: send it native coin",
      ),
    /** Gas costs more than it may. */
    price: ({ baseFee, tip }: GasPrice, ceiling: bigint) =>
      write(
        "warn",
        "relayer_gas_price_high",
        { gas_price: baseFee + tip, ceiling },
        "gas costs more than MAX_FEE_GWEI allows: nothing is sent until it is cheaper",
      ),
  };
}
