import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasAuthorizations } from "../../protocol/settlement/authorizations.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { fresh } from "../harness/organisation.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await forkChain();
});
afterAll(() => chain?.close());

/** Asks a token with this code. */
async function ask(bytecode: Hex): Promise<boolean> {
  const { address } = fresh();
  await chain.node.setCode({ address, bytecode });
  return hasAuthorizations(chain.publicClient, address);
}

test("the local token has signed authorizations, an account without code has none", async () => {
  expect(await hasAuthorizations(chain.publicClient, chain.chain.token.address)).toBe(true);
  expect(await hasAuthorizations(chain.publicClient, fresh().address)).toBe(false);
});

test("a token that burns its gas has none, and the node spends at most a million on the question", async () => {
  expect(await ask("0x5b5f56")).toBe(false);
  // Answers only if it has less than 1,000,000 gas.
  expect(await ask("0x5a63000f42401160051b5ff3")).toBe(true);
});
