import { type Address, getAddress, type Hex, isAddress } from "viem";
import * as z from "zod";
import { hashPattern } from "./shapes.ts";
import {
  depositAddressOf,
  depositImplementationOf,
  digestOf,
  escrowIdOf,
  largestAmount,
  type Terms,
} from "./terms.ts";

const address = z
  .string()
  .refine((text) => isAddress(text), "must be an address in its EIP-55 form")
  .transform((text) => getAddress(text));
const amount = z
  .string()
  .regex(/^[1-9]\d{0,38}$/, "must be a whole number of base units")
  .transform(BigInt)
  .refine((amount) => amount <= largestAmount, "must fit uint128");
const unixSeconds = z.int().positive().max(0xffff_ffff_ffff);
const windowSeconds = z.int().min(0).max(0xffff_ffff);

/** The fields of an agreement that become the escrow's terms. The whole agreement becomes their `orderHash`. */
const bindingFields = z.object({
  version: z.literal(1),
  chain: z.string().regex(/^eip155:[1-9]\d{0,15}$/, "must be a CAIP-2 id of an EVM chain"),
  escrow_contract: address,
  buyer: address,
  provider: address,
  token: z.object({ address }),
  amount_base_units: amount,
  fund_by: unixSeconds,
  delivery_window_seconds: windowSeconds,
  acceptance_window_seconds: windowSeconds,
  dispute_window_seconds: windowSeconds,
  appeal_window_seconds: windowSeconds,
  arbiter: address,
});

/** Terms as the API shows them: numbers beyond 2^53 are text. */
const shownTerms = z.object({
  buyer: address,
  provider: address,
  token: address,
  amount,
  fundBy: unixSeconds,
  deliveryWindow: windowSeconds,
  acceptanceWindow: windowSeconds,
  disputeWindow: windowSeconds,
  appealWindow: windowSeconds,
  arbiter: address,
  orderHash: z
    .string()
    .regex(hashPattern, "must be a 32-byte 0x hash in lower case")
    .transform((hash) => hash as Hex),
});

/** The destination of an order's money by its terms. */
export type Deposit = {
  escrowId: Hex;
  /** the contract that all deposit addresses of this escrow contract clone */
  implementation: Address;
  depositAddress: Address;
};

/** The destination of an order's money by its agreement, with each value of the derivation. */
export type DerivedDeposit = Deposit & { chainId: number; escrowContract: Address; terms: Terms };

/**
 * Parses an order's terms as the API shows them: in payment instructions, and in each call's `args.terms`.
 *
 * @throws TypeError that names the invalid field
 */
export function readTerms(shown: unknown): Terms {
  return parse(shownTerms, shown, "These are not the terms of an order");
}

/**
 * Recomputes an order's deposit address from its terms: to the escrow's id, and from that to the address (CREATE2,
 * EIP-1014, of a minimal clone, EIP-1167).
 */
export function depositOf(chainId: number, escrowContract: Address, terms: Terms): Deposit {
  const escrowId = escrowIdOf(chainId, escrowContract, terms);
  const implementation = depositImplementationOf(escrowContract);
  return {
    escrowId,
    implementation,
    depositAddress: depositAddressOf(escrowContract, implementation, escrowId),
  };
}

/**
 * Recomputes an order's deposit address from its agreement, without requests: from the agreement to the escrow's terms,
 * and from these to the address. Money at that address can only go into the escrow of exactly these terms, or back to
 * their buyer. This guarantee holds if the contract at `escrowContract` is the escrow, which the chain has to confirm.
 *
 * @param agreement the whole JSON document of `GET /orders/{id}/agreement`
 * @throws TypeError that names the invalid field
 * @example
 * const { depositAddress } = deriveDeposit(agreement);
 * if (depositAddress !== accepts[0].payTo) throw new Error("This would pay something else.");
 */
export function deriveDeposit(agreement: unknown): DerivedDeposit {
  const fields = parse(bindingFields, agreement, "This is not an agreement");
  const chainId = Number(fields.chain.slice("eip155:".length));
  const escrowContract = fields.escrow_contract;
  const terms: Terms = {
    buyer: fields.buyer,
    provider: fields.provider,
    token: fields.token.address,
    amount: fields.amount_base_units,
    fundBy: fields.fund_by,
    deliveryWindow: fields.delivery_window_seconds,
    acceptanceWindow: fields.acceptance_window_seconds,
    disputeWindow: fields.dispute_window_seconds,
    appealWindow: fields.appeal_window_seconds,
    arbiter: fields.arbiter,
    orderHash: digestOf(agreement),
  };
  return { chainId, escrowContract, terms, ...depositOf(chainId, escrowContract, terms) };
}

/** The answer of a purchase without an account: an agreement for each token that pays. */
type OfferedAgreements = { agreement: unknown; other_agreements?: readonly unknown[] };

/** The fields of an entry of x402's `accepts` that say where the money goes. */
type PaidRequirements = { network: string; asset: string; amount: string; payTo: string };

/**
 * Finds the agreement of a chosen entry of `accepts`, and recomputes its deposit. Chain, token, amount and address have to be
 * those of the agreement.
 *
 * @param offered the 402 answer of `POST /buy/{slug}/{svc}`
 * @returns the agreement with the values of the derivation
 * @throws TypeError if no agreement fits: do not pay this entry
 * @example
 * client.onBeforePaymentCreation(async ({ selectedRequirements }) => {
 *   const { terms } = findAgreement(answer, selectedRequirements);
 * });
 */
export function findAgreement(
  { agreement: first, other_agreements: others = [] }: OfferedAgreements,
  chosen: PaidRequirements,
): DerivedDeposit & { agreement: unknown } {
  for (const agreement of [first, ...others]) {
    const derived = deriveDeposit(agreement);
    const { chainId, depositAddress, terms } = derived;
    const fits =
      chosen.payTo === depositAddress &&
      chosen.network === `eip155:${chainId}` &&
      chosen.asset === terms.token &&
      chosen.amount === String(terms.amount);
    if (fits) return { ...derived, agreement };
  }
  throw new TypeError(
    `No agreement pays ${chosen.amount} of ${chosen.asset} on ${chosen.network} to ${chosen.payTo}.`,
  );
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, refusal: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new TypeError(`${refusal}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
