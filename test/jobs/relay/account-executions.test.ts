import { type Address, encodeFunctionData, erc20Abi, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../../../db/transaction.ts";
import { createAndExecuteCall } from "../../../protocol/settlement/passkey.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { queueRelay, readPauseAfterRevert } from "../../../trade/relay/relay-queue.ts";
import { type RelayBench, startRelayBench } from "../../harness/jobs/relays.ts";
import { createAuthenticator, passkeyWallet } from "../../harness/passkey.ts";

// Anybody who sees a signed transfer can send it first. The owner must lose neither the transfer nor the relays.

let bench: RelayBench;
beforeAll(async () => {
  bench = await startRelayBench();
});
afterAll(() => bench?.close());

const deadline = 2n ** 40n;
const amount = 1_500_000n;
const work = () => bench.newRelayer().relay(bench.chain.chain_id);

/** A transfer out of a new passkey account, queued as the API queues it. */
async function queueTransfer() {
  const { testChain, chain, db } = bench;
  const owner = passkeyWallet(testChain, createAuthenticator());
  await testChain.fund(owner);
  const to = privateKeyToAddress(generatePrivateKey());
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] });
  const calls = [{ to: chain.token.address as Address, value: 0n, data }];
  const signCalls = (signed: typeof calls) => owner.signCalls({ calls: signed, nonce: 0n, deadline });
  const callOf = (signed: typeof calls) =>
    createAndExecuteCall(owner.factory, owner.key, { calls: signed, deadline, signature: signCalls(signed) });
  const call = callOf(calls);
  const row = await inTransaction(db, (tx) =>
    queueRelay(tx, {
      ...call,
      key: `${chain.chain_id}:${owner.address.toLowerCase()}:execute:0`,
      chainId: chain.chain_id,
      orderId: null,
      gasBound: gasBounds.accountTransfer,
      signer: owner.address,
    }),
  );
  const readRest = () => readPauseAfterRevert(db, { ...row, accountId: null });
  const readReceived = () =>
    bench.actions.reader.readContract({
      abi: erc20Abi,
      address: chain.token.address,
      functionName: "balanceOf",
      args: [to],
    });
  return { row, call, cancel: callOf([]), readRest, readReceived };
}

/** Sends a call before the transactions that wait for a block. */
const sendFirst = (call: { to: Address; data: `0x${string}` }) =>
  bench.testChain.wallet(localAccounts.deployer).sendTransaction({
    ...call,
    gas: 900_000n,
    maxFeePerGas: parseGwei("500"),
    maxPriorityFeePerGas: parseGwei("400"),
  });

/** Relays, with a call of somebody else before the relayer's transaction in its block. */
async function relayBehind(call: { to: Address; data: `0x${string}` }) {
  await bench.node.setAutomine(false);
  const relaying = work();
  try {
    await expect.poll(async () => (await bench.node.getTxpoolStatus()).pending).toBe(1);
    const hash = await sendFirst(call);
    await bench.node.mine({ blocks: 1 });
    return hash;
  } finally {
    await bench.node.setAutomine(true);
    await relaying;
  }
}

test("a transfer that a stranger sends first in the block is done, by the stranger's transaction, without blame", async () => {
  const { row, call, readRest, readReceived } = await queueTransfer();
  const transactionHash = await relayBehind(call);
  expect(await bench.read(row)).toMatchObject({ status: "mined", error: null, transactionHash });
  expect(await readRest()).toBeNull();
  expect(await readReceived()).toBe(amount);
});

test("a transfer that a stranger sends before the relayer is done, and costs the service nothing", async () => {
  const { row, call, readRest, readReceived } = await queueTransfer();
  const transactionHash = await sendFirst(call);
  const before = await bench.nonceOf();
  await work();
  expect(await bench.read(row)).toMatchObject({ status: "mined", error: null, transactionHash });
  expect(await bench.nonceOf()).toBe(before);
  expect(await readRest()).toBeNull();
  expect(await readReceived()).toBe(amount);
});

test("a transfer whose nonce the owner uses for other calls fails, and the account's relays rest", async () => {
  const { row, cancel, readRest, readReceived } = await queueTransfer();
  await relayBehind(cancel);
  expect(await bench.read(row)).toMatchObject({ status: "failed" });
  expect(await readRest()).toBeGreaterThan(3500);
  expect(await readReceived()).toBe(0n);
});
