import { createWalletClient, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forkChain, type TestChain } from "../../../test/harness/chain.ts";
import { Signer } from "../src/buying/wallet.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await forkChain();
});
afterAll(() => chain?.close());

/** Code that takes one call: `if (sload(0) != 0) revert(0, 0); sstore(0, 1)`, and the code that makes a contract of it. */
const takesOne = "60005415600b57600080fd5b600160005500";
const creation: Hex = `0x6012${"80600b6000396000f3"}${takesOne}`;

test("a call that one waiting to be mined makes impossible fails when that is mined, and not before", async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.fund(account);
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
  const signer = new Signer(wallet);
  const deployed = await wallet.sendTransaction({ data: creation, chain: null });
  const made = await signer.node?.waitForTransactionReceipt({ hash: deployed });
  const to = made?.contractAddress as Hex;
  expect(await signer.node?.getCode({ address: to })).toBe(`0x${takesOne}`);

  await chain.node.setAutomine(false);
  const first = await wallet.sendTransaction({ to, chain: null });
  let isMined = false;
  const second = signer.send({ function: "take", to, data: "0x", value: "0", args: {} }).then(
    () => "sent",
    () => (isMined ? "failed once the first was mined" : "failed before"),
  );
  // It polls during the wait.
  await new Promise((resolve) => setTimeout(resolve, 700));
  isMined = true;
  await chain.node.mine({ blocks: 1 });
  expect(await second).toBe("failed once the first was mined");
  expect(await signer.node?.getTransactionReceipt({ hash: first })).toMatchObject({ status: "success" });
});
