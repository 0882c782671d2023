import { eq, sql } from "drizzle-orm";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { lockOrder } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { order as orderTable, payment as paymentTable, relay as relayTable } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../../jobs/chain/reorganisations.ts";
import { followPayments } from "../../../jobs/payments/follow-payments.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import {
  acceptPayment,
  composePayment,
  readEarlierPayments,
  reopenPayment,
} from "../../../trade/payments/payments.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { buyer as known, placeOrder as placeRow, randomHash, until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";

let bench: PaymentBench;
let order: Answer["body"];

beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

const buyer = () => bench.market.buyer.account;

describe("following payments", () => {
  test("an unreachable chain leaves its payments pending, is called once a round, and they continue once it is back", async () => {
    const other = await placeOrder(bench.market);
    const outsider = await bench.newPatron();
    for (const each of [order, other]) {
      await bench.pay(each, await bench.sign(each));
      const [queued] = await bench.relaysOf(each);
      await bench.call(outsider, queued?.to as Address, { data: queued?.data as Hex });
    }
    await bench.relay();
    const methods: string[] = [];
    const node = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method }) => {
        methods.push(method);
        return "lose";
      },
    });
    await followPayments(bench.db, { chains: [{ ...bench.chain, rpc_url: node.url }] });
    await node.close();
    // One call about one of the payments, and three retries of the client.
    expect(methods).toEqual(Array(4).fill("eth_call"));
    for (const each of [order, other]) {
      expect(await bench.payment(each)).toMatchObject({ status: "accepted", error: null });
    }
    for (const each of [order, other]) await bench.reachPayment(each, "confirmed");
  });

  test("payments of a removed chain, in any number, block no others", async () => {
    const { db, chain } = bench;
    const rows: OrderRow[] = [];
    while (rows.length < 230) {
      rows.push(...(await Promise.all(Array.from({ length: 10 }, () => placeRow(db, chain)))));
    }
    const ids: string[] = [];
    for (const row of rows) {
      const nonce = digestOf(row.id);
      await inTransaction(db, async (tx) => {
        const call = { to: chain.token.address, data: "0x" as Hex, gasBound: 600_000 };
        const identity = { method: "eip3009" as const, payer: known.address, nonce };
        const { id } = await acceptPayment(
          tx,
          composePayment(row, { accountId: row.buyerAccountId }, identity, [call], null),
        );
        await tx.insert(relayTable).values({
          id: `rly_${id.slice(4)}`,
          key: `${id}:0`,
          chainId: chain.chain_id,
          orderId: row.id,
          status: "signed",
          ...call,
        });
        ids.push(id);
      });
    }
    try {
      await followPayments(db, { chains: [] });
      await bench.follow();
      const found = await db
        .select({ id: paymentTable.id, status: paymentTable.status })
        .from(paymentTable)
        .where(eq(paymentTable.payer, known.address));
      expect(found).toHaveLength(rows.length);
      expect(new Set(found.map(({ status }) => status))).toEqual(new Set(["submitted"]));
    } finally {
      await db.delete(relayTable).where(eq(relayTable.status, "signed"));
    }
  });

  test("a payment of several calls that failed at its second starts over with calls of its own", async () => {
    const { db, chain } = bench;
    const row = await bench.rowOf(order);
    const identity = { method: "permit2" as const, payer: buyer().address, nonce: "7" };
    const call = (data: Hex) => ({ to: chain.token.address, data, gasBound: 600_000 });
    const accept = (calls: Hex[]) =>
      inTransaction(db, async (tx) => {
        const { failed } = await readEarlierPayments(tx, row.id, identity);
        return acceptPayment(
          tx,
          composePayment(row, { accountId: row.buyerAccountId }, identity, calls.map(call), failed),
        );
      });
    const first = await accept(["0x01", "0x02", "0x03"]);
    expect(first).toMatchObject({ step: 0, status: "accepted" });
    await db
      .update(paymentTable)
      .set({ step: 1, status: "failed", error: "no" })
      .where(eq(paymentTable.id, first.id));
    const second = await accept(["0x04", "0x05"]);
    expect(second).toMatchObject({ id: first.id, step: 2, status: "accepted", error: null });
    expect(second.calls.map(({ data }) => data)).toEqual(["0x01", "0x02", "0x04", "0x05"]);
    // Another active payment is not overwritten.
    await expect(accept(["0x06"])).rejects.toMatchObject({ constraint: "payment_authorization" });
    await db.delete(paymentTable).where(eq(paymentTable.id, first.id));
  });
});

