import { eq } from "drizzle-orm";
import { pino } from "pino";
import { parseEther } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { createLowWalletRounds } from "../../../jobs/payments/low-wallets.ts";
import { createKey, type Session, signIn } from "../../harness/api.ts";
import { newAccount, placeOrder } from "../../harness/flows/x402-order.ts";
import { placeOrder as placeRow } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";

const log = pino({ level: "silent" });
const amount = 2_500_000n;

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench?.close());

/** A buyer whose wallet holds this amount. */
async function newBuyer(holds: bigint) {
  const session = await signIn(bench.market.api, newAccount(), bench.chain.chain_id);
  const patron = await bench.newPatron();
  if (holds > 0n) await bench.transfer(patron, session.account.address, holds);
  const apiKey = await createKey(bench.market.api, session, ["orders:read", "orders:write"]);
  return { session, patron, place: () => placeOrder({ ...bench.market, buyer: session, buyerKey: apiKey }) };
}

/** Runs a round of a worker that has just started, once the index has the newest block. */
async function check({ paidWithin = 0 } = {}): Promise<void> {
  const head = await bench.reader.getBlockNumber();
  await bench.workUntil(async () => {
    const { rows } = await bench.db.execute<{ block: string }>(
      "select substr(latest_checkpoint, 27, 16)::bigint as block from idx._ponder_checkpoint",
    );
    return BigInt(rows[0]?.block ?? 0) >= head;
  }, "the index has the newest block");
  await createLowWalletRounds(bench.db, bench.config, { log, paidWithin })();
}

const warningsOf = async ({ accountId }: Session) =>
  (await bench.db.select().from(event).where(eq(event.accountId, accountId))).filter(
    ({ type }) => type === "wallet.balance_low",
  );

test("a wallet that holds less than a waiting order needs is named once a day", async () => {
  const buyer = await newBuyer(amount - 1n);
  const order = await buyer.place();
  // Most payments begin within a minute.
  await check({ paidWithin: 60_000 });
  expect(await warningsOf(buyer.session)).toEqual([]);
  await check();
  const [warning] = await warningsOf(buyer.session);
  expect(warning).toMatchObject({
    orderId: order.id,
    data: {
      wallet: buyer.session.account.address,
      chain_id: bench.chain.chain_id,
      currency: "TUSD",
      balance: "2.499999",
      balance_base_units: "2499999",
      order_id: order.id,
      needed: "2.500000",
      needed_base_units: "2500000",
      pay_by: order.funding_deadline,
      links: { order: `/api/v1/orders/${order.id}`, balances: "/api/v1/balances" },
    },
  });
  await buyer.place();
  await check();
  expect(await warningsOf(buyer.session)).toHaveLength(1);
});

test("a wallet that holds enough, or has paid, is not named", async () => {
  const rich = await newBuyer(amount);
  await rich.place();
  // The money of this order has left the wallet for its deposit address.
  const paid = await newBuyer(0n);
  const order = await paid.place();
  await bench.transfer(paid.patron, order.escrow.deposit_address, amount);
  // The payment of this order is in flight, and the wallet is empty meanwhile.
  const { buyer: paying } = bench.market;
  const pending = await placeOrder(bench.market);
  await bench.pay(pending, await bench.sign(pending));
  await bench.testChain.node.setBalance({ address: paying.account.address, value: parseEther("1") });
  const rest = await bench.balanceOf(paying.account.address);
  await bench.transfer(paying.account, paid.patron.address, rest);
  await check();
  for (const who of [rich.session, paid.session, paying]) expect(await warningsOf(who)).toEqual([]);
});

test("a token that burns its gas hides no low wallet of another token", async () => {
  const hostile = newAccount().address;
  await bench.testChain.node.setCode({ address: hostile, bytecode: "0x5b5f56" });
  const ofHostile = { ...bench.chain, token: { ...bench.chain.token, address: hostile } };
  await placeRow(bench.db, ofHostile);
  const buyer = await newBuyer(0n);
  await buyer.place();
  await placeRow(bench.db, ofHostile);
  await check();
  expect(await warningsOf(buyer.session)).toHaveLength(1);
});

test("each order is checked once by a worker, and a node that does not answer ends no round", async () => {
  const buyer = await newBuyer(0n);
  await buyer.place();
  const unreachable = bench.config.chains.map((chain) => ({ ...chain, rpc_url: "http://127.0.0.1:1" }));
  await createLowWalletRounds(bench.db, { chains: unreachable }, { log, paidWithin: 0 })();
  expect(await warningsOf(buyer.session)).toEqual([]);
  const round = createLowWalletRounds(bench.db, bench.config, { log, paidWithin: 0 });
  await round();
  expect(await warningsOf(buyer.session)).toHaveLength(1);
  await bench.db.delete(event).where(eq(event.type, "wallet.balance_low"));
  await round();
  expect(await warningsOf(buyer.session)).toEqual([]);
});
