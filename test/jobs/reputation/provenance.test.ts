import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { erc20Abi, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import {
  agentRecord,
  order,
  orderOutcome,
  payment,
  provedWallet,
  provenance,
  recordDue,
} from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../../jobs/chain/reorganisations.ts";
import { publishKeys } from "../../../jobs/receipts/key-publication.ts";
import { computeRecord } from "../../../jobs/reputation/agent-records.ts";
import { followProvenance } from "../../../jobs/reputation/provenance.ts";
import { type ChainActions, chainActions, placeOrder, provider, until } from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

const log = pino({ level: "silent" });
let stack: TestStack;
let actions: ChainActions;
let signer: ReceiptSigner;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  signer = readReceiptSigner(stack.config);
  await publishKeys(stack.db, signer);
  await stack.chain.fund(provider);
});
afterAll(() => stack?.close());

const outcomeOf = async (row: OrderRow) =>
  (await stack.db.select().from(orderOutcome).where(eq(orderOutcome.orderId, row.id)))[0];

async function settleUntil(row: OrderRow, status: string) {
  await until(async () => {
    await recordChainEvents(stack.db, stack.config, signer);
    const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
    return found?.status === status;
  }, `the order is ${status}`);
}

/** A new buyer with tokens and a paid order. */
async function placeFunded() {
  const buyer = privateKeyToAccount(generatePrivateKey());
  await actions.allow(buyer);
  const row = await placeOrder(stack.db, stack.chain.chain, { buyerAddress: buyer.address });
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  return { buyer, row };
}
async function release({ buyer, row }: { buyer: LocalAccount; row: OrderRow }) {
  await actions.confirm(await actions.send(row, buyer, "release"));
  await settleUntil(row, "released");
}
/** Sends tokens from the provider straight to a wallet, and checks all due pairs. */
async function sendAndLook(to: LocalAccount, amount: bigint) {
  await actions.confirm(
    await actions.writer.writeContract({
      abi: erc20Abi,
      address: stack.chain.chain.token.address,
      functionName: "transfer",
      args: [to.address, amount],
      account: provider,
      chain: null,
    }),
  );
  await stack.db.update(provenance).set({ nextCheckAt: sql`now()`, attemptedAt: null });
  await followProvenance(stack.db, stack.config, { log });
}

test("a buyer whose money came from the provider is excluded, from half of his payments on, and not below", async () => {
  const placed = await placeFunded();
  await release(placed);
  await followProvenance(stack.db, stack.config, { log });
  const [looked] = await stack.db
    .select()
    .from(provenance)
    .where(eq(provenance.wallet, placed.buyer.address));
  expect(looked).toMatchObject({ sent: 0n, tied: false });
  expect(looked?.checkedAt).not.toBeNull();
  // Again a day after the settlement.
  expect(looked?.nextCheckAt?.getTime()).toBeGreaterThan(Date.now());

  await sendAndLook(placed.buyer, placed.row.amount / 2n - 1n);
  expect((await outcomeOf(placed.row))?.apart).toBeNull();
  await sendAndLook(placed.buyer, 1n);
  expect((await outcomeOf(placed.row))?.apart).toBe("money_from_provider");
  await computeRecord(stack.db, placed.row.agentId);
  const [record] = await stack.db.select().from(agentRecord).where(eq(agentRecord.id, placed.row.agentId));
  expect(record).toMatchObject({ orders: 0, outcomes: 1, score: null });

  // The check of a line makes its record due in time.
  await stack.db.update(agentRecord).set({ outcomes: 100_000 }).where(eq(agentRecord.id, placed.row.agentId));
  await stack.db.delete(recordDue);
  await stack.db.update(provenance).set({ checkedAt: null });
  await sendAndLook(placed.buyer, 1n);
  const [due] = await stack.db.select().from(recordDue).where(eq(recordDue.agentId, placed.row.agentId));
  expect(due?.dueAt.getTime()).toBe((record?.asOf.getTime() ?? 0) + 1_010_000);
});

test("a buyer whose escrow the provider filled at its deposit address is excluded too", async () => {
  const placed = await placeFunded();
  await release(placed);
  const deposit = { address: placed.row.depositAddress } as LocalAccount;
  await sendAndLook(deposit, placed.row.amount);
  expect((await outcomeOf(placed.row))?.apart).toBe("money_from_provider");
  // Also once its other orders take the place of this one among the searched addresses.
  await inTransaction(stack.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    const depositAddress = privateKeyToAccount(generatePrivateKey()).address;
    await tx.update(order).set({ depositAddress }).where(eq(order.id, placed.row.id));
  });
  await sendAndLook(provider, 0n);
  expect((await outcomeOf(placed.row))?.apart).toBe("money_from_provider");
});

