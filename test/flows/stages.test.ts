import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { readNow } from "../../db/chain-index.ts";
import { inTransaction } from "../../db/transaction.ts";
import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { hashOfText } from "../../protocol/settlement/dispute.ts";
import { digestOf } from "../../protocol/settlement/terms.ts";
import { confirmOnChain, issuerOf, verifyReceipt } from "../../receipts/index.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { queueDue } from "../../trade/orders/due-settlements.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { until } from "../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

const appealWindow = 1800;
const stages = [
  { title: "Outline", amount: "0.50", hours: 200, output_schema: { type: "object", required: ["outline"] } },
  { title: "Draft", amount: "1.25", hours: 200 },
  { title: "Final text", amount: "0.75", hours: 200 },
];

let stack: TestStack;
let api: Requester;
let people: { buyer: Session; provider: Session; arbiter: Session };
let offer: Awaited<ReturnType<typeof publishService>>;
let path: string;
type Who = keyof typeof people;
type Body = Answer["body"];

beforeAll(async () => {
  // Orders are placed by the service's clock, behind the chain's clock that these tests move.
  stack = await startStack({
    env: { FUNDING_WINDOW_SECONDS: "8000000", APPEAL_WINDOW_SECONDS: String(appealWindow) },
  });
  api = requesterOf(stack.baseUrl);
  people = {
    buyer: await signIn(api),
    provider: await signIn(api),
    arbiter: await signIn(api, localAccounts.arbiter),
  };
  await stack.chain.fund(people.buyer.account);
  await stack.chain.fund(people.provider.account);
  offer = await publishService(api, people.provider);
});
afterAll(() => stack?.close());

beforeEach(async () => {
  const wanted = { title: "A manual", description: "Forty pages.", tags: ["manuals"] };
  const request = await ask("buyer", "POST", "/requests", wanted, 201);
  const quote = await ask(
    "provider",
    "POST",
    `/requests/${request.id}/quotes`,
    {
      agent_slug: offer.agent.slug,
      service_id: offer.service.id,
      price: "2.50",
      delivery_time_hours: 600,
      stages,
    },
    201,
  );
  expect(quote.stages.map(({ amount }: Body) => amount)).toEqual(["0.500000", "1.250000", "0.750000"]);
  const input_payload = { text: "Guten Tag" };
  const order = await ask("buyer", "POST", `/quotes/${quote.id}/accept`, { input_payload }, 201);
  path = `/orders/${order.id}`;
  for (const call of (await ask("buyer", "GET", `${path}/payment-instructions`)).calls) {
    await send("buyer", call);
  }
  await reach("funded");
  await ask("provider", "POST", `${path}/start`);
});

async function ask(who: Who, method: "GET" | "POST", at: string, body?: unknown, status = 200) {
  return expectStatus(status, await api.request(method, at, { token: people[who].token, body }));
}

async function send(who: Who, call: { to: Hex; data: Hex }): Promise<void> {
  const hash = await stack.chain
    .wallet(people[who].account)
    .sendTransaction({ to: call.to, data: call.data });
  const { status } = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
}

const read = () => ask("buyer", "GET", path);
const statesOf = ({ stages: shown }: Body) => shown.map(({ state }: Body) => state);

async function reach(status: string): Promise<Body> {
  return until(async () => {
    const order = await read();
    return order.status === status ? order : undefined;
  }, `the order ${status}`);
}

async function reachStates(...states: string[]): Promise<void> {
  await until(
    async () => (statesOf(await read()).join() === states.join() ? true : undefined),
    `the stages ${states}`,
    120,
  );
}

/** Delivers a stage, and records it by the provider's signature. */
async function deliver(output: Record<string, unknown>, expected: { earned: string; isFinal: boolean }) {
  await ask("provider", "POST", `${path}/deliver`, { output_payload: output });
  const { typed_data } = await ask("provider", "GET", `${path}/delivery-record`);
  expect(typed_data).toMatchObject({
    primaryType: "RecordPart",
    message: { ...expected, workHash: digestOf(output) },
  });
  const signature = await people.provider.account.signTypedData(typed_data);
  await ask("provider", "POST", `${path}/delivery-record`, { signature }, 202);
}

async function reachRecord(record: string): Promise<Body> {
  return until(async () => {
    const order = await read();
    return order.delivery_record === record ? order : undefined;
  }, `the record ${record}`);
}

/** Pays the delivered stage by the buyer's signature. */
async function accept(cumulativeAmount: string): Promise<void> {
  const { typed_data } = await ask("buyer", "GET", `${path}/release`);
  expect(typed_data).toMatchObject({ primaryType: "Voucher", message: { cumulativeAmount } });
  const signature = await people.buyer.account.signTypedData(typed_data);
  const deadline = String(Number((await stack.chain.publicClient.getBlock()).timestamp) + 80_000);
  await ask("buyer", "POST", `${path}/release`, { signature, deadline }, 202);
}

