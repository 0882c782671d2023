import type { PublicClient } from "viem";
import type { ChainAnswer, VerifiedDocument } from "../../../../receipts/index.ts";
import type { AgreedOrder } from "./agreed.ts";
import { UntrustedOrderError } from "./errors.ts";

/** A receipt whose signature is good and which names the order; `chain` is what a node says of it, null without one. */
export type ReleaseReceipt = VerifiedDocument & { chain: ChainAnswer | null };

/**
 * Verifies the receipt of an order's release.
 *
 * @throws UntrustedOrderError where it is not good, or of something else
 */
export async function readReceipt(
  document: unknown,
  { agreed, issuer, node }: { agreed: AgreedOrder; issuer: string; node: PublicClient | null },
): Promise<ReleaseReceipt> {
  // Loaded where it is needed: verifying brings keys and schemas along.
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
      "a good receipt",
      `${verified.code}: ${verified.message}`,
    );
  }
  const said = verified.document;
  compare("claim", "released", said.claim);
  compare("order_id", orderId, said.order_id);
  compare("escrow_id", agreed.escrowId, said.escrow_id);
  compare("agreement_hash", terms.orderHash, said.agreement_hash);
  compare("contract", agreed.escrowContract, said.contract);
  compare("amount", String(terms.amount), said.amount);
  const chain = node && (await confirmOnChain(verified, node, { contract: agreed.escrowContract }));
  if (chain?.checked && !chain.agrees)
    throw new UntrustedOrderError(orderId, "receipt", "what the chain says", chain.code);
  return { ...verified, chain };
}
