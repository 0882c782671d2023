import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { deriveSecret } from "../../../protocol/webhooks/secret.ts";
import { signDelivery, verifyWebhook } from "../../../protocol/webhooks/signature.ts";
import vectors from "../../../protocol/webhooks/vectors.json" with { type: "json" };

const { cases } = z
  .object({
    cases: z.array(
      z.strictObject({
        name: z.string(),
        valid: z.boolean(),
        now: z.number(),
        secret: z.string(),
        header: z.string().nullable(),
        body: z.string().optional(),
        body_base64: z.base64().optional(),
      }),
    ),
  })
  .loose()
  .parse(vectors);

const master = new Uint8Array(32).fill(7);
const secret = deriveSecret(master, "whe_1", 1);
const previous = deriveSecret(master, "whe_1", 2);
const id = "whd_01k5qz8y4e9t2c7m6n4w7x0v1b";
const body = '{"id":"whd_01k5qz8y4e9t2c7m6n4w7x0v1b","data":{"note":"für dich"}}';
const now = Math.floor(Date.now() / 1000);

describe("the vectors", () => {
  test("are many, valid and invalid, and distinct", () => {
    expect(cases.length).toBeGreaterThan(70);
    expect(cases.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test.each(cases)("$name: $valid", ({ valid, header, now, secret, ...vector }) => {
    const bytes =
      vector.body === undefined ? Buffer.from(vector.body_base64 ?? "", "base64") : Buffer.from(vector.body);
    expect(verifyWebhook(bytes, header, secret, now)).toBe(valid);
    if (vector.body !== undefined) expect(verifyWebhook(vector.body, header, secret, now)).toBe(valid);
  });
});

describe("the service's own header", () => {
  test("is HMAC-SHA256 over the time, a dot and the bytes, keyed with the secret as shown", () => {
    const mac = createHmac("sha256", secret).update(`1790000000.${body}`).digest("hex");
    const headers = signDelivery({ id, timestamp: 1_790_000_000, body, secrets: [secret] });
    expect(headers["X-Service-Signature"]).toBe(`t=1790000000,v1=${mac}`);
    expect(headers["X-Service-Signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });

  test("is verified for any body in any form", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const header = signDelivery({ id, timestamp: now, body: bytes, secrets: [secret] })[
          "X-Service-Signature"
        ];
        const copy = bytes.slice();
        return (
          verifyWebhook(bytes, header, secret, now) &&
          verifyWebhook(Buffer.from(bytes), header, secret, now) &&
          verifyWebhook(copy.buffer, header, secret, now) &&
          !verifyWebhook(Buffer.concat([bytes, Buffer.from([0])]), header, secret, now)
        );
      }),
    );
  });

  test("is verified by the clock where no time is given", () => {
    vi.useFakeTimers({ now: now * 1000 + 999, toFake: ["Date"] });
    try {
      const signedAt = (timestamp: number) =>
        signDelivery({ id, timestamp, body, secrets: [secret] })["X-Service-Signature"];
      expect(verifyWebhook(body, signedAt(now - 300), secret)).toBe(true);
      expect(verifyWebhook(body, signedAt(now + 300), secret)).toBe(true);
      expect(verifyWebhook(body, signedAt(now - 301), secret)).toBe(false);
      expect(verifyWebhook(body, signedAt(now + 301), secret)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is valid under the new and the old secret during a rotation", () => {
    const header = signDelivery({ id, timestamp: now, body, secrets: [secret, previous] })[
      "X-Service-Signature"
    ];
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(verifyWebhook(body, header, secret, now)).toBe(true);
    expect(verifyWebhook(body, header, previous, now)).toBe(true);
    expect(verifyWebhook(body, header, deriveSecret(master, "whe_1", 3), now)).toBe(false);
  });
});

describe("a verifier never throws", () => {
  const header = signDelivery({ id, timestamp: now, body, secrets: [secret] })["X-Service-Signature"];
  const forgotten = createHmac("sha256", "").update(`${now}.${body}`).digest("hex");
  const anything = [
    undefined,
    null,
    0,
    1,
    NaN,
    true,
    {},
    [],
    [header],
    new Date(),
    () => header,
    Symbol("x"),
    10n,
  ];
  type Wrong = Parameters<typeof verifyWebhook>;

  test("for any value in the place of body, header, secret or time", () => {
    for (const wrong of anything) {
      const bodies = [wrong, header, secret, now] as unknown as Wrong;
      const headers = [body, wrong, secret, now] as unknown as Wrong;
      const secrets = [body, `t=${now},v1=${forgotten}`, wrong, now] as unknown as Wrong;
      for (const args of [bodies, headers, secrets]) expect(verifyWebhook(...args)).toBe(false);
    }
    for (const wrong of [null, Number.NaN, {}, "soon", Number.POSITIVE_INFINITY, Symbol("x"), 10n]) {
      expect(verifyWebhook(...([body, header, secret, wrong] as unknown as Wrong))).toBe(false);
    }
    const unreadable = new Proxy({}, { get: () => expect.fail("read") });
    expect(verifyWebhook(...([unreadable, header, secret, now] as unknown as Wrong))).toBe(false);
  });

  test("for any header", () => {
    const pieces = fc.constantFrom(
      "t",
      "v1",
      "=",
      ",",
      " ",
      String(now),
      header,
      "\0",
      "é",
      "__proto__",
      "0".repeat(64),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((parts) => parts.join("")),
        ),
        (text) => {
          const verdict = verifyWebhook(body, text, secret, now);
          // Only the single signature has this property.
          return (
            verdict === false || (text.includes(`v1=${header.split("v1=")[1]}`) && text.includes(`t=${now}`))
          );
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("the stock standardwebhooks library", () => {
  const sign = (secrets: string[]) => {
    const { "X-Service-Signature": _own, ...headers } = signDelivery({ id, timestamp: now, body, secrets });
    return headers;
  };

  test("verifies our three headers, and signs as we do", () => {
    const headers = sign([secret]);
    expect(headers["webhook-id"]).toBe(id);
    expect(headers["webhook-timestamp"]).toBe(String(now));
    expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(new Webhook(secret).sign(id, new Date(now * 1000), body)).toBe(headers["webhook-signature"]);
  });

  test("verifies them with either secret during a rotation", () => {
    const headers = sign([secret, previous]);
    for (const one of [secret, previous]) {
      expect(new Webhook(one).verify(body, { ...headers })).toEqual(JSON.parse(body));
    }
    expect(headers["webhook-signature"].split(" ")).toHaveLength(2);
  });

  test("refuses another body, another id, another time and another secret", () => {
    const headers = sign([secret]);
    const verify = (key: string, text: string, changes: Record<string, string>) => () =>
      new Webhook(key).verify(text, { ...headers, ...changes });
    expect(verify(secret, body.replace("für", "fur"), {})).toThrow(/signature/);
    expect(verify(secret, body, { "webhook-id": "whd_2" })).toThrow(/signature/);
    expect(verify(secret, body, { "webhook-timestamp": String(now - 1) })).toThrow(/signature/);
    expect(verify(previous, body, {})).toThrow(/signature/);
  });
});

describe("secrets", () => {
  test("are HMAC-SHA256 of endpoint and version under the master key, in the form of Standard Webhooks", () => {
    const bytes = createHmac("sha256", master).update("webhook:whe_1:1").digest("base64");
    expect(secret).toBe(`whsec_${bytes}`);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  });

  test("differ by master key, endpoint and version, and are stable", () => {
    const other = randomBytes(32);
    const all = [
      ...[master, other].flatMap((key) =>
        ["whe_1", "whe_2", "whe_1:1"].map((endpoint) => ({ key, endpoint })),
      ),
    ].flatMap(({ key, endpoint }) => [1, 2, 11].map((version) => deriveSecret(key, endpoint, version)));
    expect(new Set(all).size).toBe(18);
    expect(deriveSecret(master.slice(), "whe_1", 1)).toBe(secret);
  });
});
