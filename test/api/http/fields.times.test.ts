import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApi, expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";

let api: TestApi;
let owner: Session;
let endpoint: string;
beforeAll(async () => {
  api = await createTestApi();
  owner = await signIn(api);
  const body = { url: "https://buyer.example/hook", events: ["*"] };
  endpoint = expectStatus(201, await api.request("POST", "/webhooks", { token: owner.token, body })).id;
});
afterAll(() => api?.close());

const lists = () => [
  "/payments?",
  "/exports/payments.csv?",
  "/exports/subscription-payments.csv?",
  "/payments/sums?",
  "/subscriptions/me/payments?",
  `/webhooks/${endpoint}/deliveries?`,
];
const read = (path: string) => api.request("GET", path, { token: owner.token });
const recover = (body: object) =>
  api.request("POST", `/webhooks/${endpoint}/recover`, { token: owner.token, body });

test.each([
  "0000-06-01T00:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-14:00",
  "+010000-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-11-21T09:30:00",
])("the time %s is 400 in every list, as JSON and as a table, and in a recovery", async (time) => {
  for (const list of lists()) {
    for (const name of ["since", "until"]) {
      const answer = await read(`${list}${name}=${encodeURIComponent(time)}`);
      expect(answer, `${list}${name}`).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_request", details: [{ path: `/${name}` }] } },
      });
    }
  }
  const now = new Date().toISOString();
  for (const body of [{ since: time }, { since: now, until: time }])
    expect((await recover(body)).status, JSON.stringify(body)).toBe(400);
});

test.each(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-21t09:30:00.123456789z"])(
  "the time %s is accepted by every list",
  async (time) => {
    for (const list of lists()) {
      for (const name of ["since", "until"])
        expect((await read(`${list}${name}=${time}`)).status, list).toBe(200);
    }
  },
);

test("a recovery accepts lower-case letters in its times", async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString().toLowerCase();
  expect(expectStatus(202, await recover({ since })).since).toBe(since.toUpperCase());
});
