import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { linkIn, type MailBench, startMailBench } from "../../harness/jobs/mail.ts";
import { ask } from "../../harness/market/market.ts";

let bench: MailBench;
let buyer: Session;
let provider: Session;
let serviceId: string;
beforeAll(async () => {
  bench = await startMailBench();
  buyer = await signIn(bench.api);
  provider = await signIn(bench.api);
  serviceId = (await publishService(bench.api, provider, { input_schema: null, output_schema: null })).service
    .id;
});
afterAll(() => bench?.close());
afterEach(() => bench.clear());

/** Sets the provider's address, and confirms it. */
async function subscribe(settings: object = {}) {
  const body = { address: bench.addressOf(provider), events: ["order.message"], ...settings };
  bench.mail.taken.length = 0;
  expectStatus(200, await bench.put(provider, body));
  await bench.run();
  await bench.post(linkIn(bench.to(provider)[0]?.text ?? "", "verify"));
  bench.mail.taken.length = 0;
}

async function place(): Promise<string> {
  const body = { service_id: serviceId };
  return expectStatus(201, await ask(bench, buyer, "POST", "/orders", body)).id;
}
const send = async (id: string, text: string): Promise<string> =>
  expectStatus(201, await ask(bench, buyer, "POST", `/orders/${id}/messages`, { text })).id;
const subjects = () => bench.to(provider).map(({ headers }) => headers.get("subject"));

test("several unread messages on an order are one mail, without their texts", async () => {
  await subscribe();
  const id = await place();
  await send(id, "Visit https://evil.example now");
  await send(id, "Now!");
  await bench.run();
  await bench.letTimePass();
  await send(id, "Really!");
  await bench.run();
  expect(subjects()).toEqual([expect.stringMatching(/^You have unread messages about “.*”$/)]);
  const [mail] = bench.to(provider);
  expect(mail?.raw).not.toMatch(/evil|Now!/);
  expect(mail?.text).toContain(`/orders/${id}`);
});

test("a message that was read or withdrawn before the mail is sent is not mailed", async () => {
  await subscribe();
  const [read, withdrawn] = [await place(), await place()];
  const [one, other] = [await send(read, "Hello"), await send(withdrawn, "Hello")];
  expectStatus(200, await ask(bench, provider, "POST", `/orders/${read}/messages/read`, { up_to: one }));
  expectStatus(200, await ask(bench, buyer, "POST", `/orders/${withdrawn}/messages/${other}/withdraw`));
  await bench.run();
  expect(subjects()).toEqual([]);
});

test("a message that replaces a withdrawn one is mailed", async () => {
  await subscribe();
  const id = await place();
  const first = await send(id, "Helo");
  expectStatus(200, await ask(bench, buyer, "POST", `/orders/${id}/messages/${first}/withdraw`));
  await send(id, "Hello");
  await bench.run();
  expect(subjects()).toEqual([expect.stringMatching(/^You have unread messages/)]);
});

test("a digest has one line for an order with messages of several hours, and none for other types", async () => {
  await subscribe({ mode: "digest" });
  const [one, other] = [await place(), await place()];
  await send(one, "Hello");
  await bench.api.db.execute(
    "update earnest.order_correspondent set notified_at = now() - interval '1 hour'",
  );
  await send(one, "Still there?");
  await send(other, "Hello");
  await bench.run();
  expect(subjects()).toEqual(["2 updates on Earnest"]);
});

test("an account that does not choose messages gets no mail of them", async () => {
  await subscribe({ events: ["order.funded"] });
  await send(await place(), "Hello");
  await bench.run();
  expect(subjects()).toEqual([]);
});
