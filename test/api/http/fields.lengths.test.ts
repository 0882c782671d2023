import { z } from "@hono/zod-openapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeApi } from "../../../api/http/openapi.ts";
import { apiPath } from "../../../protocol/settlement/vocabulary.ts";
import { expectStatus, publishService } from "../../harness/api.ts";
import { ask, createMarket, type Market } from "../../harness/market/market.ts";

/** One character of two UTF-16 units. */
const character = "💎";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

type Described = {
  $ref?: string;
  maxLength?: number;
  pattern?: string;
  format?: string;
  properties?: Record<string, Described>;
};
type Parameter = { name: string; in: string; schema: Described };

/** The schemas of members whose body is processed before. */
const objectOf = (reader: unknown): Partial<z.ZodObject> | undefined =>
  reader instanceof z.ZodPipe ? objectOf(reader.out) : (reader as Partial<z.ZodObject> | undefined);

/**
 * The strings of bodies and queries with a bound on the length only, from the published document, and their
 * schemas.
 */
function* boundedStrings() {
  const { app } = market.api;
  const document = JSON.parse(JSON.stringify(describeApi(app, apiPath)));
  const resolve = (schema: Described | undefined): Described | undefined =>
    schema?.$ref ? document.components.schemas[schema.$ref.split("/").at(-1) as string] : schema;
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { method, path, request } = definition.route;
    const { requestBody, parameters = [] } = document.paths[path.replace(apiPath, "")]?.[method] ?? {};
    const body = resolve(requestBody?.content["application/json"]?.schema)?.properties ?? {};
    const query = (parameters as Parameter[]).filter((parameter) => parameter.in === "query");
    const ofBody = request?.body?.content["application/json"] as { schema: unknown } | undefined;
    const described = [
      ...Object.entries(body).map(([name, schema]) => ({
        name,
        schema,
        isBody: true,
        reader: ofBody?.schema,
      })),
      ...query.map(({ name, schema }) => ({ name, schema, isBody: false, reader: request?.query })),
    ];
    for (const { name, schema, isBody, reader } of described) {
      const { maxLength, pattern, format } = resolve(schema) ?? {};
      const field = objectOf(reader)?.shape?.[name] as z.ZodType | undefined;
      if (!maxLength || pattern || format || !field) continue;
      yield { where: `${method} ${path} ${name}`, isBody, maxLength, field };
    }
  }
}

test("every length of a string counts a character outside the basic plane as one, as JSON Schema does", () => {
  const bounded = [...boundedStrings()];
  expect(bounded.length).toBeGreaterThan(20);
  const refusesFor = (field: z.ZodType, length: number) =>
    field.safeParse(character.repeat(length)).error?.issues.some(({ code }) => code === "too_big") ?? false;
  const wrong = bounded.filter(
    ({ field, maxLength }) => refusesFor(field, maxLength) || !refusesFor(field, maxLength + 1),
  );
  expect(wrong.map(({ where }) => where)).toEqual([]);
});

/** Texts that nobody else reads, words of a list, and texts that pages escape or a hash covers. */
const takenToTheLetter =
  / (nonce|message|url|domain|address|cursor|organisation|token|currency|price_currency|reason_hash|ruling_hash|signature|device_code|link_code)$|dispute(\/statements|\/decision)? (reason|text|ruling)$/;

test("every text that others read is refused when it contains hidden characters", () => {
  const bodies = [...boundedStrings()].filter(({ isBody, where }) => isBody && !takenToTheLetter.test(where));
  const refuses = (field: z.ZodType, text: string) => {
    const issues = field.safeParse(text).error?.issues ?? [];
    return issues.some(({ message }) => /invisible character|combining marks/.test(message));
  };
  const wrong = bodies.filter(
    ({ field }) => !refuses(field, "a\u202eb") || !refuses(field, `Z${"\u0301".repeat(9)}`),
  );
  expect(wrong.map(({ where }) => where)).toEqual([]);
  expect(bodies.length).toBeGreaterThan(20);
});

test("the lengths in a service's own schema count characters so too", async () => {
  const { service } = await publishService(market.api, market.provider, {
    input_schema: {
      type: "object",
      properties: { word: { type: "string", minLength: 3, maxLength: 4 } },
      required: ["word"],
    },
  });
  const order = (length: number) =>
    ask(market, market.buyer, "POST", "/orders", {
      service_id: service.id,
      input_payload: { word: character.repeat(length) },
    });
  const refused = async (length: number) =>
    expectStatus(422, await order(length)).error.details.map(({ keyword }: { keyword: string }) => keyword);
  expect(await refused(2)).toEqual(["minLength"]);
  expectStatus(201, await order(3));
  expectStatus(201, await order(4));
  expect(await refused(5)).toEqual(["maxLength"]);
});
