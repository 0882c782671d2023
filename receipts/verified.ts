import type { SettlementClaim, SignedSettlementDocument } from "./document.ts";
import type { SignedRecordStatement } from "./record-statement.ts";
import type { StatusAnswer } from "./revocation.ts";
import type { X402Offer, X402Receipt } from "./x402.ts";

export interface Signed {
  valid: true;
  issuer: string;
  /** The DID URL of the key that signed. */
  keyId: string;
}

/** A good signature: the issuer said this. Whether money moved is the chain's to say (`confirmOnChain`). */
export type VerifiedDocument = Signed &
  StatusAnswer & {
    kind: "settlement_document";
    claim: SettlementClaim;
    document: SignedSettlementDocument;
    /**
     * The time since when others may have had the signing key, RFC 3339; null unless that is known. If it is set, only
     * the chain confirms the document. Fields that are not in the event (order id, agreement of a release, output) may
     * be a thief's.
     */
    compromisedSince: string | null;
  };
export type VerifiedX402Receipt = Signed & StatusAnswer & { kind: "x402_receipt"; receipt: X402Receipt };
export interface VerifiedOffer extends Signed {
  kind: "x402_offer";
  offer: X402Offer;
}
/**
 * A good signature: the issuer said this of the agent, and still says so. Whether the numbers follow from what was settled,
 * `npm run reputation` recomputes.
 */
export interface VerifiedRecordStatement extends Signed {
  kind: "record_statement";
  statement: SignedRecordStatement;
}
