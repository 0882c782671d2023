import { type Address, getAddress } from "viem";
import { eq } from "../../db/drizzle.ts";
import { relayer } from "../../db/schema.ts";
import type { termsOf } from "../../protocol/settlement/terms.ts";
import { type Payable, type PaymentRequirements, requirementsOf } from "../../protocol/settlement/x402.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../orders/order-draft.ts";
import { readTakenPayments } from "../payment-methods.ts";
import { Refusal } from "../refusal.ts";
import { findOrderToken } from "../services/payment-token.ts";

/** The fields of an order or a draft that its payment requirements need. */
type PaidOrder = Pick<Draft, "chainId" | "token" | "amount" | "depositAddress" | "fundBy" | "pricingModel">;

/** The fields of an order or a draft that its payment and its escrow need. */
export type PaidEscrow = PaidOrder &
  Parameters<typeof termsOf>[0] &
  Pick<Draft, "escrowContract" | "escrowId">;

/** Access to the tokens of the chains. */
type Chains = Pick<Context, "chain">;
type Relayed = Pick<Context, "chain" | "db">;

/**
 * Returns the payment that an order needs.
 *
 * @throws Refusal `dependency_unavailable` if its chain or token is not served at the moment
 */
export function payableOf(context: Chains, row: Omit<PaidOrder, "pricingModel">): Payable {
  const served = context.chain(row.chainId);
  const token = served && findOrderToken(served.chain, row.token);
  if (!token) {
    throw new Refusal(
      "dependency_unavailable",
      `This service does not serve this order's token on chain ${row.chainId}.`,
    );
  }
  const { chainId, amount, depositAddress, fundBy } = row;
  return { chainId, token, amount, depositAddress, fundBy };
}

/**
 * Reads the requirements by which an order can be paid now. A payment is verified against them.
 *
 * @param now the chain's time as indexed, in unix seconds
 * @throws Refusal `dependency_unavailable` if there are none
 */
export async function readRequirements(
  context: Relayed,
  row: PaidOrder,
  now: bigint,
): Promise<PaymentRequirements[]> {
  const payable = payableOf(context, row);
  const { methods, takesUpto } = await readTakenPayments(context, {
    chain_id: row.chainId,
    token: row.token,
  });
  if (methods.length === 0) {
    throw new Refusal(
      "dependency_unavailable",
      "The order's token takes no payments by signature on this chain. Send the calls of `settlement-options` instead.",
    );
  }
  // A client counts from its own clock, so the lead of the chain's clock is added.
  const ahead = Math.max(0, Number(now) - Math.floor(Date.now() / 1000));
  const facilitator =
    row.pricingModel === "metered" && takesUpto ? await readRelayer(context.db, row.chainId) : null;
  return requirementsOf(payable, methods, now, facilitator).map((one) => ({
    ...one,
    maxTimeoutSeconds: one.maxTimeoutSeconds + ahead,
  }));
}

/** Reads the address of a chain's relayer, which sends payments of scheme `upto`; null if it never ran. */
export async function readRelayer(db: Context["db"], chainId: number): Promise<Address | null> {
  const [wallet] = await db
    .select({ address: relayer.address })
    .from(relayer)
    .where(eq(relayer.chainId, chainId));
  return wallet ? getAddress(wallet.address) : null;
}
