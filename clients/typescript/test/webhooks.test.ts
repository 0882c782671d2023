import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { deriveSecret } from "../../../protocol/webhooks/secret.ts";
import { signDelivery } from "../../../protocol/webhooks/signature.ts";
import { readWebhook, verifyStandardWebhook, verifyWebhook, WebhookSignatureError } from "../src/webhooks.ts";

type Case = {
  name: string;
  valid: boolean;
  now: number;
  secret: string;
  header: string | null;
  body?: string;
  body_base64?: string;
};
const file = new URL("../../../protocol/webhooks/vectors.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };

test.each(cases.map((one) => [one.name, one] as const))("protocol/webhooks/vectors.json: %s", (_, one) => {
  const body = one.body ?? new Uint8Array(Buffer.from(one.body_base64 ?? "", "base64"));
  expect(verifyWebhook(body, one.header, one.secret, one.now)).toBe(one.valid);
  if (one.header === null) return;
  const read = () => readWebhook(body, { "X-Service-Signature": one.header ?? "" }, one.secret, one.now);
  if (!one.valid) expect(read).toThrow(WebhookSignatureError);
});

const now = 1_790_000_000;
const secret = deriveSecret(new Uint8Array(32), "whe_1", 1);
const next = deriveSecret(new Uint8Array(32), "whe_1", 2);
const body = JSON.stringify({ id: "whd_1", type: "order.funded", data: { note: "für dich, 你好" } });
const signed = (secrets: string[]) => ({ ...signDelivery({ id: "whd_1", timestamp: now, body, secrets }) });

describe("a delivery of the service", () => {
  const own = ({ "X-Service-Signature": value }: ReturnType<typeof signed>) => ({
    "X-Service-Signature": value,
  });
  const standard = ({ "X-Service-Signature": _, ...rest }: ReturnType<typeof signed>) => rest;

  test.each([
    ["X-Service-Signature", own],
    ["Standard Webhooks", standard],
  ])("is read by its headers, whichever they come in: %s", (_, pick) => {
    const headers = pick(signed([secret])) as Record<string, string>;
    for (const given of [headers, new Headers(headers)]) {
      expect(readWebhook(body, given, secret, now)).toMatchObject({ type: "order.funded" });
      expect(readWebhook(new TextEncoder().encode(body), given, secret, now + 300).id).toBe("whd_1");
      expect(() => readWebhook(body, given, secret, now + 301)).toThrow(WebhookSignatureError);
      expect(() => readWebhook(`${body} `, given, secret, now)).toThrow(WebhookSignatureError);
      expect(() => readWebhook(body, given, "", now)).toThrow(WebhookSignatureError);
      expect(() => readWebhook(body, given, [], now)).toThrow(WebhookSignatureError);
    }
  });

  test.each([
    ["X-Service-Signature", own],
    ["Standard Webhooks", standard],
  ])("is read while its secret is replaced, by who knows either or both: %s", (_, pick) => {
    const headers = pick(signed([next, secret])) as Record<string, string>;
    for (const known of [secret, next, [next, secret]]) {
      expect(readWebhook(body, headers, known, now).id).toBe("whd_1");
    }
    expect(() => readWebhook(body, headers, deriveSecret(new Uint8Array(32), "whe_2", 1), now)).toThrow();
  });

  test("without any signature, or with a bad one beside a good one, is refused", () => {
    expect(() => readWebhook(body, {}, secret, now)).toThrow(WebhookSignatureError);
    const both = { ...standard(signed([secret])), "x-service-signature": "t=1,v1=00" };
    expect(() => readWebhook(body, both, secret, now)).toThrow(WebhookSignatureError);
  });

  test("is read as the library of Standard Webhooks reads it, and what that one signs too", () => {
    const at = new Date();
    const library = new Webhook(secret);
    const seconds = Math.floor(at.getTime() / 1000);
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": library.sign("msg_1", at, body),
    };
    expect(verifyStandardWebhook(body, headers, secret)).toBe(true);
    expect(verifyStandardWebhook(body, { ...headers, "webhook-id": "msg_2" }, secret)).toBe(false);
    expect(verifyStandardWebhook(body, { ...headers, "webhook-signature": "v1a,AAAA v1,AAAA" }, secret)).toBe(
      false,
    );
  });
});
