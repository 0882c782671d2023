import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { sql } from "drizzle-orm";
import { type Address, erc20Abi, type Hex, type LocalAccount, maxUint256 } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replaceKeyFile } from "../../config/keys/signing-key.ts";
import { parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { parseKeyring, rotateKeys } from "../../receipts/keyring.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import type { Child } from "../../tools/stack/process.ts";
import { startIndexer, startWorker } from "../../tools/stack/services.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { startArchivedPostgres } from "../harness/archived-postgres.ts";
import { until } from "../harness/jobs/ledger.ts";
import { listen, type Receiver } from "../harness/outbound/receiver.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

type Body = Answer["body"];

let postgres: Awaited<ReturnType<typeof startArchivedPostgres>>;
let stack: TestStack;
let receiver: Receiver;
let buyer: Session;
let provider: Session;
let serviceId: string;
/** The programs that run now. */
let programs: Child[] = [];
/** All requests to the provider's endpoint. */
const received: Body[] = [];

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(204).end();
  });
  [postgres, receiver] = await Promise.all([startArchivedPostgres(), listen(server)]);
  stack = await startStack({ isKept: true, database: postgres.database });
  programs = [stack.indexer, stack.worker as Child];
  const api = requesterOf(stack.baseUrl);
  buyer = await signIn(api);
  provider = await signIn(api);
  serviceId = (await publishService(api, provider)).service.id;
  await call(provider, 201, "POST", "/webhooks", {
    url: `http://localhost:${receiver.port}/`,
    events: ["*"],
  });
  await stack.chain.fund(buyer.account);
  const { escrow_contract, token } = stack.chain.chain;
  const { publicClient, wallet } = stack.chain;
  const hash = await wallet(buyer.account).writeContract({
    abi: erc20Abi,
    address: token.address,
    functionName: "approve",
    args: [escrow_contract, maxUint256],
  });
  await publicClient.waitForTransactionReceipt({ hash });
});
afterAll(async () => {
  await stop();
  await receiver?.close();
  await stack?.close();
  await postgres?.close();
});

async function call(
  who: Session,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const api = requesterOf(stack.baseUrl);
  return expectStatus(
    status,
    await api.request(method, path, { token: who.token, ...(body ? { body } : {}) }),
  );
}

