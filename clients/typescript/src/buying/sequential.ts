const queue = new Map<string, Promise<unknown>>();

/**
 * Runs the work of one key sequentially, so that no purchase of this process uses up another's allowance.
 *
 * @throws the signal's reason if it aborts before the work has begun
 */
export async function runSequentially<T>(
  key: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const earlier = queue.get(key) ?? Promise.resolve();
  const done = unlessAborted(earlier, signal).then(work);
  // The next work waits for the earlier work even if this work was aborted.
  const turn = Promise.allSettled([earlier, done]);
  queue.set(key, turn);
  void turn.then(() => queue.get(key) === turn && queue.delete(key));
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
