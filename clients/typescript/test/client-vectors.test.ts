import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import vectors from "../../scenarios/client-vectors.json" with { type: "json" };
import type { AgreedOrder } from "../src/buying/agreement-check.ts";
import { nameOf } from "../src/buying/place-once.ts";
import { paidAmountOf } from "../src/buying/receipt.ts";
import { readRetryAfter } from "../src/core/retry-after.ts";
import { Earnest, type Order, RelayFailedError } from "../src/index.ts";
import { digestOf } from "../src/settlement.ts";
import { readWebhook, WebhookSignatureError } from "../src/webhooks.ts";

type Pair = [name: string, value: string];

/** Headers in Node's form: a repeated header is a list. */
function asRecord(pairs: Pair[]): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    record[name] = record[name] === undefined ? value : [record[name], value].flat();
  }
  return record;
}

describe("a delivery with headers at the edges", () => {
  test.each(vectors.deliveries)("$name", ({ headers, secret, now, valid }) => {
    const pairs = headers as Pair[];
    for (const given of [asRecord(pairs), asHeaders(pairs)]) {
      if (given === null) continue;
      const read = () => readWebhook(vectors.delivery_body, given, secret, now);
      if (valid) expect(read()).toMatchObject({ type: "order.funded" });
      else expect(read).toThrow(WebhookSignatureError);
    }
  });

  /** Headers of a `Request`; null for a value that it refuses. */
  function asHeaders(pairs: Pair[]): Headers | null {
    const headers = new Headers();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a header may hold ends at U+00FF
    if (!pairs.every(([, value]) => /^[\u0000-\u00ff]*$/.test(value))) return null;
    for (const [name, value] of pairs) headers.append(name, value);
    return headers;
  }
});

test.each(vectors.retry_after)("Retry-After: $name", ({ headers: values, now, seconds }) => {
  expect(readRetryAfter(values.length > 0 ? values.join(", ") : null, now * 1000)).toBe(seconds);
});

test.each(vectors.purchase_names)("the name of a purchase has $name", ({ asked, held, purchase }) => {
  const tokens = held?.map(({ chain_id, token }) => ({ chainId: chain_id, token }));
  expect(nameOf(asked, tokens)).toBe(purchase);
});

test("an order that ended between two stages has paid the accepted ones", () => {
  const { agreement, order } = vectors.staged;
  const amounts = agreement.stages.map(({ amount_base_units }) => BigInt(amount_base_units));
  const [first = 0n, second = 0n, third = 0n] = amounts;
  const terms = { amount: first + second + third };
  const agreed = { orderId: order.id, agreement, terms } as unknown as AgreedOrder;
  for (const [last, paid] of [
    ["open", first + second],
    ["accepted", terms.amount],
  ] as const) {
    const states = ["accepted", "accepted", last];
    const stages = order.stages.map((stage, index) => ({ ...stage, state: states[index] }));
    expect(paidAmountOf(agreed, { ...order, stages } as unknown as Order)).toBe(paid);
  }
});

/** A client that gets this body in every response. */
function answering(body: string): Earnest {
  const headers = { "content-type": "application/json" };
  return new Earnest({
    baseUrl: "http://localhost",
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
}

describe("whole numbers of an answer", () => {
  test.each(vectors.numbers)("are exact, or text: $json", async ({ json, text }) => {
    const body = `{"is \\"${json}\\"": "${json}", "number": ${json}, "list": [${json}, 1.5]}`;
    const answer = await answering(body).request<Record<string, unknown>>({ verb: "GET", path: "/x" });
    expect(Object.values(answer).flat().map(String)).toEqual([text, text, text, "1.5"]);
  });

  test.each(vectors.digests.kept)("are hashed where a double has their digits: %s", (json) => {
    expect(digestOf(JSON.parse(json))).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test.each(vectors.digests.lost)("are not hashed as another number: %s", async (json) => {
    const { number } = await answering(`{"number": ${json}}`).request<{ number: unknown }>({
      verb: "GET",
      path: "/x",
    });
    expect(digestOf(number)).toBe(digestOf(json));
    expect(() => digestOf(BigInt(json))).toThrow(TypeError);
  });
});

test("members that a client does not know are kept", async () => {
  const { answer, members } = vectors.unknown;
  const order = await answering(JSON.stringify(answer)).orders.get(answer.id);
  expect(order).toEqual(answer);
  expect(members.length).toBeGreaterThan(3);
});

test.each(["release", "dispute"] as const)("a %s that the contract refuses ends the call", async (act) => {
  const { order, agreement, wallet } = vectors.failed_release;
  const { to_sign, sent, failed } = vectors[`failed_${act}`];
  const event = { id: "evt_1", type: "order.delivered", data: { order: { id: order.id } } };
  const path = `/api/v1/orders/${order.id}`;
  let isSent = false;
  const earnest = new Earnest({
    baseUrl: "http://localhost",
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      if (pathname === `${path}/${act}` && init?.method === "POST") {
        isSent = true;
        return Response.json(sent, { status: 202 });
      }
      const answers: Record<string, unknown> = {
        [path]: order,
        [`${path}/agreement`]: agreement,
        [`${path}/${act}`]: isSent ? failed : to_sign,
        "/api/v1/events": { items: [event], next_cursor: "c", has_more: false },
      };
      return Response.json(answers[pathname] ?? {}, { status: pathname in answers ? 200 : 404 });
    },
  });
  const purchase = await earnest.resume(order.id as Order["id"], {
    wallet: privateKeyToAccount(wallet as Hex),
    chainId: order.escrow.chain_id,
    escrowContract: order.escrow.contract_address,
    token: agreement.token,
  });
  const called = act === "release" ? purchase.accept() : purchase.dispute(vectors.failed_dispute.reason);
  const error = await called.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RelayFailedError);
  expect(error).toMatchObject({ orderId: order.id, act, reason: failed.relay.error });
});