async function moveTime(seconds: number): Promise<void> {
  await stack.chain.node.increaseTime({ seconds });
  await stack.chain.node.mine({ blocks: 1 });
  const { timestamp } = await stack.chain.publicClient.getBlock();
  await until(async () => ((await indexedTime()) >= timestamp ? true : undefined), "the index at this time");
}

const indexedTime = () => readNow(stack.db, stack.chain.chain.chain_id);

/** Starts another worker, which looks for due orders at once. A running one looks each minute. */
const settleDueNow = () => stack.startWorker();

async function reachDispute(stage: string): Promise<void> {
  await until(
    async () => ((await ask("arbiter", "GET", `${path}/dispute`)).stage === stage ? true : undefined),
    `the dispute ${stage}`,
    120,
  );
}

test("the buyer accepts a stage, time accepts the next one, and the arbiter divides the last one", async () => {
  const agreement = await ask("buyer", "GET", `${path}/agreement`);
  expect(agreement.stages).toEqual([
    {
      title: "Outline",
      amount_base_units: "500000",
      hours: 200,
      output_schema_digest: digestOf(stages[0]?.output_schema),
    },
    { title: "Draft", amount_base_units: "1250000", hours: 200, output_schema_digest: null },
    { title: "Final text", amount_base_units: "750000", hours: 200, output_schema_digest: null },
  ]);
  const wrong = await api.request("POST", `${path}/deliver`, {
    token: people.provider.token,
    body: { output_payload: { draft: "..." } },
  });
  expect(expectStatus(422, wrong).error.code).toBe("output_schema_violation");

  // The first stage is revised once, and accepted.
  await deliver({ outline: "One" }, { earned: "500000", isFinal: false });
  await reachRecord("matched");
  expect(statesOf(await reach("delivered"))).toEqual(["delivered", "open", "open"]);
  await ask("buyer", "POST", `${path}/revision`, { reason: "Two, please." });
  await deliver({ outline: "Two" }, { earned: "500000", isFinal: false });
  const again = await api.request("POST", `${path}/revision`, {
    token: people.buyer.token,
    body: { reason: "Three." },
  });
  expect(expectStatus(409, again).error.message).toContain("only one");
  expect(await recordedParts()).toEqual(["matched"]);
  await accept("500000");
  await reachStates("accepted", "open", "open");
  expect(await reach("started")).toMatchObject({ acceptance_ends_at: null, delivery_record: "none" });

  // The worker pays the second stage after its acceptance window.
  await deliver({ outline: "Two" }, { earned: "1750000", isFinal: false });
  const recorded = await reachRecord("matched");
  const now = (await stack.chain.publicClient.getBlock()).timestamp;
  await moveTime(Math.ceil(Date.parse(recorded.auto_release_at) / 1000) - Number(now));
  await settleDueNow();
  await reachStates("accepted", "accepted", "open");
  const [first, second, third] = (await ask("buyer", "GET", `${path}/stages`)).items;
  expect([first, second, third]).toMatchObject([
    { output_payload: { outline: "Two" }, output_hash: digestOf({ outline: "Two" }) },
    { output_payload: { outline: "Two" }, receipt_id: expect.stringMatching(/^rcp_/) },
    { output_payload: null, delivered_at: null, receipt_id: null },
  ]);
  expect(Date.parse(first.due_at)).toBeLessThan(Date.parse(second.due_at));

  // The last stage is disputed, and the arbiter gives the provider a third of it.
  await deliver({ text: "Half of it" }, { earned: "2500000", isFinal: true });
  await reachRecord("matched");
  const reason = "A half is missing.";
  const disputing = await ask("buyer", "GET", `${path}/dispute?reason_hash=${hashOfText(reason)}`);
  const signed = await people.buyer.account.signTypedData(disputing.typed_data);
  const { deadline } = disputing.typed_data.message;
  await ask("buyer", "POST", `${path}/dispute`, { signature: signed, deadline, reason }, 202);
  await reachStates("accepted", "accepted", "disputed");
  await reachDispute("open");
  const { decidable } = await ask("arbiter", "GET", `${path}/dispute`);
  expect(decidable).toEqual({ least: "1.750000", most: "2.500000" });
  const below = `${path}/dispute/decision?provider_amount=1.749999`;
  const { error } = await ask("arbiter", "GET", below, undefined, 400);
  expect(error.message).toContain("has earned 1.750000 TUSD by parts");
  const ruling = "A third was done.";
  const query = `provider_amount=2&ruling_hash=${hashOfText(ruling)}`;
  const { typed_data } = await ask("arbiter", "GET", `${path}/dispute/decision?${query}`);
  const signature = await people.arbiter.account.signTypedData(typed_data);
  const decision = { provider_amount: "2", ruling, deadline: typed_data.message.deadline, signature };
  await ask("arbiter", "POST", `${path}/dispute/decision`, decision, 202);
  await reachDispute("decided");
  await moveTime(appealWindow);
  await settleDueNow();
  await reach("released");
  expect(statesOf(await read())).toEqual(["accepted", "accepted", "returned"]);

  const { items } = await ask("buyer", "GET", `${path}/receipts`);
  expect(items.map(({ claim, document }: Body) => [claim, document.amount])).toEqual([
    ["funded", "2500000"],
    ["part_released", "500000"],
    ["part_released", "1250000"],
    ["released", "2000000"],
    ["refunded", "500000"],
  ]);
  for (const { document } of items) {
    const verified = await verifyReceipt(document, { issuer: issuerOf(stack.baseUrl) });
    expect(verified).toMatchObject({ valid: true });
    if (!verified.valid) continue;
    expect(await confirmOnChain(verified, stack.chain.publicClient)).toMatchObject({ agrees: true });
  }
});

