const turns = new Map<string, Promise<unknown>>();

/** Does the work once all earlier work of the same is done: what one purchase allows, no other of this process may spend. */
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
