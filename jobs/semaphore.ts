/** Bounds how many acts of one name run at once. An act without a free place waits, in the order of asking. */
export function createPlaces() {
  const places = new Map<string, { taken: number; waiting: (() => void)[] }>();

  /** Acts in a place. @param most is asked again whenever one is left */
  return async function within<Result>(
    name: string,
    most: () => number,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const place = places.get(name) ?? { taken: 0, waiting: [] };
    places.set(name, place);
    const admit = () => {
      while (place.waiting.length > 0 && place.taken < most()) {
        place.taken += 1;
        place.waiting.shift()?.();
      }
    };
    await new Promise<void>((begin) => {
      place.waiting.push(begin);
      admit();
    });
    try {
      return await act();
    } finally {
      place.taken -= 1;
      admit();
      if (place.taken === 0 && place.waiting.length === 0) places.delete(name);
    }
  };
}
