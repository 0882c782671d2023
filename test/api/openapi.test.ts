import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorStatus } from "../../api/errors.ts";
import { basePath, describeApi } from "../../api/openapi.ts";
import type { TestApi } from "../harness/api.ts";
import { createDocumentedApi, operationsOf } from "./documented.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("docs/openapi.json", () => {
  const text = read("docs/openapi.json");
  const document = JSON.parse(text);

  test("is what the routes say now", () => {
    expect(JSON.parse(JSON.stringify(describeApi(api.app, basePath)))).toEqual(document);
  });

  test("names no host", () => {
    expect(document.servers).toEqual([{ url: "/api/v1" }]);
    expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
  });

  test("has an operationId for each operation, and none twice", () => {
    const ids = operationsOf(api).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(35);
    expect(ids).not.toContain("");
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refers to nothing that is not in it", () => {
    const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(references.length).toBeGreaterThan(100);
    const schemas = Object.keys(document.components.schemas);
    expect(references.filter((name) => !schemas.includes(`${name}`))).toEqual([]);
  });

  test("lists the errors of a route, each in the envelope", () => {
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
        $ref: "#/components/schemas/Error",
      });
    }
  });
});

test("GET /openapi.json serves the document with the address of this service", async () => {
  const { status, body } = await api.request("GET", "/openapi.json");
  expect(status).toBe(200);
  expect(body.openapi).toBe("3.1.0");
  expect(body.servers).toEqual([{ url: "http://localhost:42069/api/v1" }]);
});

test("every JSON body of the document has an example, and each example is as its schema says", () => {
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

describe("GET /docs", () => {
  test("is a page that names every operation and schema, runs no script, and asks no other host", async () => {
    const answer = await api.request("GET", "/docs");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const { operationId } of operationsOf(api)) expect(answer.body).toContain(`id="${operationId}"`);
    for (const name of Object.keys(JSON.parse(read("docs/openapi.json")).components.schemas)) {
      expect(answer.body).toContain(`id="schema-${name}"`);
    }
    expect(answer.body).not.toMatch(/<script|<link|<img|@import|url\(/);
    const linked = [...answer.body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const unknown = linked.filter((id) => !answer.body.includes(`id="${id}"`));
    expect(unknown).toEqual([]);
  });
});

describe("docs/errors.md", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \| (.+) \|$/gm)];

  test("explains every code, with its status, when it comes and what to do", () => {
    expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(errorStatus);
    expect(rows).toHaveLength(Object.keys(errorStatus).length);
  });
});
