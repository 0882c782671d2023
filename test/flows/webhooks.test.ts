import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { verifyWebhook } from "../../protocol/webhooks/signature.ts";
import {
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { until } from "../harness/jobs/ledger.ts";
import { listen, type Receiver } from "../harness/outbound/receiver.ts";
import { testOnStack } from "../harness/stack.ts";

type Received = { headers: IncomingHttpHeaders; raw: string };

let receiver: Receiver;
let api: Requester;
let buyer: Session;
let serviceId: string;
const received: Received[] = [];
testOnStack.beforeAll(async ({ stack }) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, raw: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  receiver = await listen(server);
  api = requesterOf(stack.baseUrl);
  const provider = await signIn(api);
  buyer = await signIn(api);
  serviceId = (await publishService(api, provider)).service.id;
});
afterAll(() => receiver?.close());

const call = async (status: number, method: string, path: string, body?: unknown) =>
  expectStatus(status, await api.request(method, path, { token: buyer.token, ...(body ? { body } : {}) }));
const placeOrder = () => call(201, "POST", "/orders", { service_id: serviceId });
const bodyOf = ({ raw }: Received) => JSON.parse(raw);
const verifies = ({ raw, headers }: Received, secret: string) => {
  const signature = headers["x-service-signature"] as string;
  if (!verifyWebhook(raw, signature, secret)) return false;
  return Boolean(new Webhook(secret).verify(raw, headers as Record<string, string>));
};

/** Returns request number `count`, counted from 1. */
const untilReceived = (count: number) => until(async () => received[count - 1], `request ${count}`);

test("an endpoint gets the events of an order, and its owner can rotate, test, resend, pause and recover", async () => {
  const endpoint = await call(201, "POST", "/webhooks", {
    url: `http://localhost:${receiver.port}/hook`,
    events: ["*"],
  });
  const path = `/webhooks/${endpoint.id}`;

  // The worker, another process, signs with the secret that the API showed.
  const order = await placeOrder();
  const first = await untilReceived(1);
  expect(verifies(first, endpoint.secret)).toBe(true);
  const body = bodyOf(first);
  expect(body).toMatchObject({
    type: "order.created",
    data: { order: { id: order.id, status: "created", your_role: "buyer" } },
  });
  const feed = await call(200, "GET", "/events");
  expect(body).toMatchObject({ id: first.headers["x-service-delivery"], event_id: feed.items[0].id });
  expect(feed.items).toEqual([{ ...body, id: body.event_id }]);

  const rotated = await call(200, "POST", `${path}/rotate-secret`);
  expect(rotated.secret).not.toBe(endpoint.secret);
  await call(202, "POST", `${path}/test`, { type: "order.released" });
  const tested = await untilReceived(2);
  expect(tested.headers["x-service-event"]).toBe("order.released");
  for (const secret of [endpoint.secret, rotated.secret]) expect(verifies(tested, secret)).toBe(true);

  const delivery = await until(async () => {
    const { items } = await call(200, "GET", `${path}/deliveries?status=succeeded&type=order.created`);
    return items[0];
  }, "the delivery in the history");
  await call(202, "POST", `${path}/deliveries/${delivery.id}/resend`);
  const again = await untilReceived(3);
  expect(again.raw).toBe(first.raw);
  const detail = await until(async () => {
    const found = await call(200, "GET", `${path}/deliveries/${delivery.id}`);
    return found.attempt_list.length === 2 ? found : null;
  }, "two attempts");
  expect(detail.attempt_list[1]).toMatchObject({ status_code: 204 });
  expect(JSON.stringify(detail.body)).toBe(first.raw);

  await call(200, "PATCH", path, { status: "paused" });
  const missed = await placeOrder();
  await call(200, "PATCH", path, { status: "active" });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const recovery = await call(202, "POST", `${path}/recover`, { since });
  const recovered = await untilReceived(4);
  expect(bodyOf(recovered).data.order.id).toBe(missed.id);
  const done = await until(async () => {
    const found = await call(200, "GET", `${path}/recoveries/${recovery.id}`);
    return found.status === "done" ? found : null;
  }, "the end of the recovery");
  expect(done).toMatchObject({ queued: 1, total: 2 });

  await call(200, "DELETE", path);
  await placeOrder();
  const other = await call(201, "POST", "/webhooks", {
    url: `http://localhost:${receiver.port}/other`,
    events: ["order.created"],
  });
  const last = await placeOrder();
  const fifth = await untilReceived(5);
  expect(bodyOf(fifth).data.order.id).toBe(last.id);
  expect(verifies(fifth, other.secret)).toBe(true);
  expect(received).toHaveLength(5);
});
