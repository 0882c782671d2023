/** Lets what comes while an act is under way wait for its end, and acts on all of that at once. */
export function createTogether<Item>(act: (items: Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: Item[] = [];
  let next: Promise<void> | null = null;
  let last = Promise.resolve();
  return (item) => {
    waiting.push(item);
    next ??= last
      .catch(() => {})
      .then(() => {
        const items = waiting;
        waiting = [];
        next = null;
        return act(items);
      });
    last = next;
    return next;
  };
}
