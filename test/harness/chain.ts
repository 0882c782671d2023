import { connectChain, type TestChain } from "./fixtures/chain-clients.ts";
import { getFixture } from "./fixtures/fixture.ts";
import { type ForkOptions, startFork } from "./fixtures/fork.ts";

export type { TestChain };

/**
 * A test's own chain: an anvil forked from the base chain or another network. It has the escrow contract and
 * that network's token, and mines each transaction at once.
 */
export async function forkChain(options: ForkOptions = {}): Promise<TestChain> {
  const { stop, ...place } = await startFork(await getFixture("baseChain"), options);
  return connectChain(place, stop);
}
