import { RefusedCall } from "../mcp/tool-context.ts";
import type { Progress } from "../src/buying/progress.ts";
import { fromBaseUnits, toBaseUnits } from "../src/index.ts";

/** Decimals of the sums. No payment token has more. */
const decimals = 36;

type Agreed = Extract<Progress, { step: "agreed" }>["agreed"];

/**
 * The most that the tools of one agent pay in all, of each token by itself. An order is booked once, before it is signed,
 * and stays booked if its payment fails. The sum is in memory.
 */
export class Spending {
  readonly maxTotal: string;
  readonly #most: bigint;
  readonly #booked = new Map<string, { token: string; units: bigint }>();

  /** @param maxTotal a decimal amount */
  constructor(maxTotal: string) {
    this.maxTotal = maxTotal;
    this.#most = toBaseUnits(maxTotal, decimals);
  }

  /** @throws RefusedCall `local_limit_exceeded` */
  book({ orderId, chainId, terms, agreement }: Agreed): void {
    if (this.#booked.has(orderId)) return;
    // The client has compared the token's decimals with its own.
    const amount = fromBaseUnits(terms.amount, (agreement.token as { decimals: number }).decimals);
    const token = `${chainId}:${terms.token}`;
    const units = toBaseUnits(amount, decimals);
    const others = [...this.#booked.values()].filter((one) => one.token === token);
    if (others.reduce((sum, one) => sum + one.units, units) > this.#most) {
      throw new RefusedCall(
        "local_limit_exceeded",
        `Nothing was paid: ${amount} for ${orderId} would exceed the total of ${this.maxTotal}. The owner of the wallet sets this limit.`,
      );
    }
    this.#booked.set(orderId, { token, units });
  }
}
