import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { Credential, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import { type Address, bytesToHex, type LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { order } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { indexer, rowOf } from "../../harness/market/market.ts";
import { newAccount } from "../../harness/market/payments.ts";
import { input, openPurchases, type Purchases } from "../../harness/market/purchases.ts";

let market: Purchases["market"];
let path: string;
let newPayer: Purchases["newPayer"];
let sign: Purchases["sign"];
let countAll: Purchases["countAll"];
let appFetch: Purchases["appFetch"];
let post: Purchases["post"];
beforeAll(async () => {
  ({ market, path, newPayer, sign, countAll, appFetch, post } = await openPurchases());
});
afterAll(() => market?.close());

describe("a client of MPP", () => {
  const url = () => `http://localhost:42069/api/v1${path}`;
  const request = (payer: LocalAccount) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input_payload: input, buyer_address: payer.address }),
  });
  const clientOf = (account: LocalAccount, fetched = appFetch) => {
    const { token, chain_id } = market.chain;
    const { name, version } = token as { name: string; version: string };
    const charge = evm.charge({
      account,
      networks: [chain_id],
      currencies: [token.address],
      decimals: token.decimals,
      maxAmount: "50",
      authorization: { name, version },
    });
    return Mppx.create({ fetch: fetched, methods: [charge], polyfill: false });
  };
  const bodyOf = async (response: Response) => (await response.json()) as Answer["body"];

  test("buys by one call, by the challenge of MPP, and pays the order's own deposit address", async () => {
    const payer = await newPayer();
    const sent: Request[] = [];
    const watching = ((target: string, init?: RequestInit) => {
      sent.push(new Request(target, init));
      return appFetch(target, init);
    }) as typeof fetch;
    const bought = await clientOf(payer, watching).fetch(url(), request(payer));
    const { order: placed, payment: paid } = await bodyOf(bought);
    expect([bought.status, paid.payer, paid.method]).toEqual([202, payer.address, "eip3009"]);
    expect(sent.map(({ headers }) => headers.get("authorization")?.split(" ")[0])).toEqual([
      undefined,
      "Payment",
    ]);
    const credential = Credential.deserialize(sent[1]?.headers.get("authorization") ?? "");
    const { payload, challenge } = credential as Credential.Credential<{ to: Address; value: string }>;
    expect(payload).toMatchObject({ to: placed.escrow.deposit_address, value: "2500000" });
    expect(challenge).toMatchObject({ method: "evm", intent: "charge", realm: "localhost:42069" });

    // The same credential gets the same order, and a receipt once the payment is in the escrow.
    const authorization = sent[1]?.headers.get("authorization") ?? "";
    const again = () =>
      market.api.app.request(url(), {
        ...request(payer),
        headers: { "content-type": "application/json", authorization },
      });
    expect((await bodyOf(await again())).order.id).toBe(placed.id);
    await indexer(market, await rowOf(market, placed.id)).funded();
    const settled = await again();
    expect((await bodyOf(settled)).order.id).toBe(placed.id);
    expect(Receipt.fromResponse(settled)).toMatchObject({ method: "evm", status: "success" });
    expect(await market.api.db.$count(order, eq(order.buyerAddress, payer.address))).toBe(1);
  });

  test("is offered its challenge only if it asks, within the headers that a proxy lets through", async () => {
    const body = { input_payload: input, buyer_address: newAccount().address };
    for (const accepted of [undefined, "tempo/charge", "evm/charge;q=0", "evm/session"]) {
      const headers: Record<string, string> = accepted === undefined ? {} : { "accept-payment": accepted };
      expect((await post(body, { headers })).headers.get("www-authenticate")).toBeNull();
    }
    for (const accepted of ["evm/charge", "tempo/charge, evm/charge;q=0.5", "*/*"]) {
      const { status, headers } = await post(body, { headers: { "accept-payment": accepted } });
      const [required = "", challenge = ""] = ["payment-required", "www-authenticate"].map(
        (name) => headers.get(name) ?? "",
      );
      expect([status, challenge.split(" ")[0]]).toEqual([402, "Payment"]);
      expect(required.length + challenge.length).toBeLessThan(3500);
    }
  });

  test("pays by x402 with the same program, where it gets no challenge of MPP", async () => {
    const payer = await newPayer();
    const silent = ((target: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.delete("accept-payment");
      return appFetch(target, { ...init, headers });
    }) as typeof fetch;
    const bought = await clientOf(payer, silent).fetch(url(), request(payer));
    expect([bought.status, (await bodyOf(bought)).payment.payer]).toEqual([202, payer.address]);
  });

  test("is not read beside a payment of x402, which has bought", async () => {
    const { request: body, header } = await sign(await newPayer());
    const { order: placed } = expectStatus(202, await post(body, { headers: header }));
    await indexer(market, await rowOf(market, placed.id)).funded();
    const both = await post(body, { headers: { ...header, authorization: "Payment e30" } });
    expect(expectStatus(202, both).order.id).toBe(placed.id);
    expect(both.headers.get("payment-receipt")).toBeNull();
  });

  test("is refused for altered challenges, another payer, and a nonce of another challenge, and nothing is used", async () => {
    const payer = await newPayer();
    let credential = "";
    const catching = ((target: string, init?: RequestInit) => {
      credential = new Headers(init?.headers).get("authorization") ?? "";
      return credential ? Promise.resolve(new Response("{}")) : appFetch(target, init);
    }) as typeof fetch;
    await clientOf(payer, catching).fetch(url(), request(payer));
    const { challenge, payload } = JSON.parse(
      Buffer.from(credential.replace("Payment ", ""), "base64url").toString(),
    );
    const send = (changed: object) => {
      const authorization = `Payment ${Buffer.from(JSON.stringify(changed)).toString("base64url")}`;
      const headers = { "content-type": "application/json", authorization };
      return market.api.app.request(url(), { ...request(payer), headers });
    };
    const asked = JSON.parse(Buffer.from(challenge.request, "base64url").toString());
    const withRequest = (change: object) => ({
      payload,
      challenge: {
        ...challenge,
        request: Buffer.from(JSON.stringify({ ...asked, ...change })).toString("base64url"),
      },
    });
    const before = await countAll();
    for (const [changed, status] of [
      [{ challenge: { ...challenge, id: `${challenge.id.slice(0, -1)}x` }, payload }, 402],
      [{ challenge: { ...challenge, realm: "evil.example" }, payload }, 402],
      [{ challenge, payload: { ...payload, nonce: bytesToHex(randomBytes(32)) } }, 402],
      [{ challenge, payload: { ...payload, from: newAccount().address } }, 402],
      [{ challenge, payload: { ...payload, value: "1" } }, 402],
      [withRequest({ amount: "1" }), 402],
      [withRequest({ recipient: payer.address }), 402],
      [{ challenge: { ...challenge, method: "tempo" }, payload }, 400],
      [{ challenge }, 400],
    ] as const) {
      expect((await send(changed)).status, JSON.stringify(changed)).toBe(status);
    }
    expect(await countAll()).toEqual(before);
    expect((await send({ challenge, payload })).status).toBe(202);
  });
});
