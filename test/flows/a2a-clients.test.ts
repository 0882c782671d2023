import {
  type AgentCard,
  type Message,
  Role,
  type Task,
  TaskState,
  verifyAgentCardSignature,
} from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { expect, test, vi } from "vitest";
import { type Answer, expectStatus, publishService } from "../harness/api.ts";
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
  vi.spyOn(console, "debug").mockReturnValue();
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
    .poll(async () => (await owner.read(paid.id)).status?.state, { interval: 200 })
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

test("an API key orders once by a message, pays the task, and lists it", async () => {
  const { client, send, read } = await connect(`/a2a/${slug}/`, { "X-API-Key": market.buyerKey });
  const order = {
    messageId: "the-same-intent",
    parts: [data({ service: "a-service", input_payload: input })],
  };
  const [asked, again] = [(await send(order)) as Task, (await send(order)) as Task];
  expect([asked.id, asked.status?.state]).toEqual([again.id, TaskState.TASK_STATE_INPUT_REQUIRED]);
  expect((await read(asked.id)).status?.message?.metadata).toMatchObject({
    "x402.payment.required": { accepts: [{ amount: "2500000" }, { amount: "2500000" }] },
  });

  // A refused payment is not used, and the task still asks for one.
  const payment = await payFor(asked, market.buyer.account);
  const wrong = structuredClone(payment);
  Object.assign(wrong.metadata["x402.payment.payload"].payload, { signature: `0x${"11".repeat(64)}1b` });
  const refused = (await send(wrong)) as Task;
  expect([refused.id, refused.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_INPUT_REQUIRED]);
  expect(refused.status?.message?.metadata).toMatchObject({
    "x402.payment.status": "payment-failed",
    "x402.payment.error": "INVALID_SIGNATURE",
  });

  const paid = (await send(payment)) as Task;
  expect(paid.status?.message?.metadata?.["x402.payment.status"]).toMatch(/^payment-(verified|completed)$/);
  const { tasks } = await client.listTasks(
    {
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: "",
      statusTimestampAfter: undefined,
    },
    { serviceParameters: { "X-API-Key": market.buyerKey } },
  );
  expect(tasks.map(({ id }) => id)).toContain(asked.id);
});

test("the marketplace finds services by words, and buys one of a named agent", async () => {
  const { client, send } = await connect("/");
  expect((await client.getAgentCard()).skills.map(({ id }) => id)).toEqual(["find-services", "buy-service"]);
  const found = (await send({ parts: [text("a test service")] })) as Message;
  const [, services] = found.parts;
  expect(services?.content).toMatchObject({
    value: { services: expect.arrayContaining([expect.objectContaining({ service: "a-service" })]) },
  });
  const { address } = newAccount();
  const asked = (await send({
    parts: [data({ agent: slug, service: "a-service", buyer_address: address })],
  })) as Task;
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  // Without an address for refunds there are no terms, and the answer names the missing member.
  await expect(send({ parts: [data({ agent: slug, service: "a-service" })] })).rejects.toThrow(
    /buyer_address/,
  );
  await expect(send({ parts: [data({ agent: slug, service: "nothing" })] })).rejects.toThrow(/no such/);
});

test("a card is answered once for its tag, and agents that are drafts or unknown have none", async () => {
  const cardOf = (agent: string, headers = {}) =>
    fetch(`${market.baseUrl}/a2a/${agent}/.well-known/agent-card.json`, { headers });
  const first = await cardOf(slug);
  expect(first.headers.get("cache-control")).toBe("public, max-age=60");
  const known = { "if-none-match": first.headers.get("etag") ?? "" };
  expect((await cardOf(slug, known)).status).toBe(304);

  const draft = `${slug}-draft`;
  const body = { slug: draft, name: "A draft" };
  expectStatus(201, await market.api.request("POST", "/agents", { token: market.provider.token, body }));
  for (const unknown of [draft, "nobody-here", "..%2fme"]) expect((await cardOf(unknown)).status).toBe(404);
});

