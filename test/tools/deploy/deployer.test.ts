import {
  type Address,
  createWalletClient,
  getContractAddress,
  http,
  isAddressEqual,
  parseEther,
  parseGwei,
  recoverTransactionAddress,
  type TransactionSerializedLegacy,
} from "viem";
import { expect, onTestFinished, test } from "vitest";
import { anchorsBytecode, escrowBytecode } from "../../../abis/bytecode.ts";
import { addressOf, deploymentCall } from "../../../tools/deploy/create2.ts";
import { create2Deployer, deployerCode, presigned } from "../../../tools/deploy/deployer.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { startTarget } from "../../harness/deploy.ts";

async function startChain(...args: string[]) {
  const chain = await startTarget(31_337, ...args);
  onTestFinished(() => chain.close());
  return chain;
}
const bare = (...args: string[]) => startChain("--disable-default-create2-deployer", ...args);
const local = ["--chain", "local"];

test("the presigned transaction is its account's first, and makes the deployer's address", async () => {
  const { from } = presigned;
  const transaction = presigned.transaction as TransactionSerializedLegacy;
  expect(await recoverTransactionAddress({ serializedTransaction: transaction })).toBe(from);
  expect(getContractAddress({ from, nonce: 0n })).toBe(create2Deployer);
});

test("a chain without the CREATE2 deployer gets it, at the cost that the dry run shows", async () => {
  const chain = await bare();
  const dry = await chain.deploy([...local, "--dry-run"]);
  expect(dry.code, dry.output).toBe(0);
  expect(dry.output).toContain("the deployer would be placed first");
  expect(dry.output).toMatch(/gas +\d{7,8}, at/);
  expect(await chain.isUntouched()).toBe(true);

  const { code, output } = await chain.deploy(local);
  expect(code, output).toBe(0);
  expect(output).toContain(`placed the CREATE2 deployer at ${create2Deployer}`);
  expect(await chain.reader.getCode({ address: create2Deployer })).toBe(deployerCode);
  expect(chain.readManifest().escrow_contract).toBe(addressOf(escrowBytecode));
});

test("coins that somebody sent to the presigned account already are not sent again", async () => {
  const chain = await bare();
  await chain.node.setBalance({ address: presigned.from, value: parseEther("0.01") });
  const { code, output } = await chain.deploy(local);
  expect(code, output).toBe(0);
  expect(output).not.toContain("presigned transaction");
  expect(await chain.reader.getCode({ address: create2Deployer })).toBe(deployerCode);
});

test("an obstacle to the deployer is named, and nothing is sent", async () => {
  const chain = await bare();
  const refuse = async (sentence: string) => {
    const { code, output } = await chain.deploy(local);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await chain.isUntouched()).toBe(true);
  };
  await chain.node.setCode({ address: create2Deployer, bytecode: "0x00" });
  await refuse("has other code at");
  await chain.node.setCode({ address: create2Deployer, bytecode: "0x" });
  await chain.node.setNonce({ address: presigned.from, nonce: 1 });
  await refuse("its presigned transaction has failed there");
  await chain.node.setNonce({ address: presigned.from, nonce: 0 });
  const dear = await bare("--base-fee", String(parseGwei("150")));
  const { code, output } = await dear.deploy(local);
  expect([code, output]).toEqual([1, expect.stringContaining("pays 100 gwei for gas")]);
});

test("a chain whose EVM is older than Cancun is refused, and nothing is sent", async () => {
  const old = await startChain("--hardfork", "shanghai");
  const { code, output } = await old.deploy(local);
  expect([code, output]).toEqual([1, expect.stringContaining("need the EVM's rules of Cancun")]);
  expect(await old.isUntouched()).toBe(true);
});

test.each(["cancun", "prague", "osaka"])("deploys under the rules of %s", async (hardfork) => {
  const chain = await startChain("--hardfork", hardfork);
  const { code, output } = await chain.deploy(local);
  expect(code, output).toBe(0);
});

test("a half-done deployment goes on, and a third run sends nothing", async () => {
  const chain = await startChain();
  const writer = createWalletClient({ account: localAccounts.buyer, transport: http(chain.rpcUrl) });
  for (const bytecode of [escrowBytecode, anchorsBytecode]) {
    const hash = await writer.sendTransaction({ ...deploymentCall(bytecode), chain: null });
    await chain.reader.waitForTransactionReceipt({ hash });
  }
  const { code, output } = await chain.deploy(local);
  expect(code, output).toBe(0);
  expect(output).not.toMatch(/sent 0x\w+: (escrow|anchors)/);
  expect(output).toMatch(/sent 0x\w+: passkey accounts/);
  expect(chain.readManifest()).toMatchObject({ deployment_block: 1, anchors: { deployment_block: 2 } });
  const head = await chain.reader.getBlockNumber();
  expect((await chain.deploy(local)).code).toBe(0);
  expect(await chain.reader.getBlockNumber()).toBe(head);
});

test("a deployment that somebody front-runs takes the same contracts", async () => {
  const chain = await startChain("--block-time", "1");
  const client = createWalletClient({ account: localAccounts.buyer, transport: http(chain.rpcUrl) });
  // The front-runner sees each call in the mempool, and pays more for the same one.
  const copied = new Set<string>();
  const fees = { maxFeePerGas: parseGwei("900"), maxPriorityFeePerGas: parseGwei("800") };
  let isOver = false;
  async function frontRun(): Promise<void> {
    while (!isOver) {
      const { pending } = await chain.node.getTxpoolContent();
      const own = Object.keys(pending).find((from) =>
        isAddressEqual(from as Address, localAccounts.deployer.address),
      );
      for (const { to, input, hash } of Object.values(own ? (pending[own as Address] ?? {}) : {})) {
        if (copied.has(hash) || !to) continue;
        await client.sendTransaction({
          to,
          data: input,
          ...fees,
          nonce: copied.size,
          gas: 9_000_000n,
          chain: null,
        });
        copied.add(hash);
      }
    }
  }
  const running = frontRun();
  const { code, output } = await chain.deploy(local);
  expect(code, output).toBe(0);
  isOver = true;
  await running;
  expect(copied.size).toBeGreaterThan(0);
  const manifest = chain.readManifest();
  expect(manifest.escrow_contract).toBe(addressOf(escrowBytecode));
  const { from } = await chain.reader.getTransaction({ hash: manifest.deployment_transaction });
  expect(from.toLowerCase()).toBe(localAccounts.buyer.address.toLowerCase());
});
