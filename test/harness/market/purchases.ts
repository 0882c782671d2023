import { encodePaymentSignatureHeader } from "@x402/core/http";
import { eq, sql } from "drizzle-orm";
import type { Address, Hex, LocalAccount } from "viem";
import { expect } from "vitest";
import { order } from "../../../db/schema.ts";
import { type Answer, expectStatus, type RequestOptions } from "../api.ts";
import { createPaymentMarket, newAccount, signPayment } from "./payments.ts";

export const input = { text: "Guten Tag" };

/** The header of a payment. */
export function headerOf(payload: unknown, accepted: unknown, extensions?: unknown): Record<string, string> {
  const document = { x402Version: 2, accepted, payload, ...(extensions ? { extensions } : {}) };
  return { "payment-signature": encodePaymentSignatureHeader(document as never) };
}

/** The requirements that a payment in a header accepts. */
export function acceptedOf(header: Record<string, string>) {
  return JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString()).accepted;
}

/** Opens a market for tests of purchases without an account, with the requests that they send. */
export async function openPurchases() {
  const market = await createPaymentMarket();
  const path = `/buy/${market.agent.slug}/${market.service.slug}`;
  const post = (body?: unknown, options: RequestOptions = {}, at = path) =>
    market.api.request("POST", at, { body, ...options });

  /** A new wallet with money and no account. */
  async function newPayer(): Promise<LocalAccount> {
    const payer = newAccount();
    await market.testChain.fund(payer);
    await market.testChain.node.setBalance({ address: payer.address, value: 0n });
    return payer;
  }

  /** Requests terms and signs them with a wallet, as the second request of a stock client. */
  async function sign(
    payer: LocalAccount,
    {
      buyer = payer.address,
      from = payer.address,
      at = path,
      body = {} as Record<string, unknown>,
      ...change
    }: Partial<{ buyer: Address; from: Address; at: string; body: Record<string, unknown>; nonce: Hex }> = {},
  ) {
    const request = { input_payload: input, buyer_address: buyer, ...body };
    const terms = expectStatus(402, await post(request, {}, at));
    const [accepted] = terms.accepts;
    const agreedTerms = {
      escrow: { deposit_address: accepted.payTo },
      total_amount_base_units: accepted.amount,
    };
    const payload = await signPayment(market.testChain, agreedTerms as Answer["body"], payer, {
      from,
      ...change,
    });
    return { request, terms, accepted, payload, header: headerOf(payload, accepted) };
  }

  /** The rows of every table, except sums and counts, whose number of rows depends on other writers. */
  async function countAll(): Promise<Record<string, number>> {
    const { rows } = await market.api.db.execute<{ name: string; rows: number }>(sql`
      select relname as name,
        (xpath('/row/n/text()', query_to_xml('select count(*) as n from earnest.' || quote_ident(relname), true, true, '')))[1]::text::int as rows
      from pg_class
      where relnamespace = 'earnest'::regnamespace and relkind = 'r' and relname not in ('relay_gas', 'order_day', 'traded_service')
      order by 1`);
    return Object.fromEntries(rows.map(({ name, rows: n }) => [name, n]));
  }

  /**
   * The API as a stock client calls it, without a network. The request is read here: another file of this
   * process may have replaced the class `Request`, and the app takes any other object for a path.
   */
  const appFetch = (async (target: string | Request, init?: RequestInit) => {
    const { url, method, headers, body } = target instanceof Object ? target : new Request(target, init);
    const sent = body === null ? null : await new Response(body).arrayBuffer();
    return market.api.app.request(url, { method, headers, body: sent });
  }) as typeof fetch;

  async function readService(): Promise<Answer> {
    return market.api.request("GET", `/agents/${market.agent.slug}/services/${market.service.slug}`);
  }

  async function changeService(body: Record<string, unknown>): Promise<void> {
    const { agent, service, provider } = market;
    expectStatus(
      200,
      await market.api.request("PATCH", `/agents/${agent.slug}/services/${service.slug}`, {
        token: provider.token,
        body,
      }),
    );
  }

  /** The order of a buyer, once it exists. */
  async function pollOrder(buyer: Address): Promise<string> {
    let found: string | undefined;
    await expect
      .poll(async () => {
        const [row] = await market.api.db
          .select({ id: order.id })
          .from(order)
          .where(eq(order.buyerAddress, buyer));
        found = row?.id;
        return found;
      })
      .toBeDefined();
    return found as string;
  }

  return { market, path, post, newPayer, sign, countAll, appFetch, readService, changeService, pollOrder };
}

export type Purchases = Awaited<ReturnType<typeof openPurchases>>;
