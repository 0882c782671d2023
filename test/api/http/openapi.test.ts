import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorStatus } from "../../../api/http/api-error.ts";
import { describeApi } from "../../../api/http/openapi.ts";
import { exampleData } from "../../../api/webhooks/event-types.ts";
import type { EventType } from "../../../protocol/settlement/vocabulary.ts";
import { apiPath } from "../../../protocol/settlement/vocabulary.ts";
import type { TestApi } from "../../harness/api.ts";
import { type Part, partsOf, sentIn, shownIn } from "../../harness/described-parts.ts";
import { createDocumentedApi, operationsOf } from "../../harness/documented.ts";

type Body = { content: { "application/json": { schema: { $ref: string } } } };

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("docs/openapi.json", () => {
  const text = read("docs/openapi.json");
  const document = JSON.parse(text);

  test("equals what the routes describe", () => {
    expect(JSON.parse(JSON.stringify(describeApi(api.app, apiPath)))).toEqual(document);
  });

  test("names no host", () => {
    expect(document.servers).toEqual([{ url: "/api/v1" }]);
    expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
  });

  test("has only JSON below /api/v1, and places each other operation at the root", () => {
    const atRoot: string[] = [];
    for (const { path, method, operationId } of operationsOf(api)) {
      const { servers, responses } = document.paths[path][method.toLowerCase()];
      if (servers) {
        expect(servers).toEqual([{ url: "/" }]);
        atRoot.push(operationId);
        continue;
      }
      const media = Object.values(responses as Record<string, { content?: object }>).flatMap(
        ({ content = {} }) => Object.keys(content),
      );
      expect(media.filter((type) => !/^application\/(.+\+)?json$/.test(type))).toEqual([]);
    }
    expect(atRoot.sort()).toEqual([
      "downloadDataExport",
      "exportInvoice",
      "exportInvoiceCsv",
      "exportOrders",
      "exportOrdersJson",
      "exportPayments",
      "exportReceivedOrders",
      "exportReceivedOrdersJson",
      "exportStatement",
      "exportStatementCsv",
      "exportSubscriptionPayments",
      "readReceiptProof",
      "streamEvents",
    ]);
  });

  test("has a unique operationId for each operation", () => {
    const ids = operationsOf(api).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(35);
    expect(ids).not.toContain("");
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refers only to schemas that it has", () => {
    const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(references.length).toBeGreaterThan(100);
    const schemas = Object.keys(document.components.schemas);
    expect(references.filter((name) => !schemas.includes(`${name}`))).toEqual([]);
  });

  test("marks each operation that is public", () => {
    for (const { path, method } of operationsOf(api)) {
      expect([path, method, document.paths[path][method.toLowerCase()].security]).toEqual([
        path,
        method,
        expect.any(Array),
      ]);
    }
    expect(document.paths["/marketplace/filters"].get.security).toEqual([]);
  });

  test("has patterns that work as they stand in every language", () => {
    const patterns = [...text.matchAll(/"pattern": ("(?:[^"\\\\]|\\\\.)*")/g)].map(([, one = ""]) =>
      JSON.parse(one),
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\/[a-z]*$|\\p|\\u|\(\?[^:]/i);
      expect(() => new RegExp(pattern, "u")).not.toThrow();
    }
    const q = document.paths["/marketplace/services"].get.parameters.find(
      ({ name }: { name: string }) => name === "q",
    );
    expect("translation japanese").toMatch(new RegExp(q.schema.pattern));
    expect("a\u0000b").not.toMatch(new RegExp(q.schema.pattern));
  });

  test("bounds everything that is sent: length or pattern of texts, range of numbers, items of lists, members of objects", () => {
    // The members of these objects are set by a service's schema, JSON Schema, x402 or a signer.
    const free = ["input_schema", "output_schema", "input_payload", "output_payload"].concat(
      "PaymentSubmission",
      "ReceiptToCheck",
    );
    const unbound = new Set<string>();
    let fields = 0;
    for (const [where, root] of sentIn(document)) {
      for (const { name, schema } of partsOf(document, where, root)) {
        fields += 1;
        const has = (...keywords: string[]) => keywords.some((keyword) => keyword in schema);
        const types = [schema.type ?? []].flat();
        const isBound =
          has("enum", "const", "anyOf", "oneOf", "$ref") ||
          types.every(
            (type) =>
              ({
                boolean: true,
                null: true,
                string: has("pattern", "format", "maxLength"),
                integer: has("minimum", "exclusiveMinimum") && has("maximum"),
                array: has("maxItems"),
                object: schema.additionalProperties === false || free.some((one) => name.includes(one)),
              })[String(type)] ?? false,
          );
        if (!isBound || (types.length === 0 && !has("enum", "const", "anyOf", "oneOf", "$ref"))) {
          unbound.add(`${name}: ${JSON.stringify(schema)}`);
        }
      }
    }
    expect([...unbound]).toEqual([]);
    expect(fields).toBeGreaterThan(400);
  });

  test("names every schema that a client would have to name: objects, enumerations and patterns", () => {
    const nameless = new Set<string>();
    for (const [where, root] of [...sentIn(document), ...shownIn(document)]) {
      for (const { name, schema, isNamed } of partsOf(document, where, root)) {
        const forms = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
        if (isNamed || !(schema.properties || (schema.enum?.length ?? 0) > 1 || forms.length > 1)) continue;
        nameless.add(`${name}: ${JSON.stringify(schema).slice(0, 200)}`);
      }
    }
    expect([...nameless]).toEqual([]);
  });

  test("gives no name to a schema that also allows null", () => {
    const schemas: [string, Part][] = Object.entries(document.components.schemas);
    const nullable = schemas.filter(
      ([, { type, enum: words = [] }]) => [type].flat().includes("null") || words.includes(null),
    );
    expect(nullable.map(([name]) => name)).toEqual([]);
  });

  test("describes the requests to endpoints, with test events", () => {
    const ajv = addFormats(new Ajv2020({ strict: false }));
    ajv.addSchema(document, "document");
    for (const [type, { post }] of Object.entries<{ post: { operationId: string; requestBody: Body } }>(
      document.webhooks,
    )) {
      expect(post.operationId).toMatch(/^on[A-Z][A-Za-z]+$/);
      const { $ref } = post.requestBody.content["application/json"].schema;
      const created_at = "2026-11-21T09:30:00.000Z";
      const sent = {
        id: "whd_01jd3w8x2mfhz8w9q4t6n5k7ra",
        event_id: "evt_01jd3w8x2mfhz8w9q4t6n5k7ra",
        type,
        created_at,
        data: exampleData(type as EventType),
      };
      expect(sent.data).toHaveProperty("test", true);
      const validate = ajv.compile({ $ref: `document${$ref}` });
      expect([type, validate(sent), ajv.errorsText(validate.errors)]).toEqual([type, true, "No errors"]);
    }
  });

  test("lists the errors of each route in the envelope", () => {
    const { responses } = document.paths["/agents/{slug}/publish"].post;
    expect(Object.keys(responses)).toEqual([
      "200",
      "400",
      "401",
      "403",
      "404",
      "409",
      "412",
      "422",
      "429",
      "500",
      "503",
    ]);
    expect(responses[409].description).toBe("`invalid_state` or `payout_wallet_required`");
    for (const status of [400, 401, 403, 404, 409, 412, 422, 429, 500, 503]) {
      expect(responses[status].content["application/json"].schema).toEqual({
        $ref: "#/components/schemas/ApiError",
      });
    }
  });
});

