import { type AgentCard, Role, type Task, TaskState, verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { expect, test } from "vitest";
import { expectStatus } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import { deliverNext, type Market, newAccount, openMarket } from "../harness/flows/x402-order.ts";
import { testOnStack } from "../harness/stack.ts";

let chain: TestChain;
let market: Market;
let slug: string;
testOnStack.beforeAll(async ({ stack }) => {
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
  const { items } = expectStatus(200, await market.api.request("GET", "/marketplace/services?limit=100"));
  slug = items.find(({ id }: { id: string }) => id === market.serviceId).agent.slug;
});

const input = { text: "Do it." };

async function connect(path: string, headers: Record<string, string> = {}) {
  const factory = new ClientFactory();
  const client = await factory.createFromUrl(`${market.baseUrl}${path}`);
  const options = { serviceParameters: headers };
  const send = (message: object, configuration?: object) =>
    client.sendMessage(
      {
        tenant: "",
        message: { ...blank(), ...message },
        configuration: configuration as never,
        metadata: undefined,
      },
      options,
    );
  return { client, send, read: (id: string) => client.getTask({ tenant: "", id }, options) };
}

const blank = () => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
const data = (value: unknown) => ({
  content: { $case: "data" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "application/json",
});
const text = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "",
});

async function newPayer(): Promise<LocalAccount> {
  const payer = newAccount();
  await chain.fund(payer);
  return payer;
}

/** Pays what a task asks for, as a stock x402 client. */
async function payFor(task: Task, payer: LocalAccount) {
  const { chain_id, token } = chain.chain;
  const network = `eip155:${chain_id}` as const;
  const client = new x402Client().register(network, new ExactEvmScheme(payer));
  client.setSpendControls({ allowedAssets: [{ network, asset: token.address }] });
  const required = task.status?.message?.metadata?.["x402.payment.required"];
  const payload = await client.createPaymentPayload(required as never);
  return {
    taskId: task.id,
    parts: [text("Here is the payment.")],
    metadata: { "x402.payment.status": "payment-submitted", "x402.payment.payload": payload },
  };
}

test("a stock A2A client finds the agent, verifies its card, pays its task by x402 and reads the output", async () => {
  const { client, send } = await connect(`/a2a/${slug}/`);
  const card = await client.getAgentCard();
  expect(card).toMatchObject({
    name: "A test agent",
    supportedInterfaces: [{ url: `${market.baseUrl}/a2a/${slug}`, protocolVersion: "1.0" }],
    skills: [{ id: "a-service", name: "A test service" }],
  });
  // The client's own copy lacks members that the SDK's canonical form has (a2a-js issue 663), so the answer is verified.
  const received = await (await fetch(`${market.baseUrl}/a2a/${slug}/.well-known/agent-card.json`)).json();
  await verify(received as AgentCard);
  await expect(verify({ ...(received as AgentCard), description: "Another text." })).rejects.toThrow();

  const payer = await newPayer();
  const asked = (await send({
    parts: [data({ service: "a-service", input_payload: input, buyer_address: payer.address })],
  })) as Task;
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(asked.status?.message?.metadata).toMatchObject({ "x402.payment.status": "payment-required" });

  const working = deliverNext(market, { text: "Done." });
  const payment = await payFor(asked, payer);
  const paid = (await send(payment, { returnImmediately: true })) as Task;
  expect(paid.id).toBe(asked.id);
  expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(paid.status?.state);
  const { claim } = paid.metadata as { claim: { token: string } };
  await working;

  // Only the claim token reads the task, and only at the address of its agent.
  const owner = await connect(`/a2a/${slug}/`, { Authorization: `Bearer ${claim.token}` });
  await expect
    .poll(async () => (await owner.read(paid.id)).status?.state, { timeout: 20_000, interval: 200 })
    .toBe(TaskState.TASK_STATE_COMPLETED);
  const done = await owner.read(paid.id);
  expect(done.artifacts[0]?.parts[0]?.content).toEqual({ $case: "data", value: { text: "Done." } });
  expect(done.status?.message?.metadata).toMatchObject({
    "x402.payment.status": "payment-completed",
    "x402.payment.receipts": [{ success: true, payer: payer.address }],
  });
  // The same payment gets the same task, once more with its output.
  const again = (await send(payment)) as Task;
  expect([again.id, again.artifacts.length]).toEqual([paid.id, 1]);

  const stranger = await connect(`/a2a/${slug}/`);
  await expect(stranger.read(paid.id)).rejects.toThrow(/401/);
});

async function verify(card: AgentCard): Promise<void> {
  await verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(`${market.baseUrl}/.well-known/jwks.json`);
    const { keys } = (await (await fetch(jku as string)).json()) as { keys: { kid: string }[] };
    return keys.find((key) => key.kid === kid) as never;
  })(card);
}
