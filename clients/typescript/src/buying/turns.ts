const turns = new Map<string, Promise<unknown>>();

/** Runs pieces of work under one key one after another: no purchase of this process spends what another one allowed. */
export async function inTurn<T>(of: string, work: () => Promise<T>): Promise<T> {
  const earlier = turns.get(of) ?? Promise.resolve();
  const turn = earlier.then(work, work);
  turns.set(of, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(of) === turn) turns.delete(of);
  }
}