test("refuses unknown query parameters, naming the known ones", async () => {
  const answer = await api.request("GET", "/marketplace/services?max_prize=5");
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error: {
        code: "invalid_request",
        details: [
          { path: "/max_prize", keyword: "unrecognized_keys", message: expect.stringContaining("max_price") },
        ],
      },
    },
  });
  expect((await api.request("GET", "/chain/status?verbose=1")).status).toBe(400);
});

test("is served at GET /openapi.json with the address of this service", async () => {
  const { status, body } = await api.request("GET", "/openapi.json");
  expect(status).toBe(200);
  expect(body.openapi).toBe("3.1.0");
  expect(body.servers).toEqual([{ url: "http://localhost:42069/api/v1" }]);
});

test("GET /openapi.json is built once, and is 304 for a client that has it", async () => {
  const path = "/openapi.json";
  const [first, second] = [await api.request("GET", path), await api.request("GET", path)];
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect(second.headers.get("etag")).toBe(tag);
  expect(first.headers.get("cache-control")).toBe("public, max-age=300");
  const again = await api.request("GET", path, { headers: { "if-none-match": tag } });
  expect([again.status, again.body]).toEqual([304, ""]);
});

test("has an example of every JSON body, valid against its schema", () => {
  const document = JSON.parse(read("docs/openapi.json"));
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(document, "document");
  let examples = 0;
  const check = (
    where: string,
    media: { schema: object; example?: unknown; examples?: object } | undefined,
  ) => {
    if (!media) return;
    const given = media.examples
      ? Object.keys(media.examples).map((name) => document.components.examples[name].value)
      : [media.example];
    const validate = ajv.compile(JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"document#/')));
    for (const example of given) {
      examples += 1;
      expect([where, validate(example), ajv.errorsText(validate.errors)]).toEqual([where, true, "No errors"]);
    }
  };
  for (const { path, method } of operationsOf(api)) {
    const operation = document.paths[path][method.toLowerCase()];
    check(`${method} ${path}`, operation.requestBody?.content["application/json"]);
    for (const [status, answer] of Object.entries(operation.responses)) {
      const { content } = answer as { content?: Record<string, { schema: object }> };
      check(`${method} ${path} ${status}`, content?.["application/json"]);
    }
  }
  expect(examples).toBeGreaterThan(800);
});

test("GET /docs has a title for crawlers, and leads programs to the description", async () => {
  const answer = await api.request("GET", "/docs");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.body).toContain("<title>API reference · Earnest</title>");
  expect(answer.body).toMatch(/<noscript>.*<a href="\.\/api\/v1\/openapi\.json">/s);
});

describe("docs/errors.md", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \| (.+) \|$/gm)];

  test("explains every code, with its status, its cause and what to do", () => {
    expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(errorStatus);
    expect(rows).toHaveLength(Object.keys(errorStatus).length);
  });
});
