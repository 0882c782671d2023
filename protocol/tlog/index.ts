/** The public interface of a log's verifier. Signing is not exported. */
export { hashJws } from "../../receipts/jws-hash.ts";
export { type Anchor, anchoredTopic, type ChainLog, readAnchor, verifyAnchor } from "./anchor.ts";
export { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
export {
  decodeEntry,
  encodeEntry,
  hashDocument,
  type KeyEntry,
  keyEntry,
  type LogEntry,
  type ReceiptEntry,
  type RevocationEntry,
  receiptEntry,
  revocationEntry,
} from "./entry.ts";
export { type LogErrorCode, type LogFailure, LogRejection, logErrors } from "./errors.ts";
export { type FetchBytes, type FetchOptions, fetchFrom } from "./fetch.ts";
export {
  type LoggedReceipt,
  partsInLog,
  type VerifiedEntry,
  verifyReceiptProof,
  verifyRevocationProof,
} from "./logged-receipt.ts";
export { type LogLookup, type LookupFailure, type LookupOptions, lookUpReceipt } from "./lookup.ts";
export {
  checkMemory,
  type LogMemory,
  type MemoryFailure,
  type MemoryOptions,
  type RememberedCheckpoint,
} from "./memory.ts";
export { type Hash, hashLeaf, rootOf, verifyConsistency, verifyInclusion } from "./merkle.ts";
export { type CheckSync, formatVerifierKey, type NoteKey, parseNote, parseVerifierKey } from "./note.ts";
export { isQuorum, type Policy, parsePolicy } from "./policy.ts";
export { type LogProof, parseProof, type VerifiedProof, verifyProof } from "./proof.ts";
export { LogReader } from "./reader.ts";
export { decodeEntries, entriesPath, type Tile, tilePath, widthOf } from "./tiles.ts";
export { type Cosignature, type Trust, type VerifiedCheckpoint, verifyCheckpoint } from "./verify.ts";
