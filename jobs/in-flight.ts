/** Tracks tasks that run concurrently in this process. A failing task ends no other. */
export function createInFlight<Item>(
  act: (item: Item) => Promise<void>,
  { failed, settled = () => {} }: { failed(error: unknown, item: Item): void; settled?(item: Item): void },
) {
  const tasks = new Map<Promise<void>, Item>();
  return {
    begin(item: Item): void {
      const task = act(item)
        .catch((error: unknown) => failed(error, item))
        .finally(() => {
          tasks.delete(task);
          settled(item);
        });
      tasks.set(task, item);
    },
    items: (): Item[] => [...tasks.values()],
    /** Returns when all tasks have ended. */
    async ended(): Promise<void> {
      await Promise.all(tasks.keys());
    },
  };
}
