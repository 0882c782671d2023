import { createPublicClient, http, webSocket } from "viem";
import { afterAll, beforeAll, test } from "vitest";
import { escrowAbi } from "../abis/escrow.ts";
import { expectStatus, publishService, requesterOf, signIn } from "../test/harness/api.ts";
import { forkChain, type TestChain } from "../test/harness/chain.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const samples = 50;
/** Both look at the chain this often, in milliseconds. */
const pollingInterval = 100;

let chain: TestChain;
let stack: TestStack;
beforeAll(async () => {
  chain = await forkChain({ blockTime: 1 });
  stack = await startStack({ chain });
});
afterAll(async () => {
  await stack?.close();
  await chain?.close();
});

test(`from the mined transaction to a funded order, beside a bare log poll (${samples} orders)`, async () => {
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [await signIn(api), await signIn(api)];
  await chain.fund(buyer.account);
  const { service } = await publishService(api, provider);
  const wallet = chain.wallet(buyer.account);

  const mined = new Map<string, number>();
  const heads = createPublicClient({ transport: webSocket(chain.rpcUrl.replace("http", "ws")) });
  const stopHeads = heads.watchBlocks({
    includeTransactions: false,
    onBlock: (block) => {
      const now = performance.now();
      for (const hash of block.transactions) mined.set(hash, now);
    },
  });
  const logged = new Map<string, number>();
  const poller = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval });
  const stopLogs = poller.watchContractEvent({
    abi: escrowAbi,
    address: chain.chain.escrow_contract,
    eventName: "EscrowCreated",
    pollingInterval,
    onLogs: (logs) => {
      const now = performance.now();
      for (const log of logs) logged.set(log.transactionHash, now);
    },
  });

  const funded: number[] = [];
  const bare: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const order = expectStatus(
      201,
      await api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id } }),
    );
    const { calls } = expectStatus(
      200,
      await api.request("GET", `/orders/${order.id}/payment-instructions`, { token: buyer.token }),
    );
    let hash: `0x${string}` | undefined;
    for (const { to, data } of calls) hash = await wallet.sendTransaction({ to, data, gas: 300_000n });
    if (!hash) throw new Error("The payment instructions hold no calls.");
    let status = order.status;
    while (status !== "funded") {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const answer = await api.request("GET", `/orders/${order.id}`, { token: buyer.token });
      status = expectStatus(200, answer).status;
    }
    const now = performance.now();
    while (!logged.has(hash) || !mined.has(hash)) await new Promise((resolve) => setTimeout(resolve, 5));
    funded.push(now - (mined.get(hash) as number));
    bare.push((logged.get(hash) as number) - (mined.get(hash) as number));
  }
  stopHeads();
  stopLogs();

  const figures = (values: number[]) => [quantile(values, 0.5), quantile(values, 0.95)];
  const [fundedMedian, fundedTail] = figures(funded) as [number, number];
  const [bareMedian, bareTail] = figures(bare) as [number, number];
  for (const [at, value] of [
    ["median", fundedMedian / bareMedian],
    ["95th percentile", fundedTail / bareTail],
  ] as const)
    reportFigure({ name: `funding: mined to funded, ${at}`, of: "a bare log poll", value, better: "lower" });
  printTable(`Mined transaction to order status, ms, n=${samples}, polling each ${pollingInterval} ms`, [
    ["", "median", "95th percentile"],
    ["order is funded (GET /orders/{id})", fundedMedian, fundedTail],
    ["bare viem log poll", bareMedian, bareTail],
    ["ratio", (fundedMedian / bareMedian).toFixed(2), (fundedTail / bareTail).toFixed(2)],
  ]);
});
