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

/** What of an agreement becomes the escrow's terms; all of it becomes their `orderHash`. */
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

/** Terms as the API shows them: a number of the contract beyond 2^53 is text. */
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

/** Where terms send an order's money. */
export type Deposit = {
  escrowId: Hex;
  /** what the addresses of all deposits of this escrow contract are clones of */
  implementation: Address;
  depositAddress: Address;
};

/** Where an agreement sends its order's money, with each value on the way there. */
export type DerivedDeposit = Deposit & { chainId: number; escrowContract: Address; terms: Terms };

/**
 * Reads the terms of an order as the API shows them: in payment instructions, and in each call's `args.terms`.
 *
 * @throws TypeError naming what in it is not as terms have it
 */
export function readTerms(shown: unknown): Terms {
  return parse(shownTerms, shown, "These are no terms of an order");
}

/**
 * Recomputes where terms send an order's money: from them to the escrow's id, from that to the address (CREATE2, EIP-1014,
 * of a minimal clone, EIP-1167).
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
 * Recomputes an order's deposit address, asking nobody: from its agreement to the escrow's terms, from these to the
 * address. Money at that address can only go into the escrow of exactly these terms, or back to their buyer, if the
 * contract at `escrowContract` is the escrow; that, the chain has to say.
 *
 * @param agreement the JSON document of `GET /orders/{id}/agreement`, all of it
 * @throws TypeError naming what in it is not as an agreement has it
 * @example
 * const { depositAddress } = deriveDeposit(agreement);
 * if (depositAddress !== accepts[0].payTo) throw new Error("This would pay something else.");
 */
export function deriveDeposit(agreement: unknown): DerivedDeposit {
  const fields = parse(bindingFields, agreement, "This is no agreement");
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

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, refusal: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new TypeError(`${refusal}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
