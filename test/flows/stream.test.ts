import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectStatus, publishService, requesterOf, signIn } from "../harness/api.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { openStream } from "../harness/streams.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ env: { NODE_ENV: "production" } });
});
afterAll(() => stack?.close());

test("a party hears of the money by the stream, and a restart ends the stream in order", async () => {
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [await signIn(api), await signIn(api)];
  await stack.chain.fund(buyer.account);
  const { service } = await publishService(api, provider, { price: "1" });
  const stream = await openStream(stack.baseUrl, provider.token);
  const types = () => stream.told.map(({ data }) => data.type);
  const { id } = expectStatus(
    201,
    await api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id } }),
  );
  const { calls } = expectStatus(
    200,
    await api.request("GET", `/orders/${id}/payment-instructions`, { token: buyer.token }),
  );
  for (const { to, data } of calls) {
    const hash = await stack.chain.wallet(buyer.account).sendTransaction({ to, data });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  }
  await vi.waitFor(() => expect(types()).toEqual(["order.created", "order.funded"]), { timeout: 60_000 });
  // A connection that is cut is no end of a stream: its reader would fail.
  const ended = stream.ended.then(() => stream.failure());
  await stack.indexer.stop(10_000);
  expect(await ended).toBeNull();
});
