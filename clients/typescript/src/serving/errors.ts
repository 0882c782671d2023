import { EarnestError } from "../core/errors.ts";

/** Thrown by a handler to decline an order. The provider's wallet then signs the refund. */
export class DeclinedError extends EarnestError {}
