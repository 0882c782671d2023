import type { Address, Hex } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hashOfText } from "../../protocol/settlement/dispute.ts";
import { digestOf } from "../../protocol/settlement/terms.ts";
import { confirmOnChain, issuerOf, verifyReceipt } from "../../receipts/index.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
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

const disputeWindow = 3600;
const appealWindow = 1800;

let stack: TestStack;
let api: Requester;
let people: { buyer: Session; provider: Session; arbiter: Session };
let serviceId: string;
beforeAll(async () => {
  // Orders are placed by the service's clock, behind the chain's clock that these tests move.
  stack = await startStack({
    env: {
      FUNDING_WINDOW_SECONDS: "2592000",
      DISPUTE_WINDOW_SECONDS: String(disputeWindow),
      APPEAL_WINDOW_SECONDS: String(appealWindow),
      // Each test starts a worker that settles, after it has seen the stage before.
      SETTLE_WHEN_DUE: "false",
    },
  });
  api = requesterOf(stack.baseUrl);
  people = {
    buyer: await signIn(api),
    provider: await signIn(api),
    arbiter: await signIn(api, localAccounts.arbiter),
  };
  await stack.chain.fund(people.buyer.account);
  serviceId = (await publishService(api, people.provider)).service.id;
});
afterAll(() => stack?.close());

type Who = keyof typeof people;
type Body = Answer["body"];

async function ask(
  who: Who,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  status = 200,
): Promise<Body> {
  return expectStatus(status, await api.request(method, path, { token: people[who].token, body }));
}

async function send(who: Who, call: { to: Address; data: Hex }): Promise<void> {
  const hash = await stack.chain
    .wallet(people[who].account)
    .sendTransaction({ to: call.to, data: call.data });
  const { status } = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
}

/** Waits for a stage of the dispute as this party reads it: the worker polls each minute. */
function reach(who: Who, path: string, stage: string): Promise<Body> {
  return until(
    async () => {
      const answer = await api.request("GET", `${path}/dispute`, { token: people[who].token });
      return answer.status === 200 && answer.body.stage === stage ? answer.body : undefined;
    },
    `the dispute ${stage}`,
    120,
  );
}

/** Creates an order that was paid, delivered and recorded. Returns its path. */
async function placeRecorded(output: Record<string, unknown>): Promise<string> {
  const order = await ask(
    "buyer",
    "POST",
    "/orders",
    { service_id: serviceId, input_payload: { text: "Guten Tag" } },
    201,
  );
  const path = `/orders/${order.id}`;
  const { calls } = await ask("buyer", "GET", `${path}/payment-instructions`);
  for (const call of calls) await send("buyer", call);
  const statusOf = async () => (await ask("buyer", "GET", path)).status;
  await until(async () => ((await statusOf()) === "funded" ? true : undefined), "the order funded");
  await ask("provider", "POST", `${path}/start`);
  await ask("provider", "POST", `${path}/deliver`, { output_payload: output, note: "As asked." });
  const { typed_data } = await ask("provider", "GET", `${path}/delivery-record`);
  const signature = await people.provider.account.signTypedData(typed_data);
  await ask("provider", "POST", `${path}/delivery-record`, { signature }, 202);
  await until(
    async () => (await ask("buyer", "GET", path)).auto_release_at ?? undefined,
    "the delivery recorded",
  );
  return path;
}

/** Opens a dispute by the buyer's signature only, with its reason. */
async function dispute(path: string, reason: string): Promise<void> {
  const { typed_data } = await ask("buyer", "GET", `${path}/dispute?reason_hash=${hashOfText(reason)}`);
  const signature = await people.buyer.account.signTypedData(typed_data);
  const { deadline } = typed_data.message;
  await ask("buyer", "POST", `${path}/dispute`, { signature, deadline, reason }, 202);
}

async function moveTime(seconds: number): Promise<void> {
  await stack.chain.node.increaseTime({ seconds });
  await stack.chain.node.mine({ blocks: 1 });
}

/** Starts a worker that settles what is due, until the end of the test. */
async function startSettling(): Promise<void> {
  const worker = await stack.startWorker({ SETTLE_WHEN_DUE: "true" });
  onTestFinished(async () => {
    await worker.stop();
  });
}