test("vouchers of all stages end the order, and a late stage moves no money", async () => {
  await moveTime(250 * 3600);
  for (const [index, sum] of ["500000", "1750000", "2500000"].entries()) {
    const output = { outline: `Part ${index + 1}` };
    await ask("provider", "POST", `${path}/deliver`, { output_payload: output });
    const order = await reach("delivered");
    if (index === 0)
      expect(Date.parse(order.stages[0].due_at)).toBeLessThan(Date.parse(order.delivery_deadline));
    await accept(sum);
    await reach(index < 2 ? "started" : "released");
  }
  expect(statesOf(await read())).toEqual(["accepted", "accepted", "accepted"]);
});

/** Reads `delivery_record` of the events of the parts that were recorded for the order, in order. */
async function recordedParts(): Promise<string[]> {
  const { items } = await ask("buyer", "GET", "/events?limit=100&type=part.recorded");
  const own = items.filter(({ data }: Body) => path === `/orders/${data.order.id}`);
  return own.map(({ data }: Body) => data.delivery_record);
}

test("a claim above the delivered stage is a bare claim, and the service does not pay it", async () => {
  const output = { outline: "One" };
  await ask("provider", "POST", `${path}/deliver`, { output_payload: output });
  const { escrowContract, terms } = deriveDeposit(await ask("buyer", "GET", `${path}/agreement`));
  const args = [terms, 2_000_000n, digestOf(output), false] as const;
  const call = { abi: escrowAbi, address: escrowContract, functionName: "recordPart", args } as const;
  const hash = await stack.chain.wallet(people.provider.account).writeContract(call);
  await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  const order = await reachRecord("unmatched");
  expect(await recordedParts()).toEqual(["unmatched"]);
  const now = (await stack.chain.publicClient.getBlock()).timestamp;
  await moveTime(Math.ceil(Date.parse(order.auto_release_at) / 1000) - Number(now) + 60);
  await until(async () => {
    const { actions } = await ask("provider", "GET", `${path}/settlement-options`);
    const release = actions.find((one: Body) => one.action === "release");
    return release.available && release.function === "releasePart" ? true : undefined;
  }, "the part open to anyone");
  const { db } = stack;
  const { chain } = stack.chain;
  const at = await indexedTime();
  expect(await inTransaction(db, (tx) => queueDue(tx, chain, order.id, at))).toBeNull();
  expect(statesOf(await read())).toEqual(["delivered", "open", "open"]);

  // Time accepted this claim, so the arbiter can give no less, whatever the provider claims after it.
  const later = { ...call, args: [terms, 2_400_000n, digestOf("more"), false] } as const;
  for (const next of [later, { ...later, args: [terms, 2_400_000n, digestOf("revised"), false] } as const]) {
    const sent = await stack.chain.wallet(people.provider.account).writeContract(next);
    await stack.chain.publicClient.waitForTransactionReceipt({ hash: sent });
  }
  const disputing = { ...call, functionName: "dispute", args: [terms, digestOf("too much")] } as const;
  const disputed = await stack.chain.wallet(people.buyer.account).writeContract(disputing);
  await stack.chain.publicClient.waitForTransactionReceipt({ hash: disputed });
  await reach("disputed");
  const { decidable } = await ask("arbiter", "GET", `${path}/dispute`);
  expect(decidable).toEqual({ least: "2.000000", most: "2.500000" });
});
