import type { SessionErrorCode } from "../../../../protocol/sessions/index.ts";
import { EarnestError } from "../core/errors.ts";

/** The provider refused a call. It is not paid for: the next call uses the same amount. */
export class CallRefusedError extends EarnestError {
  readonly orderId: string;
  readonly code: SessionErrorCode | "unknown";
  readonly status: number;

  constructor(orderId: string, code: SessionErrorCode | "unknown", status: number, message: string) {
    super(`${orderId}: ${message}`);
    this.orderId = orderId;
    this.code = code;
    this.status = status;
  }
}

/** No answer came in time. The next call asks for this call's answer first, so nothing is paid twice. */
export class CallUnansweredError extends EarnestError {
  readonly orderId: string;

  constructor(orderId: string, reason: string, options?: ErrorOptions) {
    super(`${orderId}: the call has no answer yet: ${reason}. The next call asks for it first.`, options);
    this.orderId = orderId;
  }
}

/** The provider broke the rules of a session. No more calls are signed. At most one call is lost. */
export class UntrustedSessionError extends EarnestError {
  readonly orderId: string;

  constructor(orderId: string, reason: string) {
    super(`${orderId}: ${reason} No more calls are signed. Close the session.`);
    this.orderId = orderId;
  }
}

/** The balance pays no more calls, and no further session may be opened. */
export class BalanceUsedError extends EarnestError {
  readonly orderId: string;

  constructor(orderId: string) {
    super(`${orderId}: the balance pays no more calls. Open a further session, or pass topUps.`);
    this.orderId = orderId;
  }
}