/** Recomputes every digest of the bundle from the bundle. */
function checkEvidence({ evidence: { bundle, digest, checks } }: Body, output: unknown): void {
  expect(checks).toEqual({ agreement: true, input: true, output: true });
  expect(digestOf(bundle)).toBe(digest);
  expect(bundle.agreement_digest).toBe(digestOf(bundle.agreement));
  expect(bundle.agreement.input_digest).toBe(digestOf(bundle.input_payload));
  expect(bundle.output_payload).toEqual(output);
  expect(bundle.deliveries).toMatchObject([{ output_hash: digestOf(output), note: "As asked." }]);
}

test("a dispute is opened, argued, decided and settled by signatures only", async () => {
  const output = { translation: "Good d" };
  const path = await placeRecorded(output);
  const [reason, ruling] = ["It ends too early.", "Four fifths were done."];
  await dispute(path, reason);

  const opened = await reach("arbiter", path, "open");
  expect(opened).toMatchObject({
    your_role: "arbiter",
    opened: { by: "buyer", reason, reason_hash: hashOfText(reason), confirmed: true },
    default_outcome: { provider_amount: "2.500000" },
  });
  checkEvidence(opened, output);
  const { items } = await ask("arbiter", "GET", "/disputes?open=true");
  expect(items).toMatchObject([{ id: opened.order_id, status: "disputed" }]);
  await ask("provider", "POST", `${path}/dispute/statements`, { text: "One word only." }, 201);
  await ask("arbiter", "POST", `${path}/dispute/statements`, { text: "Which one?" }, 201);
  const argued = await reach("buyer", path, "open");
  expect(argued.statements.map((one: Body) => [one.by, one.text])).toEqual([
    ["buyer", reason],
    ["provider", "One word only."],
    ["arbiter", "Which one?"],
  ]);
  checkEvidence(argued, output);

  const query = `provider_amount=2&ruling_hash=${hashOfText(ruling)}`;
  const { typed_data } = await ask("arbiter", "GET", `${path}/dispute/decision?${query}`);
  const signature = await people.arbiter.account.signTypedData(typed_data);
  const { deadline } = typed_data.message;
  const decision = { provider_amount: "2", ruling, deadline, signature };
  await ask("arbiter", "POST", `${path}/dispute/decision`, decision, 202);
  const decided = await reach("provider", path, "decided");
  expect(decided.decision).toMatchObject({ provider_amount: "2.000000", buyer_amount: "0.500000", ruling });

  // No one requests the settlement: a worker sends it when the appeal window is over.
  await moveTime(appealWindow);
  await reach("provider", path, "settleable");
  await startSettling();
  await reach("arbiter", path, "settled");
  await until(
    async () => ((await ask("buyer", "GET", path)).status === "released" ? true : undefined),
    "the release in the ledger",
  );
  const settled = await reach("buyer", path, "settled");
  expect(settled.settled).toMatchObject({ provider_amount: "2.000000", buyer_amount: "0.500000" });
  checkEvidence(settled, output);

  const { receipts } = settled.evidence.bundle;
  expect(receipts.map((one: Body) => one.claim)).toEqual(["funded", "released", "refunded"]);
  for (const { document } of receipts) {
    const verified = await verifyReceipt(document, { issuer: issuerOf(stack.baseUrl) });
    expect(verified).toMatchObject({ valid: true });
    if (verified.valid) {
      expect(await confirmOnChain(verified, stack.chain.publicClient)).toMatchObject({ agrees: true });
    }
  }
  const { items: events } = await ask("arbiter", "GET", "/events?limit=100");
  expect(events.map((one: Body) => one.type)).toEqual([
    "order.disputed",
    "order.dispute_decided",
    "order.released",
    "order.refunded",
  ]);
});

test("a recorded delivery is settled for the provider when the arbiter stays silent", async () => {
  const output = { translation: "Good day" };
  const path = await placeRecorded(output);
  await dispute(path, "I do not like it.");
  await reach("arbiter", path, "open");
  await moveTime(disputeWindow + 1);
  await reach("arbiter", path, "silent");
  await startSettling();
  const settled = await reach("provider", path, "settled");
  expect(settled).toMatchObject({
    decision: null,
    settled: { provider_amount: "2.500000", buyer_amount: "0.000000" },
  });
  checkEvidence(settled, output);
  const late = { text: "I was away." };
  await until(
    async () => ((await ask("buyer", "GET", path)).status === "released" ? true : undefined),
    "the release in the ledger",
  );
  await ask("arbiter", "POST", `${path}/dispute/statements`, late, 409);
});
