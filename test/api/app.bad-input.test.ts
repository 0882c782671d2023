import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeApi } from "../../api/http/openapi.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import {
  type Answer,
  addressOf,
  type RequestOptions,
  type Session,
  signIn,
  type TestApi,
} from "../harness/api.ts";
import { createDocumentedApi, type Operation, operationsOf } from "../harness/documented.ts";
import { randomRuns, sampleOf } from "../harness/random-runs.ts";

type Described = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { example: Record<string, unknown> }> };
};

let api: TestApi;
let owner: Session;
let operations: Operation[];
let described: Record<string, Record<string, Described>>;

beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  // Signing out would end the session that this table uses.
  operations = operationsOf(api).filter(({ operationId }) => operationId !== "signOut");
  described = describeApi(api.app, apiPath).paths as typeof described;
});
afterAll(() => api?.close());

const detailsOf = ({ path, method }: Operation): Described => described[path]?.[method.toLowerCase()] ?? {};
const exampleOf = (operation: Operation) =>
  detailsOf(operation).requestBody?.content["application/json"]?.example;
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const queryOf = (operation: Operation) =>
  (detailsOf(operation).parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
const requiredQueries = ["provider_amount=1", `to=0x${"1".repeat(40)}&amount=1`];
const requiredQueryOf = (operation: Operation) => {
  const names = detailsOf(operation).parameters?.map(({ name }) => name) ?? [];
  const query = requiredQueries.find((each) =>
    each.split(/=[^&]*&?/).every((name) => !name || names.includes(name)),
  );
  return query ? `?${query}` : "";
};
const isGuarded = ({ security }: Operation) =>
  security.length > 0 && !security.some((scheme) => Object.keys(scheme).length === 0);
/** A path with well-formed names that do not exist. */
const nobodys = ({ path }: Operation) =>
  path.replaceAll(/(\w+)\/\{(\w+)\}|\{(\w+)\}/g, (_, parent, name, alone) => {
    const value = unknownIds[`${parent}`] ?? unknownIds[name ?? alone] ?? "nothing-like-it";
    return parent ? `${parent}/${value}` : value;
  });
const id = (prefix: string) => `${prefix}_01jd3w8x2mfhz8w9q4t6n5k7ra`;
const unknownIds: Record<string, string> = {
  orders: id("ord"),
  receipts: id("rcp"),
  proofs: id("rcp"),
  requests: id("rqt"),
  reviews: id("rev"),
  quotes: id("quo"),
  subscriptions: id("sub"),
  webhooks: id("whe"),
  deliveries: id("whd"),
  wallets: id("wal"),
  organisations: id("acc"),
  members: id("acc"),
  invitations: id("inv"),
};
/** Others than operators are answered 403; test/api/operator/ has these operations. */
const isOfOperators = ({ path }: Operation) => path.startsWith("/operator/");
const ask = (operation: Operation, path: string, options: RequestOptions = {}) =>
  api.request(operation.method, path, { token: owner.token, ...options });

/** Calls each operation and returns those whose answer is not the expected one. */
async function tryEach(
  some: Operation[],
  request: (operation: Operation) => Promise<Answer>,
  expected: (answer: Answer, operation: Operation) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const operation of some) {
    const answer = await request(operation);
    if (!expected(answer, operation)) {
      wrong.push(`${nameOf(operation)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
    }
  }
  return wrong;
}

describe("every operation with a body", () => {
  const withBody = () => operations.filter((operation) => exampleOf(operation) !== undefined);

  test("refuses each member of another type, naming it", async () => {
    const strange = [null, true, -1, 1.5, "\u0000", "😀".repeat(20_000), [[]], { a: { b: 1 } }];
    let [refused, asked] = [0, 0];
    for (const operation of withBody()) {
      const example = exampleOf(operation) ?? {};
      for (const [member, value] of Object.entries(example)) {
        const others = strange.filter((one) => typeof one !== typeof value || one === null);
        for (const other of sampleOf(others, asked++)) {
          const body = { ...example, [member]: other };
          const answer = await ask(operation, nobodys(operation), { body });
          expect([nameOf(operation), member, other, answer.status < 500]).toEqual([
            nameOf(operation),
            member,
            other,
            true,
          ]);
          if (answer.status === 400) refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(randomRuns(300));
  });
});

describe("every operation", () => {
  test("answers 404 for names that do not exist", async () => {
    const some = operations.filter(
      (operation) => operation.path.includes("{") && isGuarded(operation) && !isOfOperators(operation),
    );
    expect(some.length).toBeGreaterThan(40);
    const wrong = await tryEach(
      some,
      (operation) =>
        ask(operation, `${nobodys(operation)}${requiredQueryOf(operation)}`, { body: exampleOf(operation) }),
      (answer) => answer.status === 404 && ["not_found", "file_not_found"].includes(answer.body.error.code),
    );
    expect(wrong).toEqual([]);
  });

  test("answers every hostile path and query as documented", async () => {
    const hostile = [
      "%00",
      "%27%3B%20drop%20table%20earnest.order%3B--",
      "..%2F..%2Fetc%2Fpasswd",
      "%F0%9F%98%80",
      "%ED%A0%80",
      "-1",
      "1e999",
      "NaN",
      "%25_%25",
      "x".repeat(1500),
      "ord_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    ];
    let requestCount = 0;
    for (const [at, operation] of operations.entries()) {
      for (const value of sampleOf(hostile, at)) {
        const paths = [operation.path.replaceAll(/\{\w+\}/g, value)];
        // Query values reach the database by the same code everywhere, so a few operations are enough.
        for (const name of hostile.indexOf(value) < 6 ? queryOf(operation) : [])
          paths.push(`${nobodys(operation)}?${name}=${value}`);
        for (const path of new Set(paths)) {
          const answer = await ask(operation, path, { body: exampleOf(operation) });
          requestCount += 1;
          expect([operation.method, path, answer.status < 500], JSON.stringify(answer.body)).toEqual([
            operation.method,
            path,
            true,
          ]);
        }
      }
    }
    expect(requestCount).toBeGreaterThan(randomRuns(1500));
  });

  test("refuses another body under a used Idempotency-Key, if it writes", async () => {
    const freed: string[] = [];
    const some = operations.filter(
      (operation) =>
        operation.method !== "GET" &&
        isGuarded(operation) &&
        !isOfOperators(operation) &&
        exampleOf(operation) !== undefined,
    );
    const wrong = await tryEach(
      some,
      async (operation) => {
        const headers = { "Idempotency-Key": `table-${operation.operationId}` };
        const path = nobodys(operation);
        const first = await ask(operation, path, { body: exampleOf(operation), headers });
        // An answer that is independent of the write leaves the key unused.
        if ([401, 402, 403].includes(first.status)) freed.push(nameOf(operation));
        return ask(operation, path, { body: { ...exampleOf(operation), other: 1 }, headers });
      },
      (answer, operation) =>
        freed.includes(nameOf(operation)) ||
        (answer.status === 422 && answer.body.error.code === "idempotency_mismatch"),
    );
    expect(wrong).toEqual([]);
    expect(freed).toEqual(["POST /auth/me/wallets"]);
  });

  test("is 405 with the methods of its path", async () => {
    const paths = new Set(operations.map(({ path }) => path));
    for (const path of paths) {
      const taken = operations.filter((one) => one.path === path).map(({ method }) => method);
      // No path has this method.
      const place = addressOf(path.replaceAll(/\{\w+\}/g, "x"));
      const other = await api.app.request(place, { method: "PROPFIND" });
      expect([path, other.status]).toEqual([path, 405]);
      for (const method of taken) expect(other.headers.get("allow")).toContain(method);
    }
  });
});

test("every operation is 429 with Retry-After once the caller's limit is used up", async () => {
  const limited = await createDocumentedApi({ env: { RATE_LIMITS: "credential=3" } });
  try {
    const caller = await signIn(limited);
    while ((await limited.request("GET", "/me", { token: caller.token })).status === 200) {
      // Repeats until the limit is used up.
    }
    for (const operation of operations) {
      const answer = await limited.request(operation.method, nobodys(operation), {
        token: caller.token,
        body: exampleOf(operation),
      });
      expect([nameOf(operation), answer.status, answer.body.error?.code]).toEqual([
        nameOf(operation),
        429,
        "rate_limited",
      ]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  } finally {
    await limited.close();
  }
});
