/** The rules of sessions: what a buyer and a provider sign for each call. They make no requests and run without Node. */
export {
  type CallVoucher,
  type CloseRequest,
  closeHeader,
  type NamedAnswer,
  type NamedCall,
  readCloseRequest,
  readVoucher,
  sessionHeader,
  statementHeader,
  statementOf,
  voucherHeader,
  workHashOf,
  writeCloseRequest,
  writeVoucher,
} from "./call.ts";
export {
  type SessionErrorCode,
  sessionErrorCodes,
  sessionErrorStatus,
  temporaryErrors,
} from "./errors.ts";
export { KeySignatures, voucherDigests } from "./voucher.ts";
