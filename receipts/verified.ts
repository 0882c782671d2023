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

/** A valid signature: the issuer states this. Only the chain shows that money moved (`confirmOnChain`). */
export type VerifiedDocument = Signed &
  StatusAnswer & {
    kind: "settlement_document";
    claim: SettlementClaim;
    document: SignedSettlementDocument;
    /**
     * The time since which others may have the signing key, RFC 3339; null if unknown. If it is set, only the chain
     * confirms the document. A thief may have written the fields that the event lacks (order id, agreement of a
     * release, output).
     */
    compromisedSince: string | null;
  };
export type VerifiedX402Receipt = Signed & StatusAnswer & { kind: "x402_receipt"; receipt: X402Receipt };
export interface VerifiedOffer extends Signed {
  kind: "x402_offer";
  offer: X402Offer;
}
/**
 * A valid signature: the issuer states this record of the agent. `npm run reputation` recomputes the numbers from the
 * settled orders.
 */
export interface VerifiedRecordStatement extends Signed {
  kind: "record_statement";
  statement: SignedRecordStatement;
}
