/** The rules of sessions: what a buyer and a provider sign for each call. They make no requests and run without Node. */
export {
  type NamedAnswer,
  type NamedCall,
  type CallVoucher,
  type CloseRequest,
  closeHeader,
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
  temporaryErrors,
  type SessionErrorCode,
  sessionErrorCodes,
  sessionErrorStatus,
} from "./errors.ts";
export { KeySignatures, voucherDigests } from "./voucher.ts";