test("hostile messages are refused, and a payment pays its own terms at its own agent alone", async () => {
  const at = `/a2a/${slug}`;
  const message = (parts: unknown[]) => ({ messageId: "m", role: "ROLE_USER", parts });
  const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
  const sendOf = (...parts: unknown[]) => rpc("SendMessage", { message: message(parts) });
  const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;
  const refused: [body: string, code: number][] = [
    ["{", -32700],
    [deep, -32700],
    ["", -32602],
    ["7", -32602],
    [JSON.stringify([sendOf({ text: "a" })]), -32602],
    [JSON.stringify(rpc("SendMessage", null)), -32602],
    [JSON.stringify(rpc("SendMessage", { message: "text" })), -32602],
    [JSON.stringify(rpc("SendMessage", { message: { ...message([]), parts: "all" } })), -32602],
    [JSON.stringify(sendOf({ url: "http://169.254.169.254/latest" })), -32005],
    [JSON.stringify(sendOf({ raw: "AAAA" })), -32005],
    [JSON.stringify(sendOf({ data: { service: "../../me" } })), -32602],
    [JSON.stringify(rpc("SendStreamingMessage", { message: message([{ text: "a" }]) })), -32004],
    [JSON.stringify(rpc("CreateTaskPushNotificationConfig", { url: "http://127.0.0.1" })), -32003],
    [JSON.stringify(rpc("GetExtendedAgentCard", {})), -32007],
    [JSON.stringify(rpc("GetTask", { id: "../me" })), -32001],
    [JSON.stringify(rpc("message/send", {})), -32601],
  ];
  for (const [body, code] of refused) {
    const answer = await post(at, body);
    expect([body.slice(0, 80), ((await answer.json()) as Answer["body"]).error?.code]).toEqual([
      body.slice(0, 80),
      code,
    ]);
  }
  const unversioned = await post(at, JSON.stringify(sendOf({ text: "a" })), { "a2a-version": "0.3" });
  expect(((await unversioned.json()) as Answer["body"]).error.code).toBe(-32009);
  expect((await post(at, JSON.stringify(sendOf({ text: "x".repeat(300_000) })))).status).toBe(413);
  expect((await post("/a2a/..%2f..%2fme", JSON.stringify(sendOf({ text: "a" })))).status).toBe(404);
  for (const method of ["GetTask", "CancelTask", "ListTasks"]) {
    const params = method === "ListTasks" ? {} : { id: "ord_01jd3w8x2mfhz8w9q4t6n5k7ra" };
    expect((await post(at, JSON.stringify(rpc(method, params)))).status).toBe(401);
  }

  const other = await publishService(market.api, market.provider);
  const payer = await newPayer();
  const order = { service: "a-service", input_payload: input, buyer_address: payer.address };
  const { send } = await connect(`${at}/`);
  const asked = (await send({ parts: [data(order)] })) as Task;
  const payment = await payFor(asked, payer);
  const elsewhere = await connect(`/a2a/${other.agent.slug}/`);
  await expect(elsewhere.send(payment)).rejects.toThrow(/address is that of the agent/);
  for (const [client, sent] of [
    [elsewhere, order],
    [await connect(`${at}/`), { ...order, input_payload: { text: "Do more." } }],
  ] as const) {
    const failed = (await client.send({ ...payment, parts: [data(sent)] })) as Task;
    expect([failed.id, failed.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_FAILED]);
    expect(failed.status?.message?.metadata?.["x402.payment.error"]).toBe("terms_changed");
  }
  const { id, metadata } = (await send(payment, { returnImmediately: true })) as Task;
  expect(id).toBe(asked.id);
  const { claim } = metadata as { claim: { token: string } };
  const Authorization = `Bearer ${claim.token}`;
  await expect((await connect(`/a2a/${other.agent.slug}/`, { Authorization })).read(id)).rejects.toThrow(
    /no such task/,
  );
  // The token reads, and orders nothing.
  const reader = await connect(`${at}/`, { Authorization });
  expect((await reader.read(id)).id).toBe(id);
  expect(((await reader.send({ parts: [data(order)] })) as Task).id).not.toBe(id);
});

/** Posts a text that no client would send. */
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(market.baseUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
    body,
  });

async function verify(card: AgentCard): Promise<void> {
  await verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(`${market.baseUrl}/.well-known/jwks.json`);
    const { keys } = (await (await fetch(jku as string)).json()) as { keys: { kid: string }[] };
    return keys.find((key) => key.kid === kid) as never;
  })(card);
}
