import { documentFormCases } from "./document-forms.ts";
import { documentCases } from "./documents.ts";
import { makePages } from "./issuers.ts";
import { recordCases } from "./records.ts";
import { revokedReceipt, x402Cases } from "./x402.ts";
import { x402FormCases } from "./x402-forms.ts";

/** Makes receipts/vectors.json. Each run gives the same file: keys and times are fixed, and Ed25519 is deterministic. */
export function makeVectors(): object {
  return {
    about: [
      "Receipts, offers and statements of agents' records, most of them bad, for verifiers in any language. See docs/receipts.md for what each code means.",
      "A case gives a verifier its `input` (the very text), the `issuer` that the caller expects, the time `now`, and `options`.",
      'An input that begins with {"format": is x402\'s envelope: parse it before you give it to a verifier that takes objects.',
      "`addresses` says which of the `pages` answers at which address; nothing answers at any other. Redirects are not followed.",
      "The result is either valid, with the key's DID URL, whether the issuer stands by it, and what it `says`; or a code.",
    ],
    version: 1,
    pages: makePages(revokedReceipt),
    cases: [...documentCases, ...documentFormCases, ...x402Cases, ...x402FormCases, ...recordCases],
  };
}
