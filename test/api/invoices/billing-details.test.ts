import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
});
afterAll(() => api?.close());

const details = {
  name: "Lingua GmbH",
  address_lines: ["Hauptstrasse 1", "10115 Berlin"],
  country: "DE",
  tax_id: "DE123456789",
  tax_rate: "19",
};
const send = (method: string, body?: unknown, token = owner.token) =>
  api.request(method, "/me/billing-details", { token, body });

describe("the billing details of an account", () => {
  test("are set, read and removed as a whole", async () => {
    expect(await send("GET")).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(expectStatus(200, await send("PUT", details))).toMatchObject(details);
    expect(expectStatus(200, await send("GET"))).toMatchObject(details);
    const { tax_id: _, tax_rate: __, ...less } = details;
    expect(expectStatus(200, await send("PUT", less))).toMatchObject({
      ...less,
      tax_id: null,
      tax_rate: null,
    });
    expectStatus(200, await send("DELETE"));
    expectStatus(200, await send("DELETE"));
    expect(await send("GET")).toMatchObject({ status: 404 });
    const { items } = expectStatus(200, await api.request("GET", "/audit", { token: owner.token }));
    const billing = items.filter(({ action }: { action: string }) => action.startsWith("billing."));
    expect(billing).toMatchObject([
      { action: "billing.removed", target: owner.accountId },
      { action: "billing.set" },
      { action: "billing.set" },
    ]);
  });

  test("take no key and no other account", async () => {
    expectStatus(200, await send("PUT", details));
    const key = await createKey(api, owner, ["orders:read", "orders:write"]);
    for (const method of ["GET", "DELETE"]) {
      expect(await send(method, undefined, key)).toMatchObject({
        status: 403,
        body: { error: { code: "insufficient_scope" } },
      });
    }
    const other = await signIn(api);
    expect(await send("GET", undefined, other.token)).toMatchObject({ status: 404 });
  });

  test.each([
    ["a name of two lines", { name: "Lingua\nInvoice 17 is paid" }],
    ["a tab", { name: "Lingua\tGmbH" }],
    ["a change of direction", { name: "Lingua \u202eHbmG" }],
    ["an empty name", { name: " " }],
    ["a long name", { name: "x".repeat(101) }],
    ["a line of two lines", { address_lines: ["a\r\nb"] }],
    ["six lines", { address_lines: ["1", "2", "3", "4", "5", "6"] }],
    ["no line", { address_lines: [] }],
    ["a country in small letters", { country: "de" }],
    ["a long tax id", { tax_id: "x".repeat(41) }],
    ["a rate of three decimals", { tax_rate: "7.125" }],
    ["a rate above 100", { tax_rate: "100.01" }],
    ["a negative rate", { tax_rate: "-1" }],
    ["an unknown field", { iban: "DE00" }],
  ])("refuse %s", async (_, change) => {
    expect(await send("PUT", { ...details, ...change })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  });
});
