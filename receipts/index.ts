/** The verifier's interface. Signing, key files and internal parts are not exported. */
export {
  type ChainAnswer,
  type ChainClient,
  type ChainOptions,
  confirmOnChain,
  findNode,
} from "./chain-check.ts";
export { didWebMethod, type FetchLimits } from "./did-resolution.ts";
export type { SettlementClaim, SettlementDocument, SignedSettlementDocument } from "./document.ts";
export type { CheckSignature } from "./ed25519.ts";
export { type ReceiptErrorCode, type ReceiptFailure, receiptErrors } from "./errors.ts";
export { issuerOf } from "./issuer.ts";
export {
  type KeyLog,
  type KeyLogEntry,
  type KeyLogOptions,
  type KeyState,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "./key-log.ts";
export type { RecordStatement, SignedRecordStatement } from "./record-statement.ts";
export type { SignedStatusList, StatusAnswer, StatusList, StatusOptions } from "./revocation.ts";
export type {
  VerifiedDocument,
  VerifiedOffer,
  VerifiedRecordStatement,
  VerifiedX402Receipt,
} from "./verified.ts";
export {
  type BlockReader,
  type DocumentOptions,
  type OfferOptions,
  type RecordOptions,
  type VerifyOptions,
  verifyOffer,
  verifyReceipt,
  verifyReceipts,
  verifyRecordStatement,
  verifyX402Receipt,
  type X402ReceiptOptions,
} from "./verify.ts";
export type { X402Offer, X402Receipt } from "./x402.ts";
