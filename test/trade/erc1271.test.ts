import { createPublicClient, custom, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { withCappedGas } from "../../trade/erc1271.ts";

test("the check of a wallet's signature names its gas to the node, however the wallet is asked", async () => {
  const calls: { method: string; params: { gas?: string }[] }[] = [];
  const node = createPublicClient({
    transport: custom({
      request: async (asked) => {
        calls.push(asked);
        return asked.method === "eth_call" ? `0x${"0".repeat(63)}1` : "0x01";
      },
    }),
  });
  const client = withCappedGas(node);
  await client.verifyMessage({ address: zeroAddress, message: "hello", signature: `0x${"5a".repeat(70)}` });
  await client.call({ to: zeroAddress, data: "0x" });
  const asked = calls.filter(({ method }) => method === "eth_call");
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(asked.map(({ params }) => params[0]?.gas)).toEqual(asked.map(() => "0x1e8480"));
});

test("a wallet that halts with what some nodes call their own error is asked once more, and not for a second", async () => {
  let asked = 0;
  const request = async () => {
    asked += 1;
    throw { code: -32_603, message: "EVM error InvalidFEOpcode" };
  };
  // As the service's own clients are made: by viem's own count of tries.
  const client = withCappedGas(createPublicClient({ transport: custom({ request }) }));
  await expect(client.call({ to: zeroAddress, data: "0x" })).rejects.toThrow("InvalidFEOpcode");
  expect(asked).toBe(2);
});
