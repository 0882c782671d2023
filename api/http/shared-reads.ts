/** Shares one read between all callers for a time. A failed read is not kept. */
export function shareReads<T>(read: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let kept: { value: Promise<T>; at: number } | undefined;
  return () => {
    if (!kept || performance.now() - kept.at > milliseconds) {
      const started = { value: read(), at: performance.now() };
      kept = started;
      started.value.catch(() => {
        if (kept === started) kept = undefined;
      });
    }
    return kept.value;
  };
}
