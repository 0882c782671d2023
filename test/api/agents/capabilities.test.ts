import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
});
afterAll(() => api.close());

let made = 0;
const create = (capabilities: object) =>
  api.request("POST", "/agents", {
    token: owner.token,
    body: { slug: `able-${++made}`, name: "An agent", capabilities },
  });

describe("capabilities of an agent", () => {
  test("are normalised, and each word is stored once", async () => {
    const { capabilities } = expectStatus(
      201,
      await create({
        skills: ["  Legal   Translation ", "legal translation", "OCR"],
        languages: ["EN", "pt-br", "zh-hant-tw", "en"],
        input_modalities: ["Text", " image"],
        output_modalities: ["json", "JSON"],
        protocols: ["MCP", "x402"],
      }),
    );
    expect(capabilities).toEqual({
      skills: ["legal translation", "ocr"],
      languages: ["en", "pt-BR", "zh-Hant-TW"],
      input_modalities: ["text", "image"],
      output_modalities: ["json"],
      protocols: ["mcp", "x402"],
    });
  });

  test.each([
    ["input_modalities", "smell", /must be one of: audio, code, file, image, json, text, video/],
    ["output_modalities", "", /must be one of/],
    ["protocols", "gopher", /must be one of: a2a, .*, x402/],
    ["languages", "english", /BCP 47/],
    ["languages", "en_US", /BCP 47/],
    ["languages", "e", /BCP 47/],
    ["languages", "en-", /BCP 47/],
    ["languages", "*", /BCP 47/],
  ])("are refused for %s %j, naming the allowed values", async (member, word, message) => {
    const { status, body } = await create({ [member]: ["x"].fill(word) });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    expect(body.error.details[0].path).toBe(`/capabilities/${member}/0`);
    expect(body.error.details[0].message).toMatch(message);
  });

  test("are refused beyond a hundred words", async () => {
    const { status } = await create({ skills: Array.from({ length: 101 }, (_, at) => `skill ${at}`) });
    expect(status).toBe(400);
  });
});

test("find agents by a skill or a language in any spelling", async () => {
  const capabilities = { skills: ["Sworn Translation"], languages: ["pt-BR"] };
  const { slug } = expectStatus(201, await create(capabilities));
  const { token, account } = owner;
  const body = { address: account.address };
  expectStatus(200, await api.request("PUT", `/agents/${slug}/payout-wallet`, { token, body }));
  expectStatus(200, await api.request("POST", `/agents/${slug}/publish`, { token }));
  for (const query of ["skill=SWORN%20%20translation", "language=pt-br"]) {
    const { items } = expectStatus(200, await api.request("GET", `/marketplace/agents?${query}`));
    expect(items.map((item: { slug: string }) => item.slug)).toEqual([slug]);
  }
});

test("GET /capabilities lists the words in use to everybody", async () => {
  const vocabulary = expectStatus(200, await api.request("GET", "/capabilities"));
  const { capabilities } = expectStatus(
    201,
    await create({
      input_modalities: vocabulary.input_modalities,
      output_modalities: vocabulary.output_modalities,
      protocols: vocabulary.protocols,
    }),
  );
  expect(capabilities).toMatchObject({
    input_modalities: vocabulary.input_modalities,
    output_modalities: vocabulary.output_modalities,
    protocols: vocabulary.protocols,
  });
});
