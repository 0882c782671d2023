import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import {
  createTestClient,
  getAddress,
  type Hex,
  http,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from "viem";
import { foundry } from "viem/chains";
import { escrowBytecode, testUsdBytecode } from "../../../abis/bytecode.ts";
import { escrowAbi } from "../../../abis/escrow.ts";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import type { SettlementClaim, SettlementDocument } from "../../../receipts/document.ts";
import { toolPath } from "../../../tools/build/tools.ts";
import { hash } from "./documents.ts";

/** Starts an anvil on a free port. */
async function startAnvil(): Promise<{ rpc: string; stop(): Promise<void> }> {
  const anvil = spawn(toolPath("anvil"), ["--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => anvil.once("exit", () => resolve()));
  for await (const line of createInterface(anvil.stdout)) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1];
    if (!address) continue;
    anvil.stdout.resume();
    return {
      rpc: `http://${address}`,
      stop: () => {
        anvil.kill();
        return ended;
      },
    };
  }
  throw new Error("anvil ended before it listened.");
}

function connect(rpc: string) {
  const transport = http(rpc);
  return createTestClient({ chain: foundry, mode: "anvil", transport, pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
}

/** The values of a settlement document for one claim. */
type ClaimFields = Omit<
  Extract<SettlementDocument, { version: 2 }>,
  "$schema" | "id" | "type" | "version" | "issuer" | "issued_at" | "order_id" | "chain" | "output_hash"
>;

export type Chain = Awaited<ReturnType<typeof startChain>>;

/**
 * A chain with the contracts deployed, one escrow released, one refunded, one split, and a failed
 * transaction.
 */
export async function startChain() {
  const { rpc, stop } = await startAnvil();
  const client = connect(rpc);
  const [deployer, buyer, provider, arbiter] = (await client.getAddresses()).map((address) =>
    getAddress(address),
  ) as [Hex, Hex, Hex, Hex];

  const mined = async (sent: Promise<Hex>) => client.waitForTransactionReceipt({ hash: await sent });
  const deploy = async (bytecode: Hex, abi: typeof escrowAbi | typeof testUsdAbi) => {
    const { contractAddress } = await mined(
      client.deployContract({ abi, bytecode, account: deployer, args: [] }),
    );
    if (!contractAddress) throw new Error("The contract was not deployed.");
    return getAddress(contractAddress);
  };
  const contract = await deploy(escrowBytecode, escrowAbi);
  const token = await deploy(testUsdBytecode, testUsdAbi);
  const usd = { address: token, abi: testUsdAbi } as const;
  const escrow = { address: contract, abi: escrowAbi } as const;
  await mined(
    client.writeContract({ ...usd, functionName: "mint", args: [buyer, 10_000_000n], account: buyer }),
  );
  await mined(
    client.writeContract({ ...usd, functionName: "approve", args: [contract, 10_000_000n], account: buyer }),
  );

  const { timestamp } = await client.getBlock();
  const terms = (orderHash: string) => ({
    buyer,
    provider,
    token,
    amount: 2_500_000n,
    fundBy: Number(timestamp) + 3600,
    deliveryWindow: 3600,
    acceptanceWindow: 3600,
    disputeWindow: 3600,
    appealWindow: 1,
    arbiter,
    orderHash: orderHash as Hex,
  });
  /** Returns the claim of a mined event. */
  const claimOf = (
    claim: SettlementClaim,
    agreement_hash: string,
    receipt: TransactionReceipt,
  ): ClaimFields => {
    const { amount, fundBy, deliveryWindow, acceptanceWindow, disputeWindow, appealWindow } =
      terms(agreement_hash);
    const eventName = {
      funded: "EscrowCreated",
      part_released: "PartReleased",
      released: "Released",
      refunded: "Refunded",
    } as const;
    const [log] = parseEventLogs({ abi: escrowAbi, eventName: eventName[claim], logs: receipt.logs });
    if (!log) throw new Error(`The transaction has no ${eventName[claim]}.`);
    return {
      claim,
      contract,
      escrow_id: log.args.escrowId,
      agreement_hash,
      transaction: receipt.transactionHash,
      block_number: Number(receipt.blockNumber),
      block_hash: receipt.blockHash,
      log_index: log.logIndex,
      buyer,
      provider,
      token,
      amount: String("terms" in log.args ? log.args.terms.amount : log.args.amount),
      released_so_far: "total" in log.args ? String(log.args.total) : null,
      terms: {
        amount: String(amount),
        fund_by: fundBy,
        delivery_window: deliveryWindow,
        acceptance_window: acceptanceWindow,
        dispute_window: disputeWindow,
        appeal_window: appealWindow,
        arbiter,
      },
    };
  };
  const call = { ...escrow, gas: 1_000_000n } as const;
  const fund = (orderHash: string) =>
    mined(
      client.writeContract({
        ...call,
        functionName: "createEscrow",
        args: [terms(orderHash)],
        account: buyer,
      }),
    );

  const [first, second, third] = [hash("a1"), hash("a2"), hash("a3")] as [Hex, Hex, Hex];
  const funded = claimOf("funded", first, await fund(first));
  const delivery = [terms(first), hash("55") as Hex] as const;
  await mined(
    client.writeContract({ ...call, functionName: "recordDelivery", args: delivery, account: provider }),
  );
  const release = { ...call, functionName: "release", args: [terms(first)], account: buyer } as const;
  const released = claimOf("released", first, await mined(client.writeContract(release)));
  const failed = await mined(client.writeContract(release));

  await fund(second);
  const paid = { ...call, functionName: "useVoucher", account: buyer } as const;
  const partOf = async (sum: bigint) =>
    mined(client.writeContract({ ...paid, args: [terms(second), sum, hash("55") as Hex, "0x"] }));
  await partOf(1_000_000n);
  const part = claimOf("part_released", second, await partOf(1_500_000n));

  const refund = { ...call, functionName: "refund", args: [terms(second)], account: provider } as const;
  const ended = await mined(client.writeContract(refund));
  const refunded = claimOf("refunded", second, ended);
  const paidParts = claimOf("released", second, ended);

  await fund(third);
  const reason = hash("66") as Hex;
  await mined(
    client.writeContract({ ...call, functionName: "dispute", args: [terms(third), reason], account: buyer }),
  );
  const ruling = [terms(third), 1_000_000n, reason] as const;
  await mined(
    client.writeContract({ ...call, functionName: "decideDispute", args: ruling, account: arbiter }),
  );
  await client.increaseTime({ seconds: 10 });
  const settle = { ...call, functionName: "settleDispute", args: [terms(third)], account: deployer } as const;
  const settled = await mined(client.writeContract(settle));
  const split = {
    released: claimOf("released", third, settled),
    refunded: claimOf("refunded", third, settled),
  };

  return { rpc, client, stop, funded, part, paidParts, released, refunded, split, failed };
}
