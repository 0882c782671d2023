/** Milliseconds without progress after which Ponder counts as stalled: once it has caught up, and before. */
export const usualStallMs = { following: 12_000, catchingUp: 45_000 };

/** The progress of a chain's index. */
export type ChainProgress = {
  /** a text that changes with each progress */
  position: string;
  /** whether the index has all blocks of the chain; null if the database or the node does not answer */
  isAtHead: boolean | null;
};

/** A sample of an indexer's progress. */
export type ProgressSample = {
  /** whether Ponder's server answers */
  answers: boolean;
  /** whether the indexer has caught up once */
  isReady: boolean;
  /** each chain by its id */
  chains: ReadonlyMap<number, ChainProgress>;
};

/**
 * Detects a stalled indexer from repeated samples. Each chain is judged alone, so a dead node hides no stalled chain. A
 * chain that waits for the database or its node is not stalled: it continues by itself.
 *
 * @returns a function that takes a sample and returns whether the indexer must be restarted
 */
export function createStallDetector(
  { following, catchingUp } = usualStallMs,
  now = () => performance.now(),
): (sample: ProgressSample) => boolean {
  const started = now();
  const known = new Map<number, { position: string; at: number }>();
  // Until Ponder's server answers, `isReady` is about the previous run.
  let hasCaughtUp = false;
  return ({ answers, isReady, chains }) => {
    for (const [id, { position, isAtHead }] of chains) {
      const last = known.get(id);
      const progresses = answers && (isAtHead !== false || position !== last?.position);
      known.set(id, { position, at: progresses ? now() : (last?.at ?? started) });
    }
    if (answers && isReady) hasCaughtUp = true;
    const stallMs = hasCaughtUp ? following : catchingUp;
    return [...known.values()].some(({ at }) => now() - at > stallMs);
  };
}
