import { and, asc, eq, like } from "drizzle-orm";
import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { Config } from "../../../config/config.ts";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { order as orderTable, payment as paymentTable, relay } from "../../../db/schema.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followPayments } from "../../../jobs/payments/follow-payments.ts";
import { type DepositRound, sweepDeposits } from "../../../jobs/payments/sweep-deposits.ts";
import { createRelayer } from "../../../jobs/relay/relayer.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../api.ts";
import type { TestChain } from "../chain.ts";
import { balanceOf, openMarket } from "../flows/x402-order.ts";
import { type Authorization, newAccount, signPayment } from "../market/payments.ts";
import { startStack } from "../stack.ts";
import { until } from "./ledger.ts";

export type PaymentBench = Awaited<ReturnType<typeof startPaymentBench>>;

type Order = Answer["body"];
type Payer = Parameters<typeof signPayment>[2];

/**
 * The parts of tests of payments and deposits: the indexer with the API, and no worker. Tests call the
 * worker's parts one by one.
 * @param on a chain of the test's own, which closes it; else the bench has one
 */
export async function startPaymentBench(env: Record<string, string> = {}, on?: TestChain) {
  const stack = await startStack({
    worker: false,
    env: { X402_WAIT_SECONDS: "0", ...env },
    ...(on ? { chain: on } : {}),
  });
  const { db, config, chain: testChain } = stack;
  const { chain, publicClient: reader } = testChain;
  const market = await openMarket(testChain, stack.baseUrl);
  const relayerPrivateKey = config.relayerPrivateKey as Hex;
  const relayer = createRelayer(db, { chains: config.chains, relayerPrivateKey });
  const signer = readReceiptSigner(config);
  const wallet = privateKeyToAccount(relayerPrivateKey).address;

  const ask = (
    method: "GET" | "POST",
    { id }: Order,
    what: string,
    body?: unknown,
    apiKey = market.buyerKey,
  ) => market.api.request(method, `/orders/${id}${what && `/${what}`}`, { apiKey, body });
  const read = async (order: Order, what = ""): Promise<Answer["body"]> =>
    expectStatus(200, await ask("GET", order, what));

  const bench = {
    stack,
    market,
    testChain,
    chain,
    db,
    config,
    reader,
    close: () => stack.close(),

    sign: (order: Order, change: Partial<Authorization> = {}, payer: Payer = market.buyer.account) =>
      signPayment(testChain, order, payer, change),
    post: (order: Order, body?: unknown) => ask("POST", order, "payment", body),
    pay: async (order: Order, signed: { signature: Hex }): Promise<Answer["body"]> =>
      expectStatus(202, await ask("POST", order, "payment", signed)).payment,
    ask,
    read,
    /** The payment as its buyer sees it. */
    payment: async (order: Order): Promise<Answer["body"]> => (await read(order, "payment")).payment,
    trail: async (order: Order): Promise<Answer["body"][]> => (await read(order, "events")).items,
    balanceOf: (account: Address) => balanceOf(market, account),

    /** Sends the queued calls until each is mined or refused. */
    relay: () => relayer.relay(chain.chain_id),
    follow: () => followPayments(db, config),
    sweep: (round: DepositRound, settings: Partial<Config> = {}) =>
      sweepDeposits(db, { ...config, ...settings }, round),

    /** Records chain events, and follows payments, until `look` returns a value. */
    workUntil: <T>(look: () => Promise<T | null | undefined | false>, what: string): Promise<T> =>
      until(async () => {
        await recordChainEvents(db, config, signer);
        await followPayments(db, config);
        return look();
      }, what),
    /** Works until the order has this status. */
    reach: (order: Order, status: string): Promise<Order> =>
      bench.workUntil(async () => {
        const now = await read(order);
        return now.status === status && now;
      }, `the order is ${status}`),
    /** Works until its payment has this status. */
    reachPayment: (order: Order, status: string): Promise<Answer["body"]> =>
      bench.workUntil(async () => {
        const now = await bench.payment(order);
        return now?.status === status && now;
      }, `the payment is ${status}`),

    rowOf: async ({ id }: Order): Promise<OrderRow> => {
      const [row] = await db.select().from(orderTable).where(eq(orderTable.id, id));
      if (!row) throw new Error("The order is gone.");
      return row;
    },
    paymentsOf: ({ id }: Order) => db.select().from(paymentTable).where(eq(paymentTable.orderId, id)),
    relaysOf: ({ id }: Order, key = "%") =>
      db
        .select()
        .from(relay)
        .where(and(eq(relay.orderId, id), like(relay.key, key)))
        .orderBy(asc(relay.createdAt)),

    /** The escrow's status on the chain: 0 is none, 1 funded. */
    async statusOnChain({ escrow }: Order): Promise<number> {
      const { status } = await reader.readContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: "getEscrow",
        args: [escrow.escrow_id],
      });
      return status;
    },
    /** Returns the nonce of the relaying wallet's next transaction: the number of mined ones. */
    nonce: () => reader.getTransactionCount({ address: wallet }),

    /** A person with tokens and native coin. */
    async newPatron() {
      const patron = newAccount();
      await testChain.fund(patron);
      return patron;
    },
    /** Sends tokens directly from a wallet. */
    async transfer(from: Payer, to: Address, amount: bigint): Promise<void> {
      await bench.call(from, chain.token.address, {
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }),
      });
    },
    /** Creates the order's escrow from the payer's own allowance. */
    async fundDirectly(order: Order, patron: Payer): Promise<void> {
      await bench.call(patron, chain.token.address, {
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: "approve",
          args: [chain.escrow_contract, maxUint256],
        }),
      });
      await bench.callEscrow(patron, order, "createEscrow");
    },
    async callEscrow(
      from: Payer,
      order: Order,
      functionName: "createEscrow" | "release" | "refund",
    ): Promise<void> {
      const args = [termsOf(await bench.rowOf(order))] as const;
      const data = encodeFunctionData({ abi: escrowAbi, functionName, args });
      await bench.call(from, chain.escrow_contract, { data });
    },
    async call(from: Payer, to: Address, { data }: { data: Hex }): Promise<void> {
      const hash = await testChain
        .wallet(from as ReturnType<typeof newAccount>)
        .sendTransaction({ to, data });
      const { status } = await reader.waitForTransactionReceipt({ hash });
      if (status !== "success") throw new Error("The test's own transaction reverted.");
    },
  };
  return bench;
}
