const turns = new Map<string, Promise<unknown>>();

/**
 * Runs pieces of work under one key one after another: no purchase of this process spends what another one allowed.
 *
 * @throws the signal's reason as soon as it aborts before the work has begun
 */
export async function runSequentially<T>(
  of: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const earlier = turns.get(of) ?? Promise.resolve();
  const done = unlessAborted(earlier, signal).then(work);
  // The next one waits for the earlier ones even if this one left.
  const turn = Promise.allSettled([earlier, done]);
  turns.set(of, turn);
  void turn.then(() => turns.get(of) === turn && turns.delete(of));
  return await done;
}

function unlessAborted(wait: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    void wait.then(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
  });
}
