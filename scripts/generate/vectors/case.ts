import type { ReceiptErrorCode } from "../../../receipts/errors.ts";
import { type Addresses, addressesOf, market, now } from "./issuers.ts";

export type Kind = "settlement_document" | "x402_receipt" | "x402_offer" | "record_statement";

/** An input to check, and the expected result. */
export type Case = {
  name: string;
  kind: Kind;
  /** The exact text that the verifier gets. */
  input: string;
  /** The issuer that the caller expects. */
  issuer: string;
  /** The time of the check. */
  now: string;
  /** Further options of the caller: `status`, or expected values of signed fields. */
  options?: Record<string, string>;
  /** The pages by URL. No other URL answers. */
  addresses: Addresses;
  result:
    | { valid: true; key_id: string; status?: "good" | "unknown"; says: Record<string, unknown> }
    | { valid: false; code: ReceiptErrorCode };
};

/** Whether the revocation list covers a kind. Offers and statements expire instead. */
const isRevocable: Record<Kind, boolean> = {
  settlement_document: true,
  x402_receipt: true,
  x402_offer: false,
  record_statement: false,
};

type Around = Partial<Pick<Case, "issuer" | "now" | "options" | "addresses">>;

function around({ issuer = market, ...rest }: Around): Omit<Case, "name" | "kind" | "input" | "result"> {
  // An invalid issuer has no pages. The market's pages are there to detect requests to a wrong issuer.
  const own = /^did:web:(market\.example|hosting\.example:shop|localhost%3A3000|evil\.example)$/.test(issuer);
  return { issuer, now, addresses: addressesOf(own ? issuer : market), ...rest };
}

/** Makes the cases of one kind. */
export function casesOf(kind: Kind) {
  return {
    bad: (name: string, code: ReceiptErrorCode, input: string, rest: Around = {}): Case => ({
      name,
      kind,
      input,
      ...around(rest),
      result: { valid: false, code },
    }),
    good: (
      name: string,
      input: string,
      keyId: string,
      says: Record<string, unknown>,
      { status = "good", ...rest }: Around & { status?: "good" | "unknown" } = {},
    ): Case => ({
      name,
      kind,
      input,
      ...around(rest),
      result: { valid: true, key_id: keyId, ...(isRevocable[kind] ? { status } : {}), says },
    }),
  };
}
