const patienceMinutes = 3;

/** A signal that ends the waiting for an order after three minutes, with what it says. */
export function within(what: string): AbortSignal {
  const controller = new AbortController();
  const error = new Error(`The order was not ${what} within ${patienceMinutes} minutes.`);
  // Ends no program's life later, and keeps none alive.
  setTimeout(() => controller.abort(error), patienceMinutes * 60_000).unref();
  return controller.signal;
}
