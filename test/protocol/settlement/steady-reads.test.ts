import { createPublicClient, custom } from "viem";
import { expect, test } from "vitest";
import { withSteadyAnswers } from "../../../protocol/settlement/steady-reads.ts";

/** A node that answers the first requests with errors. */
function nodeThat(...errors: { code: number; message: string }[]) {
  const methods: string[] = [];
  const request = async ({ method }: { method: string }) => {
    methods.push(method);
    const error = errors.shift();
    if (error) throw error;
    return "0x7";
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  return { client, methods };
}
const replaced = { code: -32_000, message: "header not found" };

test("a node whose latest block was replaced is asked again, for every method and caller's action", async () => {
  const { client, methods } = nodeThat(replaced, replaced, replaced);
  const own = client.extend((base) => ({
    myHeight: async () => (await base.getBlockNumber({ cacheTime: 0 })) * 2n,
    getChainId: async () => 5,
    myName: () => "mine",
  }));
  const steady = withSteadyAnswers(own);
  expect(await steady.myHeight()).toBe(14n);
  expect(methods).toHaveLength(4);
  expect(await steady.getChainId()).toBe(5);
  // An immediate answer is returned at once, and the caller's own client is unchanged.
  expect([steady.myName(), steady.extend(() => ({ more: 1 })).more, steady.uid]).toEqual([
    "mine",
    1,
    own.uid,
  ]);
  expect(methods).toHaveLength(4);
  const { client: other } = nodeThat(replaced);
  withSteadyAnswers(other);
  await expect(other.getChainId()).rejects.toThrow("header not found");
});

test("another error is thrown at once, and a lasting one after six attempts", async () => {
  const refused = nodeThat({ code: -32_005, message: "limit exceeded" });
  await expect(withSteadyAnswers(refused.client).getGasPrice()).rejects.toThrow("limit exceeded");
  expect(refused.methods).toEqual(["eth_gasPrice"]);
  const stuck = nodeThat(...Array.from({ length: 9 }, () => replaced));
  await expect(withSteadyAnswers(stuck.client).getGasPrice()).rejects.toThrow("header not found");
  expect(stuck.methods).toHaveLength(6);
});