describe("a payment whose block leaves the chain", () => {
  test("is in flight again, by its transaction, and confirmed once more", async () => {
    const { db, config, testChain } = bench;
    const before = await testChain.node.snapshot();
    const signed = await bench.sign(order);
    const { id } = await bench.pay(order, signed);
    await bench.relay();
    await bench.reach(order, "funded");
    const confirmed = await bench.reachPayment(order, "confirmed");
    await testChain.node.revert({ id: before });
    await testChain.node.mine({ blocks: 2 });
    const missing = new Map<string, number>();
    const signer = readReceiptSigner(config);
    await until(async () => {
      const options = { missing, missingMs: 500 };
      return (await followReorganisations(db, config, signer, options)).reverted > 0;
    }, "the funding is reverted");
    await bench.follow();
    expect((await bench.read(order)).status).toBe("created");
    expect(await bench.payment(order)).toMatchObject({ id, status: "submitted", error: null });
    // No other payment is requested.
    expect(expectStatus(202, await bench.post(order)).payment).toMatchObject({ id, status: "submitted" });
    await bench.relay();
    await bench.reach(order, "funded");
    expect(await bench.reachPayment(order, "confirmed")).toEqual(confirmed);
    expect((await bench.trail(order)).map(({ type }) => type)).toEqual([
      "order.created",
      "order.funded",
      "fact.reverted",
      "order.funded",
    ]);
  });

  test("is not confirmed where its funding is reverted during the check", async () => {
    const { db, config } = bench;
    await bench.pay(order, await bench.sign(order));
    await bench.relay();
    const signer = readReceiptSigner(config);
    await until(async () => {
      await recordChainEvents(db, config, signer);
      return (await bench.rowOf(order)).fundedAt;
    }, "the order is funded");
    let following: Promise<void> | undefined;
    await inTransaction(db, async (tx) => {
      await lockOrder(tx, order.id);
      await tx.update(orderTable).set({ fundedAt: null }).where(eq(orderTable.id, order.id));
      await reopenPayment(tx, order.id);
      let isOver = false;
      following = bench.follow().finally(() => {
        isOver = true;
      });
      await until(async () => {
        const { rows } = await db.execute(sql`select from pg_locks where not granted`);
        return isOver || rows.length > 0;
      }, "the payment is looked at");
    });
    await following;
    expect((await bench.payment(order)).status).not.toBe("confirmed");
  });

  test("before its confirmation, and for long, is lost, and is valid when it is sent again", async () => {
    const { db } = bench;
    const signed = await bench.sign(order);
    const { id } = await bench.pay(order, signed);
    const long = { updatedAt: sql`now() - interval '11 minutes'` };
    const mined = { status: "mined" as const, transactionHash: randomHash() };
    await db.update(relayTable).set(mined).where(eq(relayTable.orderId, order.id));
    await bench.follow();
    expect(await bench.payment(order)).toMatchObject({ id, status: "submitted", error: null });
    await db.update(paymentTable).set(long).where(eq(paymentTable.id, id));
    await bench.follow();
    expect((await bench.payment(order)).status).toBe("submitted");
    await db.update(relayTable).set(long).where(eq(relayTable.orderId, order.id));
    await bench.follow();
    expect((await bench.payment(order)).error).toMatch(/^The chain dropped the payment.s transaction/);
    expect(expectStatus(402, await bench.post(order)).accepts).toHaveLength(1);
    expect(await bench.pay(order, signed)).toMatchObject({ id, status: "accepted", error: null });
    await bench.relay();
    await bench.reach(order, "funded");
    await bench.reachPayment(order, "confirmed");
  });
});
