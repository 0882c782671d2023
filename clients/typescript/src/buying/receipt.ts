import type { PublicClient } from "viem";
import { sumUpTo } from "../../../../protocol/settlement/index.ts";
import type { ChainAnswer, VerifiedDocument } from "../../../../receipts/index.ts";
import type { BaseClient } from "../base-client.ts";
import { ApiError } from "../core/errors.ts";
import type { Order } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import { chargeOf } from "./delivered-work.ts";
import { UntrustedOrderError } from "./errors.ts";
import type { OrderWatch } from "./order-watch.ts";

/** A verified receipt of the order. `chain` is the result of the on-chain check, null without a node. */
export type ReleaseReceipt = VerifiedDocument & { chain: ChainAnswer | null };

/**
 * Returns the base units that a released order has paid its provider: the charge, or the accepted stages. The provider can end
 * an order between two stages.
 *
 * @throws UntrustedOrderError as `chargeOf`
 */
export function paidAmountOf(
  agreed: Pick<AgreedOrder, "orderId" | "agreement" | "terms">,
  order: Pick<Order, "units" | "charge_base_units" | "stages">,
): bigint {
  const stages = agreed.agreement.stages as { amount_base_units: string }[] | undefined;
  if (!stages) return chargeOf(agreed, order)?.charge ?? agreed.terms.amount;
  const accepted = (order.stages ?? []).filter(({ state }) => state === "accepted").length;
  return sumUpTo(
    stages.map(({ amount_base_units: amount }) => ({ amount })),
    accepted,
  );
}

/** Waits until the service has the order's final receipt. */
export async function awaitReceipt(
  client: BaseClient,
  watch: OrderWatch,
  orderId: string,
  signal: AbortSignal | undefined,
) {
  return await watch.until(
    orderId,
    async () => {
      try {
        return await client.receipts.getFinal(orderId, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === "not_settled") return undefined;
        throw error;
      }
    },
    signal,
  );
}

/**
 * Verifies the receipt of an order's release.
 *
 * @param expected.amount the provider's amount in base units
 * @throws UntrustedOrderError if it is not valid, or is about another order
 */
export async function readReceipt(
  document: unknown,
  {
    agreed,
    amount,
    issuer,
    node,
  }: { agreed: AgreedOrder; amount: bigint; issuer: string; node: PublicClient | null },
): Promise<ReleaseReceipt> {
  // Loaded on demand, because the verifier is large.
  const { confirmOnChain, verifyReceipt } = await import("../../../../receipts/index.ts");
  const { orderId, terms } = agreed;
  const compare = (field: string, expected: unknown, found: unknown) => {
    if (expected !== found) throw new UntrustedOrderError(orderId, `receipt.${field}`, expected, found);
  };
  const verified = await verifyReceipt(document, { issuer });
  if (!verified.valid) {
    throw new UntrustedOrderError(
      orderId,
      "receipt",
      "a valid receipt",
      `${verified.code}: ${verified.message}`,
    );
  }
  const signed = verified.document;
  compare("claim", "released", signed.claim);
  compare("order_id", orderId, signed.order_id);
  compare("escrow_id", agreed.escrowId, signed.escrow_id);
  compare("agreement_hash", terms.orderHash, signed.agreement_hash);
  compare("contract", agreed.escrowContract, signed.contract);
  compare("amount", String(amount), signed.amount);
  const chain = node && (await confirmOnChain(verified, node, { contract: agreed.escrowContract }));
  if (chain?.checked && !chain.agrees)
    throw new UntrustedOrderError(orderId, "receipt", "the event on the chain", chain.code);
  return { ...verified, chain };
}
