/** How many payments of strangers are checked at once, of one address and in this process: each check asks the node. */
export type CheckBounds = { address: number; process: number };

/** The room for payments that are being checked, whoever sends them. */
export function createCheckRoom({ address, process }: CheckBounds) {
  const held = new Map<string | null, number>();
  let inAll = 0;

  return {
    /** @returns what gives the place back, or null where there is none; without a network only all together are counted */
    enter(network: string | null): (() => void) | null {
      const own = held.get(network) ?? 0;
      if (inAll >= process || (network !== null && own >= address)) return null;
      inAll++;
      held.set(network, own + 1);
      return () => {
        inAll--;
        const left = (held.get(network) ?? 1) - 1;
        if (left > 0) held.set(network, left);
        else held.delete(network);
      };
    },
  };
}