async function send(account: LocalAccount, call: { to: Address; data: Hex }): Promise<void> {
  const { publicClient, wallet } = stack.chain;
  const hash = await wallet(account).sendTransaction({ to: call.to, data: call.data });
  expect((await publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}

const place = () => call(buyer, 201, "POST", "/orders", { service_id: serviceId });

async function fund({ id }: Body): Promise<void> {
  const { calls } = await call(buyer, 200, "GET", `/orders/${id}/payment-instructions`);
  await send(buyer.account, calls.at(-1));
}

async function deliver({ id }: Body): Promise<void> {
  await call(provider, 200, "POST", `/orders/${id}/start`);
  await call(provider, 200, "POST", `/orders/${id}/deliver`, { output_payload: { done: true } });
}

/** Signs the record of a delivery, which the relayer sends. */
async function record({ id }: Body): Promise<void> {
  const { typed_data } = await call(provider, 200, "GET", `/orders/${id}/delivery-record`);
  const signature = await provider.account.signTypedData(typed_data);
  await call(provider, 202, "POST", `/orders/${id}/delivery-record`, { signature });
  await reach({ id }, "delivery.recorded");
}

async function release({ id }: Body): Promise<void> {
  const { actions } = await call(buyer, 200, "GET", `/orders/${id}/settlement-options`);
  await send(buyer.account, actions.find(({ action }: Body) => action === "release").call);
}

const trailOf = async ({ id }: Body): Promise<Body[]> =>
  (await call(provider, 200, "GET", `/orders/${id}/events`)).items;

/** Waits until an order's trail has a confirmed step. */
const reach = ({ id }: Body, type: string) =>
  until(
    async () => (await trailOf({ id })).find((entry) => entry.type === type && entry.confirmed),
    `${type} of ${id}`,
  );

const receiptsOf = async ({ id }: Body): Promise<Body[]> =>
  (await call(buyer, 200, "GET", `/orders/${id}/receipts`)).items;

const feed = (cursor?: string) =>
  call(provider, 200, "GET", `/events${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);

const eventsOf = ({ id }: Body, type: string) =>
  received.filter((body) => body.type === type && body.data.order?.id === id);

/** Waits until the receiver has this many events of a step. */
const untilReceived = (order: Body, type: string, times = 1) =>
  until(async () => eventsOf(order, type).length >= times, `${type} at the receiver`);

const sentByRelayer = () =>
  stack.chain.publicClient.getTransactionCount({ address: localAccounts.relayer.address });

const readLog = async () => (await call(buyer, 200, "GET", "/chain/status")).log;
const readTree = async () => {
  const note = await (await fetch(`${stack.baseUrl}/log/checkpoint`)).text();
  const { size, root } = parseCheckpoint(parseNote(note).text);
  return { size, root: Buffer.from(root).toString("hex") };
};

/** Kills all programs at once. */
async function stop(): Promise<void> {
  for (const child of programs) child.kill("SIGKILL");
  await Promise.all(programs.map(({ exited }) => exited));
  programs = [];
}

async function start(): Promise<void> {
  const logOf = (name: string) => `${stack.config.signingKeyFile}.${name}.log`;
  const keep = (child: Child) => programs.push(child);
  await Promise.all([
    startIndexer(stack.env, logOf("indexer"), keep),
    startWorker(stack.env, logOf("worker"), keep),
  ]);
}

test("a database of an hour ago, beside a chain that continued, catches up and repeats nothing; the log waits for its lost entries", async () => {
  const [recorded, paidLater, unpaid] = [await place(), await place(), await place()];
  await fund(recorded);
  await reach(recorded, "order.funded");
  await deliver(recorded);
  await record(recorded);
  await untilReceived(recorded, "delivery.recorded");
  await until(async () => (await readTree()).size >= 2, "the log has the first receipt");
  const early = await readTree();
  const backup = await postgres.backUp();
  await postgres.mark("an_hour_ago");

  // The hour that is lost.
  await fund(paidLater);
  await release(recorded);
  await Promise.all([reach(paidLater, "order.funded"), reach(recorded, "order.released")]);
  await deliver(paidLater);
  await record(paidLater);
  const lost = await place();
  await Promise.all([
    untilReceived(lost, "order.created"),
    untilReceived(recorded, "order.released"),
    untilReceived(paidLater, "delivery.recorded"),
  ]);
  const keyring = parseKeyring(readFileSync(stack.config.signingKeyFile, "utf8"));
  const now = new Date(Date.now() + 1000);
  const rotated = rotateKeys(keyring, { begin: now, end: now, now: new Date() });
  replaceKeyFile(stack.config.signingKeyFile, rotated);
  const keyLog = async () =>
    (await (await fetch(`${stack.baseUrl}/.well-known/earnest-key-log.json`)).json()) as {
      entries: unknown[];
    };
  await until(async () => (await keyLog()).entries.length === rotated.log.length, "the new key");
  const { next_cursor } = await feed();
  const receipts = [...(await receiptsOf(recorded)), ...(await receiptsOf(paidLater))];
  expect(receipts).toHaveLength(3);
  const treeSize = 3 + rotated.log.length;
  await until(async () => (await readTree()).size === treeSize, "the log has all of it");
  const late = await readTree();
  const relayed = await sentByRelayer();
  const receivedBefore = received.length;
  await postgres.archiveAll();

  // The database of an hour ago, with the files of today.
  await stop();
  await postgres.restore(backup, "an_hour_ago");
  await start();
  await Promise.all([
    untilReceived(recorded, "order.released", 2),
    untilReceived(paidLater, "order.funded", 2),
    untilReceived(paidLater, "delivery.recorded", 2),
  ]);
  expectStatus(
    404,
    await requesterOf(stack.baseUrl).request("GET", `/orders/${lost.id}`, { token: buyer.token }),
  );
  expect((await call(buyer, 200, "GET", `/orders/${unpaid.id}`)).status).toBe("created");
  // Chain events are sent again under the same ids, by which a receiver removes the repeats.
  for (const body of received.slice(receivedBefore)) {
    const before = received.slice(0, receivedBefore).find(({ id }) => id === body.id);
    expect({ id: body.id, event_id: body.event_id, data: body.data.entry }).toEqual({
      id: before?.id,
      event_id: before?.event_id,
      data: before?.data.entry,
    });
  }
  // The receipts have the same ids, and are valid.
  const again = [...(await receiptsOf(recorded)), ...(await receiptsOf(paidLater))];
  expect(again.map(({ id }) => id)).toEqual(receipts.map(({ id }) => id));
  expect((await keyLog()).entries).toEqual(rotated.log);
  // The log adds nothing, and signs no other tree.
  await until(async () => (await readLog()).halted === "rolled_back", "the log is halted");
  expect(await readTree()).toEqual(early);
  // No relay is sent twice: the provider's delivery is recognised by its repeated call.
  await deliver(paidLater);
  expect(await sentByRelayer()).toBe(relayed);
  // The service works: the feed continues for its reader, and the relayer takes the chain's nonce.
  const next = await place();
  await fund(next);
  await reach(next, "order.funded");
  await deliver(next);
  await record(next);
  expect(await sentByRelayer()).toBe(relayed + 1);
  await untilReceived(next, "delivery.recorded");
  const followed = await feed(next_cursor);
  const types = followed.items
    .filter(({ data }: Body) => data.order.id === next.id)
    .map(({ type }: Body) => type);
  expect(types).toEqual(expect.arrayContaining(["order.created", "order.funded", "delivery.recorded"]));
  expect(await readTree()).toEqual(early);

  // After the last commit comes back from the archive, the log continues.
  await stop();
  await postgres.restore(backup, null);
  await start();
  await until(async () => (await readLog()).halted === null, "the log goes on");
  expect((await call(buyer, 200, "GET", `/orders/${lost.id}`)).status).toBe("created");
  expect([...(await receiptsOf(recorded)), ...(await receiptsOf(paidLater))]).toEqual(receipts);
  await fund(lost);
  await reach(lost, "order.funded");
  await until(async () => (await readTree()).size === late.size + 1, "the log grows");
  expect(await sentByRelayer()).toBe(relayed + 1);
  const { rows } = await postgres.database.db.execute<{ n: number }>(
    sql`select count(*)::int as n from earnest.log_queue`,
  );
  expect(rows[0]?.n).toBe(0);
});
