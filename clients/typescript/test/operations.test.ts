import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Method, Resource, TypeRef } from "../../generator/model.ts";
import { handWritten } from "../../generator/names.ts";
import { type OpenApi, readModel } from "../../generator/read.ts";
import { camelCase } from "../../generator/words.ts";
import { Earnest } from "../src/index.ts";

const file = new URL("../../../docs/openapi.json", import.meta.url);
const document = JSON.parse(readFileSync(file, "utf8")) as OpenApi;
const model = readModel(document);

type Sent = { url: URL; method: string; headers: Headers; body: string | null };
const sent: Sent[] = [];
const client = new Earnest({
  baseUrl: "https://market.example",
  apiKey: "esk_1",
  fetch: async (url, init) => {
    const headers = new Headers(init?.headers);
    sent.push({
      url: new URL(String(url)),
      method: init?.method ?? "",
      headers,
      body: (init?.body as string) ?? null,
    });
    return Response.json({ items: [], next_cursor: null });
  },
});

function methodsOf(resource: Resource): { name: string; method: Method }[] {
  const own = resource.methods.map((method) => ({
    name: [...resource.path, method.name].map(camelCase).join("."),
    method,
  }));
  return [...own, ...resource.resources.flatMap(methodsOf)];
}

/** A value that the method sends for a query's field. */
function sampleOf(ref: TypeRef): unknown {
  if (ref.kind === "amount") return "1.5";
  if (ref.kind === "integer") return 7;
  if (ref.kind === "boolean") return true;
  return ref.kind === "list" ? ["a", "b"] : "text";
}

const named = (object: unknown, name: string) => (object as Record<string, unknown>)[name];

describe("every operation of docs/openapi.json", () => {
  const all = methodsOf(model.root);

  test("has a method", () => {
    const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
    const generated = operations.filter(({ operationId }) => handWritten[operationId] === undefined);
    expect(all.map(({ method }) => method.operationId).toSorted()).toEqual(
      generated.map(({ operationId }) => operationId).toSorted(),
    );
    // The operations without a generated method are written by hand.
    expect(Object.keys(handWritten)).toEqual(["streamEvents", "readReceiptProof"]);
    expect(client.events.stream).toBeTypeOf("function");
  });

  test.each(all)("$name sends what the document says", async ({ name, method }) => {
    const path = name.split(".");
    const owner = path.slice(0, -1).reduce<unknown>(named, client) as object;
    const call = named(owner, path.at(-1) ?? "") as (...given: unknown[]) => Promise<unknown>;
    const parameters = method.pathParameters.map((_, at) => `a/${at}`);
    const query = Object.fromEntries(method.query.map(({ name, type }) => [name, sampleOf(type)]));
    const body = { note: "sent" };
    sent.length = 0;
    await call.call(
      owner,
      ...parameters,
      ...(method.body ? [body] : []),
      ...(method.query.length > 0 ? [query] : []),
      {
        idempotencyKey: "key-1",
        ...Object.fromEntries(method.headers.map(({ name }) => [camelCase(name), `"${name}"`])),
      },
    );
    expect(sent.length).toBe(1);
    const [{ url, method: verb, headers, body: text } = {} as Sent] = sent;
    const filled = parameters.reduce(
      (path, parameter) => path.replace(/\{\w+\}/, encodeURIComponent(parameter)),
      method.path,
    );
    expect([verb, url.pathname]).toEqual([method.verb, method.root ? filled : `/api/v1${filled}`]);
    expect([...url.searchParams]).toEqual(
      Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
    );
    expect(text).toBe(method.body ? JSON.stringify(body) : null);
    expect(headers.get("idempotency-key")).toBe(method.takesKey ? "key-1" : null);
    expect(headers.get("authorization")).toBe(method.access === "none" ? null : "Bearer esk_1");
    for (const { name } of method.headers) expect(headers.get(name)).toBe(`"${name}"`);
    if (!method.headers.some(({ name }) => name === "if-match")) expect(headers.get("if-match")).toBeNull();
  });
});
