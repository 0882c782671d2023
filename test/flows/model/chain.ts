import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  type Log,
  maxUint256,
  numberToHex,
  parseEther,
  zeroHash,
} from "viem";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import type { TestChain } from "../../harness/chain.ts";
import { hashOf } from "./case.ts";
import { amount } from "./plan.ts";
import type { ChainAct } from "./rules.ts";

export type ModelChain = Awaited<ReturnType<typeof openChain>>;
export type Mined = {
  block: { number: bigint; hash: Hex; timestamp: bigint };
  /** In the order of the block. */
  outcomes: { hash: Hex; succeeded: boolean }[];
  logs: Log<bigint, number, false>[];
};

/** A chain whose clock and blocks the test controls: sent transactions are mined together on command. */
export async function openChain(testChain: TestChain, accounts: Address[]) {
  const { chain, node, rpcUrl } = testChain;
  const { escrow_contract: escrowContract, token } = chain;
  const client = createPublicClient({
    transport: http(rpcUrl, { batch: { batchSize: 200, wait: 1 } }),
    cacheTime: 0,
  });
  let nonces = new Map<Address, number>();

  await node.setAutomine(false);
  await node.setBlockGasLimit({ gasLimit: 2_000_000_000n });
  // Signing this many transactions would take most of the time.
  await node.request({ method: "anvil_autoImpersonateAccount", params: [true] } as never);
  for (const address of accounts) {
    await node.setBalance({ address, value: parseEther("1000000") });
    const tokens = numberToHex(10n ** 18n);
    await node.request({ method: "anvil_dealERC20", params: [address, token.address, tokens] } as never);
    const args = [escrowContract, maxUint256] as const;
    await send(address, {
      to: token.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
    });
  }
  // The chain's clock stays ahead of the machine's: the API takes the newest block's time for now.
  const opened = Math.floor(Date.now() / 1000) + 30 * 86_400;
  await mine(opened);

  return {
    client,
    /** Unix seconds of the first block. */
    opened,
    send,
    mine,

    /** Takes a snapshot of the chain. */
    async keep() {
      const { number, timestamp } = await client.getBlock();
      return { block: { number, timestamp }, nonces: new Map(nonces), id: await node.snapshot() };
    },
    /** Reverts to the snapshot. */
    async rewind(snapshot: { id: Hex; nonces: Map<Address, number> }): Promise<void> {
      await node.revert({ id: snapshot.id });
      nonces = snapshot.nonces;
    },

    /** Returns the transaction of an act. */
    callOf(row: OrderRow, act: ChainAct): { to: Address; data: Hex } {
      if (act.kind === "deposit") {
        const args = [row.depositAddress, amount] as const;
        const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
        return { to: token.address, data };
      }
      const [functionName, ...more] = argumentsOf(act, token.address);
      const args = [termsOf(row), ...more];
      const data = encodeFunctionData({ abi: escrowAbi, functionName, args } as never);
      return { to: escrowContract, data };
    },
  };

  async function send(from: Address, { to, data }: { to: Address; data: Hex }): Promise<Hex> {
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    const fees = { maxFeePerGas: numberToHex(10n ** 12n), maxPriorityFeePerGas: "0x0" };
    const transaction = { from, to, data, nonce: numberToHex(nonce), gas: numberToHex(1_000_000), ...fees };
    return client.request({ method: "eth_sendTransaction", params: [transaction] } as never);
  }

  /** Mines the sent transactions into a block of exactly this time. */
  async function mine(timestamp: number): Promise<Mined> {
    await node.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
    await node.mine({ blocks: 1 });
    const block = await client.getBlock();
    const [receipts, logs] = await Promise.all([
      client.request({ method: "eth_getBlockReceipts", params: [numberToHex(block.number)] } as never),
      client.getLogs({ address: escrowContract, blockHash: block.hash }),
    ]);
    const outcomes = (receipts as { transactionHash: Hex; status: Hex }[]).map(
      ({ transactionHash: hash, status }) => ({ hash, succeeded: status === "0x1" }),
    );
    return { block, outcomes, logs: logs as Mined["logs"] };
  }
}

function argumentsOf(act: Exclude<ChainAct, { kind: "deposit" }>, token: Address): unknown[] {
  switch (act.kind) {
    case "fund":
      return ["createEscrow"];
    case "fundFromDeposit":
      return ["createEscrowFromDeposit"];
    case "returnDeposit":
      return ["returnDeposit", token];
    case "record":
      return ["recordDelivery", hashOf(act.output)];
    case "dispute":
      return ["dispute", zeroHash];
    case "decide":
      return ["decideDispute", act.share, zeroHash];
    case "settle":
      return ["settleDispute"];
    default:
      return [act.kind];
  }
}
