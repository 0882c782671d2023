import type { Address, Hex } from "viem";
import { type EscrowName, type Terms, vouchersOnly } from "../../../../protocol/settlement/index.ts";
import type { AgreedOrder } from "../buying/agreement-check.ts";
import { UntrustedOrderError } from "../buying/errors.ts";

/** A session's terms, from its order's agreement. Amounts are base units of the token. */
export interface SessionTerms extends EscrowName {
  orderId: string;
  buyer: Address;
  provider: Address;
  /** the escrow's terms, which every call of the contract passes */
  escrowTerms: Terms;
  /** the price of one call */
  price: bigint;
  balance: bigint;
  decimals: number;
  /** the delivery deadline in unix milliseconds: from then on anyone can refund what is not paid */
  endsAt: number;
  /** milliseconds from the funding to the deadline */
  windowMs: number;
  endpointUrl: string;
  /** the provider's Ed25519 public key that signs the answers, base64url without padding */
  sessionKey: string;
}

/** @throws UntrustedOrderError if the agreement is not that of a session */
export function sessionTermsOf(
  { orderId, agreement, terms, chainId, escrowContract, escrowId }: AgreedOrder,
  deadline: string | null,
): SessionTerms {
  const { pricing_model, endpoint_url, session_key, token } = agreement as Record<string, unknown>;
  const refuse = (field: string, expected: string, found: unknown) =>
    new UntrustedOrderError(orderId, field, expected, found);
  if (pricing_model !== "per_call") throw refuse("agreement.pricing_model", "per_call", pricing_model);
  // With records or disputes, more than the vouchers could be paid, or less.
  if (terms.acceptanceWindow !== vouchersOnly) {
    const field = "agreement.acceptance_window_seconds";
    throw refuse(field, String(vouchersOnly), terms.acceptanceWindow);
  }
  if (typeof endpoint_url !== "string") throw refuse("agreement.endpoint_url", "an address", endpoint_url);
  if (typeof session_key !== "string") throw refuse("agreement.session_key", "a key", session_key);
  const endsAt = Date.parse(deadline ?? "");
  if (Number.isNaN(endsAt)) throw refuse("order.delivery_deadline", "a time", deadline);
  return {
    orderId,
    chainId,
    escrowContract,
    escrowId: escrowId.toLowerCase() as Hex,
    buyer: terms.buyer,
    provider: terms.provider,
    escrowTerms: terms,
    price: BigInt(String(agreement.unit_price_base_units)),
    balance: terms.amount,
    decimals: (token as { decimals: number }).decimals,
    endsAt,
    windowMs: terms.deliveryWindow * 1000,
    endpointUrl: endpoint_url,
    sessionKey: session_key,
  };
}

/** Writes terms as JSON has them: its numbers hold no base units. */
export function writeTerms(terms: SessionTerms): Record<string, unknown> {
  const { price, balance, escrowTerms } = terms;
  return {
    ...terms,
    price: String(price),
    balance: String(balance),
    escrowTerms: { ...escrowTerms, amount: String(escrowTerms.amount) },
  };
}

/** Reads what `writeTerms` wrote. */
export function readTerms(written: Record<string, unknown>): SessionTerms {
  const { price, balance, escrowTerms, ...more } = written as Omit<SessionTerms, "escrowTerms"> & {
    escrowTerms: SessionTerms["escrowTerms"];
  };
  return {
    ...more,
    price: BigInt(price),
    balance: BigInt(balance),
    escrowTerms: { ...escrowTerms, amount: BigInt(escrowTerms.amount) },
  };
}
