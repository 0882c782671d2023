import { encodePaymentSignatureHeader } from "@x402/core/http";
import { eq, sql } from "drizzle-orm";
import type { LocalAccount } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { account, order, payment, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { act } from "../../../trade/moderation/act.ts";
import { type Answer, expectStatus, signIn } from "../../harness/api.ts";
import { createModeration, expectRefused, signInOperator } from "../../harness/market/moderation.ts";
import {
  createPaymentMarket,
  newAccount,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";

let market: PaymentMarket;
let path: string;
beforeAll(async () => {
  market = await createPaymentMarket();
  path = `/buy/${market.agent.slug}/${market.service.slug}`;
});
afterAll(() => market?.close());

const post = (body: unknown, headers: Record<string, string> = {}) =>
  market.api.request("POST", path, { body, headers });

async function newPayer(): Promise<LocalAccount> {
  const payer = newAccount();
  await market.testChain.fund(payer);
  return payer;
}

const requestOf = (payer: LocalAccount) => ({
  input_payload: { text: "Guten Tag" },
  buyer_address: payer.address,
});

/** Signs the terms that a purchase answers. */
async function sign(payer: LocalAccount) {
  const [accepted] = expectStatus(402, await post(requestOf(payer))).accepts;
  const agreed = { escrow: { deposit_address: accepted.payTo }, total_amount_base_units: accepted.amount };
  const payload = await signPayment(market.testChain, agreed as Answer["body"], payer);
  const document = { x402Version: 2, accepted, payload };
  return { "payment-signature": encodePaymentSignatureHeader(document as never) };
}

const countRows = async () => {
  const { db } = market.api;
  return [await db.$count(order), await db.$count(payment), await db.$count(relay)];
};

test("a banned account buys nothing without its account either, before and after it signs", async () => {
  const payer = await newPayer();
  const { accountId } = await signIn(market.api, payer);
  const headers = await sign(payer);
  const before = await countRows();
  await market.api.db.update(account).set({ bannedAt: sql`now()` }).where(eq(account.id, accountId));
  expectRefused(await post(requestOf(payer), headers), 403, "account_banned");
  // Terms name no account: anybody may read them.
  expectRefused(await post(requestOf(payer), await sign(payer)), 403, "account_banned");
  expect(await countRows()).toEqual(before);
});

test("terms that were signed before the suspension of a service buy nothing after it", async () => {
  const moderation = createModeration(market.api);
  const operator = await signInOperator(market.api);
  const payer = await newPayer();
  const headers = await sign(payer);
  const before = await countRows();
  for (const id of [market.service.id, market.agent.id, market.provider.accountId]) {
    await moderation.acted(operator, id, id === market.provider.accountId ? "ban" : "suspend");
    expectRefused(await post(requestOf(payer), headers), 404, "not_found");
    expect(await countRows()).toEqual(before);
    await moderation.acted(operator, id, "restore");
  }
  expectStatus(202, await post(requestOf(payer), headers));
});

test("a payment of a service whose suspension is about to be committed buys nothing", async () => {
  const operator = await signInOperator(market.api);
  const payer = await newPayer();
  const headers = await sign(payer);
  const before = await countRows();
  const isWritten = Promise.withResolvers<void>();
  const isPaid = Promise.withResolvers<void>();
  const acting = inTransaction(market.api.db, async (tx) => {
    const name = { kind: "service", id: market.service.id } as const;
    await act(tx, operator.accountId, name, { act: "suspend", reason: "At once." });
    isWritten.resolve();
    await isPaid.promise;
  });
  await isWritten.promise;
  const paying = post(requestOf(payer), headers);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  isPaid.resolve();
  await acting;
  expect([402, 404]).toContain((await paying).status);
  expect(await countRows()).toEqual(before);
});
