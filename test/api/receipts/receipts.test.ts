import { createContext, Script } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { receipt } from "../../../db/schema.ts";
import { issuerOf } from "../../../receipts/index.ts";
import { signX402Offer } from "../../../receipts/sign.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  placeDelivered,
  settleNow,
} from "../../harness/market/market.ts";
import { sampleOffer } from "../../harness/receipts/documents.ts";

let market: Market;
let issuer: string;
/** The receipts of an order whose delivered work was paid. */
let funded: Answer["body"];
let released: Answer["body"];

beforeAll(async () => {
  market = await createMarket();
  issuer = issuerOf(market.api.config.publicUrl);
  const { id, row } = await placeDelivered(market);
  await indexer(market, row).ended("Released");
  await settleNow(market);
  const list = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}/receipts`));
  [funded, released] = list.items;
});
afterAll(() => market.api.close());

const get = (path: string, headers: Record<string, string> = {}) => market.api.app.request(path, { headers });
const page = (id: string) => get(`/receipts/${id}`, { accept: "text/html" });

describe("a receipt's two addresses", () => {
  test.each([undefined, "*/*", "text/html", "image/png"])(
    "are JSON and a page, whatever the client accepts: %s",
    async (accept) => {
      const headers: Record<string, string> = accept ? { accept } : {};
      const typeAt = async (path: string) => (await get(path, headers)).headers.get("content-type");
      expect(await typeAt(`/api/v1/receipts/${released.id}`)).toBe("application/json");
      expect(await typeAt(`/receipts/${released.id}`)).toBe("text/html; charset=UTF-8");
    },
  );

  test("allow pages of other hosts to read the document", async () => {
    expect((await get(`/api/v1/receipts/${released.id}`)).headers.get("access-control-allow-origin")).toBe(
      "*",
    );
  });
});

describe("the page of a receipt", () => {
  test("shows the settlement, in words and as signed", async () => {
    const text = await (await page(released.id)).text();
    expect(text).toContain(
      `<h1>2.500000 TUSD was released from escrow to ${released.document.provider}</h1>`,
    );
    for (const [name, value] of Object.entries(released.document)) {
      if (typeof value === "object") continue;
      expect(text).toContain(`<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
    }
    expect(JSON.parse(textIn(text, "document"))).toEqual(released.document);
    expect(textIn(text, "x402")).toBe(released.x402_receipt);
    expect(text).not.toContain("Revoked");
  });

  test("omits a missing x402 receipt", async () => {
    const text = await (await page(funded.id)).text();
    expect(text).toContain(`was put into escrow by ${funded.document.buyer}`);
    expect(text).not.toContain('id="x402');
  });

  test("loads nothing from other hosts, runs only the served script, and is never framed", async () => {
    const answer = await page(released.id);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'sha256-");
    expect(policy).toContain(
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const text = await answer.text();
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(loaded).toEqual(["../receipt-page.js"]);
    expect(text).not.toMatch(/ on\w+=| style=/);
  });

  test("shows text as text, whatever its content", async () => {
    const [row] = await market.api.db.select().from(receipt).where(eq(receipt.id, funded.id));
    const hostile = { ...row?.document, order_id: "</pre><script>alert(1)</script>" };
    await market.api.db.update(receipt).set({ document: hostile }).where(eq(receipt.id, funded.id));
    try {
      const text = await (await page(funded.id)).text();
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    } finally {
      await market.api.db.update(receipt).set({ document: row?.document }).where(eq(receipt.id, funded.id));
    }
  });

  test("shows that the receipt is revoked", async () => {
    const revoke = (at: Date | null) =>
      market.api.db.update(receipt).set({ revokedAt: at }).where(eq(receipt.id, funded.id));
    await revoke(new Date());
    try {
      expect(await (await page(funded.id)).text()).toContain("Revoked: a reorganisation removed the block");
    } finally {
      await revoke(null);
    }
  });

  test("is 404 for an unknown receipt", async () => {
    expect((await page("rcp_01jd3w8x2mfhz8w9q4t6n5k7ra")).status).toBe(404);
  });

  test("has a script served as one file, with caching and revalidation", async () => {
    const answer = await get("/receipt-page.js");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
    ]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = answer.headers.get("etag") ?? "";
    expect((await get("/receipt-page.js", { "if-none-match": etag })).status).toBe(304);
    expect((await answer.text()).length).toBeLessThan(270_000);
  });

  test("has a script that checks the page with browser features only", async () => {
    const text = await (await page(released.id)).text();
    const good = await runScript(text);
    expect(good["document-verdict"]).toEqual({
      valid: "true",
      text: `The signature is valid: key ${issuer}#key-1-mb. The issuer's list of revoked receipts does not contain it.`,
    });
    expect(good["x402-verdict"]).toMatchObject({
      valid: "true",
      text: expect.stringContaining(`The signature is valid: key ${issuer}#key-1.`),
    });
    const amount = `&quot;amount&quot;: &quot;${released.document.amount}&quot;`;
    expect(text).toContain(amount);
    const forged = await runScript(text.replace(amount, "&quot;amount&quot;: &quot;9&quot;"));
    expect(forged["document-verdict"]).toMatchObject({
      valid: "false",
      text: expect.stringMatching(/^Not valid: invalid_signature\./),
    });
    expect(forged["x402-verdict"]).toMatchObject({ valid: "true" });
  });

  /** The text of the element of that id, as a browser reads it. */
  function textIn(text: string, id: string): string {
    const [, content = ""] = new RegExp(`<pre id="${id}">([^<]*)</pre>`).exec(text) ?? [];
    return content
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  }

  /** Runs the served script over a page, as a browser would. Returns the verdicts. */
  async function runScript(text: string) {
    const elements: Record<string, { textContent: string; dataset: Record<string, string> }> = {
      main: { textContent: "", dataset: { issuer: /data-issuer="([^"]*)"/.exec(text)?.[1] ?? "" } },
    };
    for (const id of ["document", "x402"]) {
      elements[`#${id}`] = { textContent: textIn(text, id), dataset: {} };
      elements[`#${id}-verdict`] = { textContent: "", dataset: {} };
    }
    const { URL, TextEncoder, TextDecoder, AbortController, AbortSignal, setTimeout, clearTimeout } =
      globalThis;
    const context = createContext({
      crypto,
      atob,
      btoa,
      URL,
      TextEncoder,
      TextDecoder,
      AbortController,
      AbortSignal,
      setTimeout,
      clearTimeout,
      fetch: (url: string, init?: RequestInit) => market.api.app.request(new URL(url).pathname, init),
      document: { querySelector: (selector: string) => elements[selector] ?? null },
    });
    const script = await (await get("/receipt-page.js")).text();
    // The script is a module with `await` at its top, which a plain script may have in a function only.
    await new Script(`(async () => {${script}})()`).runInContext(context);
    return Object.fromEntries(
      ["document-verdict", "x402-verdict"].map((id) => {
        const { dataset, textContent } = elements[`#${id}`] as (typeof elements)[string];
        return [id, { valid: dataset.valid, text: textContent }];
      }),
    );
  }
});

