/**
 * Sessions: many small calls of one provider for one payment, at both ends. For Node, because their state is in files.
 *
 * A buyer opens a session and calls; a provider serves calls.
 */

export { type SessionErrorCode, sessionErrorCodes } from "../../../protocol/sessions/index.ts";
export type { Session } from "./sessions/buyer-session.ts";
export type { CallContext, CallHandler, CallLimits } from "./sessions/call-server.ts";
export type { CallAnswer } from "./sessions/caller.ts";
export {
  BalanceUsedError,
  CallRefusedError,
  CallUnansweredError,
  UntrustedSessionError,
} from "./sessions/errors.ts";
export { FileInUseError } from "./sessions/file-lock.ts";
export { SessionFileError } from "./sessions/keyed-file.ts";
export { keyAccount } from "./sessions/native-keys.ts";
export { openSession, type SessionOptions } from "./sessions/open-session.ts";
export { type ServeCallsOptions, type ServedCalls, serveCalls } from "./sessions/serve-calls.ts";
export { sessionKeyOf } from "./sessions/session-key.ts";
