import { createPublicClient, custom, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { withCappedGas } from "../../trade/erc1271.ts";

test("the check of a wallet's signature sends its gas to the node, in each kind of call", async () => {
  const calls: { method: string; params: { gas?: string }[] }[] = [];
  const node = createPublicClient({
    transport: custom({
      request: async (request) => {
        calls.push(request);
        return request.method === "eth_call" ? `0x${"0".repeat(63)}1` : "0x01";
      },
    }),
  });
  const client = withCappedGas(node);
  await client.verifyMessage({ address: zeroAddress, message: "hello", signature: `0x${"5a".repeat(70)}` });
  await client.call({ to: zeroAddress, data: "0x" });
  const ethCalls = calls.filter(({ method }) => method === "eth_call");
  expect(ethCalls.length).toBeGreaterThanOrEqual(2);
  expect(ethCalls.map(({ params }) => params[0]?.gas)).toEqual(ethCalls.map(() => "0x1e8480"));
});

test("a wallet that halts with an error that some nodes raise themselves is called once more only", async () => {
  let requestCount = 0;
  const request = async () => {
    requestCount += 1;
    throw { code: -32_603, message: "EVM error InvalidFEOpcode" };
  };
  // The service's own clients use viem's number of retries.
  const client = withCappedGas(createPublicClient({ transport: custom({ request }) }));
  await expect(client.call({ to: zeroAddress, data: "0x" })).rejects.toThrow("InvalidFEOpcode");
  expect(requestCount).toBe(2);
});
