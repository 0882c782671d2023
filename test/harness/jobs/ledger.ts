import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import {
  type Account,
  type Address,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  maxUint256,
  type TransactionReceipt,
} from "viem";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { Chain } from "../../../config/config.ts";
import type { Database } from "../../../db/client.ts";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { account as accountTable, agent, order, service } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { depositAddressOf, digestOf, escrowIdOf, termsOf } from "../../../protocol/settlement/terms.ts";
import { localAccount, localAccounts } from "../../../tools/stack/anvil.ts";
import type { TestChain } from "../chain.ts";

/** Accounts 0 to 4 have roles of their own. */
export const buyer = localAccount(6);
export const provider = localAccount(7);

/** The calls that a test makes on the chain directly. */
export function chainActions({ chain, node, publicClient: reader, fund, rpcUrl }: TestChain) {
  const writer = createWalletClient({ transport: http(rpcUrl) });

  async function confirm(hash: Hex): Promise<TransactionReceipt> {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`The test's own transaction ${hash} reverted.`);
    return receipt;
  }

  return {
    reader,
    writer,
    node,
    confirm,
    /** Gives an account tokens, and lets the escrow contract spend them. */
    async allow(account: Account) {
      await fund(account);
      await confirm(
        await writer.writeContract({
          abi: erc20Abi,
          address: chain.token.address,
          functionName: "approve",
          args: [chain.escrow_contract, maxUint256],
          account,
          chain: null,
        }),
      );
    },
    /** Sends a call of the escrow contract without waiting for it. */
    send(row: OrderRow, account: Account, call: "createEscrow" | "release" | "refund" | "settleDispute") {
      return writer.writeContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: call,
        args: [termsOf(row)],
        account,
        chain: null,
        gas: 400_000n,
      });
    },
    recordDelivery(row: OrderRow, outputHash: Hex) {
      return writer.writeContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: "recordDelivery",
        args: [termsOf(row), outputHash],
        account: provider,
        chain: null,
        gas: 200_000n,
      });
    },
    dispute(row: OrderRow, account: Account, reasonHash: Hex) {
      return writer.writeContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: "dispute",
        args: [termsOf(row), reasonHash],
        account,
        chain: null,
        gas: 200_000n,
      });
    },
    decideDispute(row: OrderRow, account: Account, providerAmount: bigint, rulingHash: Hex) {
      return writer.writeContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: "decideDispute",
        args: [termsOf(row), providerAmount, rulingHash],
        account,
        chain: null,
        gas: 200_000n,
      });
    },
    /** The arguments and the typed data of a relayed delivery record, signed by the provider. */
    async signDelivery(row: OrderRow, outputHash: Hex, number = 1) {
      const deadline = (await reader.getBlock()).timestamp + 86_400n;
      const signature = await provider.signTypedData({
        domain: {
          name: "Earnest Escrow",
          version: "1",
          chainId: chain.chain_id,
          verifyingContract: chain.escrow_contract,
        },
        types: {
          RecordDelivery: [
            { name: "escrowId", type: "bytes32" },
            { name: "outputHash", type: "bytes32" },
            { name: "number", type: "uint32" },
            { name: "deadline", type: "uint256" },
          ],
        },
        primaryType: "RecordDelivery",
        message: { escrowId: row.escrowId, outputHash, number, deadline },
      });
      return [termsOf(row), outputHash, deadline, signature] as const;
    },
  };
}

export type ChainActions = ReturnType<typeof chainActions>;

export function randomHash(): Hex {
  return `0x${randomBytes(32).toString("hex")}`;
}

/** Places an order as the API would: parties, agent and service of its own, and its first fact. */
export async function placeOrder(
  db: Database,
  chain: Chain,
  fields: {
    amount?: bigint;
    arbiter?: Address;
    buyerAddress?: Address;
    providerAddress?: Address;
    fundBy?: number;
  } = {},
): Promise<OrderRow> {
  const name = randomBytes(6).toString("hex");
  const [buyerAccountId, providerAccountId] = [typeid("acc").toString(), typeid("acc").toString()];
  const agentId = typeid("agt").toString();
  const serviceId = typeid("svc").toString();
  const id = typeid("ord").toString();
  const amount = fields.amount ?? 2_500_000n;
  const agreement = { order_id: id, service_id: serviceId, amount: amount.toString() };
  const terms = {
    buyer: fields.buyerAddress ?? buyer.address,
    provider: fields.providerAddress ?? provider.address,
    token: chain.token.address,
    amount,
    fundBy: fields.fundBy ?? Math.floor(Date.now() / 1000) + 86_400,
    deliveryWindow: 86_400,
    acceptanceWindow: 3600,
    disputeWindow: 7200,
    appealWindow: 1800,
    arbiter: fields.arbiter ?? localAccounts.arbiter.address,
    orderHash: digestOf(agreement),
  };
  const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, terms);

  return inTransaction(db, async (tx) => {
    await tx.insert(accountTable).values([{ id: buyerAccountId }, { id: providerAccountId }]);
    await tx.insert(agent).values({
      id: agentId,
      accountId: providerAccountId,
      slug: `agent-${name}`,
      name,
      capabilities: { skills: [], languages: [], input_modalities: [], output_modalities: [], protocols: [] },
      payoutWallet: provider.address,
    });
    await tx.insert(service).values({
      id: serviceId,
      agentId,
      slug: "work",
      title: "Work",
      pricingModel: "fixed",
      price: amount,
      priceCurrency: chain.token.symbol,
      deliveryTimeHours: 24,
      acceptanceHours: 1,
    });
    await tx.insert(order).values({
      id,
      reference: `E-${name}`,
      buyerAccountId,
      providerAccountId,
      agentId,
      serviceId,
      agentSlug: `agent-${name}`,
      agentName: name,
      serviceSlug: "work",
      serviceTitle: "Work",
      settlementRail: "escrow",
      pricingModel: "fixed",
      quantity: 1,
      unitPrice: amount,
      agreement,
      chainId: chain.chain_id,
      escrowContract: chain.escrow_contract,
      buyerAddress: terms.buyer,
      providerAddress: terms.provider,
      tokenSymbol: chain.token.symbol,
      tokenDecimals: chain.token.decimals,
      currency: chain.token.symbol,
      ...terms,
      escrowId,
      depositAddress: depositAddressOf(chain.escrow_contract, chain.deposit_implementation, escrowId),
      status: "created",
    });
    const row = await lockOrder(tx, id);
    if (!row) throw new Error("The order just placed is not there.");
    await recordFacts(tx, row, [
      { type: "order.created", actor: "buyer", key: `${id}:created`, occurredAt: new Date() },
    ]);
    return row;
  });
}

/** Delivers an order's output as the API would, by its hash only. */
export async function deliver(db: Database, { id }: OrderRow, outputHash: Hex): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await lockOrder(tx, id);
    if (!row) throw new Error("The order is not there.");
    const occurredAt = new Date();
    const ends = new Date(occurredAt.getTime() + row.acceptanceWindow * 1000).toISOString();
    const data = { output_hash: outputHash, acceptance_ends_at: ends };
    const fact = { type: "order.delivered", actor: "provider", occurredAt } as const;
    await recordFacts(tx, row, [{ ...fact, key: `${id}:delivered:1`, data }]);
  });
}

/** Polls until `look` returns a value, and returns it. The interval grows, because a poll is work too. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  what: string,
  seconds = 240,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (let pause = 25; ; pause = Math.min(1.1 * pause, 100)) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
