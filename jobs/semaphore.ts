/** Limits how many actions of one name run at once. The others wait in the order of their calls. */
export function createSemaphore() {
  const slotsByName = new Map<string, { taken: number; waiting: (() => void)[] }>();

  /** Runs an action in a slot. @param most is read again whenever a slot becomes free */
  return async function within<Result>(
    name: string,
    most: () => number,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const slots = slotsByName.get(name) ?? { taken: 0, waiting: [] };
    slotsByName.set(name, slots);
    const admit = () => {
      while (slots.waiting.length > 0 && slots.taken < most()) {
        slots.taken += 1;
        slots.waiting.shift()?.();
      }
    };
    await new Promise<void>((begin) => {
      slots.waiting.push(begin);
      admit();
    });
    try {
      return await act();
    } finally {
      slots.taken -= 1;
      admit();
      if (slots.taken === 0 && slots.waiting.length === 0) slotsByName.delete(name);
    }
  };
}