describe("POST /receipts/verify", () => {
  const verify = async (receipt: unknown) =>
    expectStatus(200, await market.api.request("POST", "/receipts/verify", { body: { receipt } }));

  test("verifies a document, as text or object, and names the service as its verifier", async () => {
    for (const form of [released.document, JSON.stringify(released.document)]) {
      expect(await verify(form)).toEqual({
        convenience: true,
        notice: expect.stringContaining("only as good as your trust in it"),
        issuer,
        kind: "settlement_document",
        valid: true,
        code: null,
        message: null,
        key_id: `${issuer}#key-1-mb`,
        says: released.document,
        status: "good",
        chain_checked: false,
      });
    }
  });

  test("verifies an x402 receipt and an offer, in either form", async () => {
    const jws = released.x402_receipt;
    for (const form of [jws, { format: "jws", signature: jws }]) {
      expect(await verify(form)).toMatchObject({
        kind: "x402_receipt",
        valid: true,
        says: { transaction: released.document.transaction },
      });
    }
    const signer = readReceiptSigner(market.api.config);
    const offer = { ...sampleOffer({ url: market.api.config.publicUrl }), validUntil: 4_000_000_000 };
    const [key] = signer.keys;
    if (!key) throw new Error("There is no key.");
    expect(await verify(await signX402Offer(offer, key, issuer))).toMatchObject({
      kind: "x402_offer",
      valid: true,
      says: { payTo: offer.payTo },
    });
  });

  test.each([
    ["a changed document", () => ({ ...released.document, amount: "9" }), "invalid_signature"],
    ["a changed JWS", () => changeInside(released.x402_receipt), "invalid_signature"],
    ["the receipt object around it", () => released, "wrong_kind"],
    [
      "a member named twice",
      () => JSON.stringify(released.document).replace("{", '{"id":"",'),
      "duplicate_member",
    ],
    ["nonsense", () => "nonsense", "malformed"],
    ["nothing", () => "", "malformed"],
    [
      "another's document",
      () => ({ ...released.document, issuer: "did:web:other.example" }),
      "foreign_issuer",
    ],
  ])("is 200 with a verdict of invalid for %s", async (_what, form, code) => {
    expect(await verify(form())).toMatchObject({ valid: false, code, kind: null, says: null, key_id: null });
  });

  test.each([
    ["a list", [1]],
    ["a number", 7],
    ["null", null],
  ])("is 400 for %s", async (_what, receipt) => {
    await expectRefusal(
      market,
      () => market.api.request("POST", "/receipts/verify", { body: { receipt } }),
      400,
      "invalid_request",
    );
  });
});

describe("GET /schemas/{name}", () => {
  test("is the schema that the document names, and accepts the document", async () => {
    const { publicUrl } = market.api.config;
    expect(released.document.$schema).toBe(`${publicUrl}/api/v1/schemas/settlement-document-2.json`);
    const answer = await get(new URL(released.document.$schema).pathname);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/schema+json"]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=86400");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const schema = (await answer.json()) as { $id: string };
    expect(schema.$id).toBe(released.document.$schema);
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    expect([validate(funded.document), validate(released.document)]).toEqual([true, true]);
    expect(validate({ ...released.document, amount: 2500000 })).toBe(false);
  });

  test("is cached, and revalidated by its tag", async () => {
    const path = "/api/v1/schemas/settlement-document-1.json";
    const etag = (await get(path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"/);
    expect((await get(path, { "if-none-match": etag })).status).toBe(304);
  });

  test.each(["settlement-document-3.json", "settlement-document-2", "..%2f"])(
    "is 404 for %s",
    async (name) => {
      await expectRefusal(market, () => market.api.request("GET", `/schemas/${name}`), 404, "not_found");
    },
  );
});

/** Another character inside the signature, where each one counts. */
function changeInside(jws: string): string {
  const at = jws.length - 20;
  return `${jws.slice(0, at)}${jws[at] === "A" ? "B" : "A"}${jws.slice(at + 1)}`;
}
