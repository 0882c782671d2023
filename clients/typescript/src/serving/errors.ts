import { EarnestError } from "../core/errors.ts";

/** Thrown by a handler that will not do an order: the provider's wallet signs that the money goes back to the buyer. */
export class DeclinedError extends EarnestError {}
