const limitMinutes = 3;

/** Makes a signal that aborts after three minutes. `message` begins its error, as in "The order was not released". */
export function timeLimit(message: string): AbortSignal {
  const controller = new AbortController();
  const error = new Error(`${message} within ${limitMinutes} minutes.`);
  // The timer does not keep the process alive.
  setTimeout(() => controller.abort(error), limitMinutes * 60_000).unref();
  return controller.signal;
}