test("a buyer in whose name somebody paid with the provider's money is excluded too", async () => {
  const placed = await placeFunded();
  await release(placed);
  const payer = privateKeyToAccount(generatePrivateKey());
  const { id, buyerAccountId } = placed.row;
  const paid = { orderId: id, accountId: buyerAccountId, payer: payer.address, calls: [] };
  const columns = { id: `pay_of_${id}`, method: "eip3009", nonce: id, status: "confirmed" } as const;
  await stack.db.insert(payment).values({ ...paid, ...columns });
  await sendAndLook(payer, placed.row.amount);
  expect((await outcomeOf(placed.row))?.apart).toBe("money_from_provider");
});

test("an order that somebody paid with the provider's money in another's name ties that payer alone", async () => {
  const honest = await placeFunded();
  await release(honest);
  const stranger = privateKeyToAccount(generatePrivateKey());
  await actions.allow(stranger);
  const row = await placeOrder(stack.db, stack.chain.chain, { buyerAddress: honest.buyer.address });
  await actions.confirm(await actions.send(row, stranger, "createEscrow"));
  await settleUntil(row, "funded");
  await release({ buyer: honest.buyer, row });
  await sendAndLook(stranger, row.amount);
  expect(await outcomeOf(row)).toMatchObject({
    wallet: stranger.address.toLowerCase(),
    apart: "money_from_provider",
  });
  expect(await outcomeOf(honest.row)).toMatchObject({ wallet: honest.row.buyerAddress, apart: null });
});

test("a chain whose node is down delays no check on another chain", async () => {
  const placed = await placeFunded();
  await release(placed);
  const { chain } = stack.chain;
  const down = { ...chain, chain_id: 999, rpc_url: "http://127.0.0.1:1" };
  const { providerAccountId } = placed.row;
  const first = new Date(0);
  await stack.db.insert(provenance).values({
    ...{ providerAccountId, wallet: placed.row.buyerAddress, token: placed.row.token },
    ...{ chainId: down.chain_id, nextCheckAt: first },
  });
  await followProvenance(stack.db, { chains: [down, chain] }, { log });
  const pairs = await stack.db.select().from(provenance).where(eq(provenance.wallet, placed.buyer.address));
  const checked = new Map(pairs.map(({ chainId, checkedAt }) => [chainId, checkedAt !== null]));
  expect([checked.get(down.chain_id), checked.get(chain.chain_id)]).toEqual([false, true]);
});

test("a provider that adds a hundred more wallets hides none that was paid", async () => {
  const placed = await placeFunded();
  await release(placed);
  const accountId = placed.row.providerAccountId;
  const more = sql`select ${accountId}, '0x' || lpad(n::text, 40, '0') from generate_series(1, 150) as n`;
  await stack.db.execute(sql`insert into earnest.proved_wallet (account_id, address) ${more}`);
  await sendAndLook(placed.buyer, placed.row.amount);
  expect((await outcomeOf(placed.row))?.apart).toBe("money_from_provider");
  await stack.db.delete(provedWallet).where(sql`address like '0x00000000000000000000000000000000000%'`);
});

test("a release that leaves the chain removes its outcome, and the next settlement brings another", async () => {
  const placed = await placeFunded();
  const before = await actions.node.snapshot();
  await release(placed);
  expect(await outcomeOf(placed.row)).toMatchObject({ ended: "released", released: placed.row.amount });
  await computeRecord(stack.db, placed.row.agentId);

  await actions.node.revert({ id: before });
  await actions.node.mine({ blocks: 2 });
  const missing = new Map<string, number>();
  await until(async () => {
    const { reverted } = await followReorganisations(stack.db, stack.config, signer, {
      missing,
      missingMs: 1000,
    });
    return reverted > 0;
  }, "the release is reverted");
  expect(await outcomeOf(placed.row)).toBeUndefined();
  await computeRecord(stack.db, placed.row.agentId);
  const [record] = await stack.db.select().from(agentRecord).where(eq(agentRecord.id, placed.row.agentId));
  expect(record).toMatchObject({ orders: 0, outcomes: 0, score: null });

  await actions.confirm(await actions.send(placed.row, provider, "refund"));
  await settleUntil(placed.row, "refunded");
  expect(await outcomeOf(placed.row)).toMatchObject({ ended: "declined", refunded: placed.row.amount });
});
