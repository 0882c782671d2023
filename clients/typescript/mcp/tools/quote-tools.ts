import { z } from "zod";
import type { OpenRequest, Quote } from "../../src/index.ts";
import { describeOrder, orderFields, showOrder } from "../order-view.ts";
import { agreedStages, showStages } from "../stage-view.ts";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";
import { orderTermsInput } from "./order-tools.ts";

const request = z.object({
  request_id: z.string(),
  status: z.string(),
  budget: z.string().nullable(),
  currency: z.string(),
  quotes: z.number(),
  mine: z.boolean(),
  expires_at: z.string(),
  untrusted: untrustedSchema({ title: z.string(), description: z.string(), tags: z.array(z.string()) }),
});

function showRequest(request: OpenRequest) {
  const { title, description, tags } = request;
  return {
    request_id: request.id,
    status: request.status as string,
    budget: request.budget,
    currency: request.currency,
    quotes: request.quote_count,
    mine: request.mine,
    expires_at: request.expires_at,
    untrusted: markUntrusted({ title, description, tags }),
  };
}

const quote = z.object({
  quote_id: z.string(),
  request_id: z.string(),
  agent: z.string(),
  service: z.string(),
  service_id: z.string(),
  price: z.string(),
  currency: z.string(),
  within_budget: z.boolean().nullable().describe("Null without a budget in the currency of the price."),
  delivery_time_hours: z.number(),
  status: z.string(),
  order_id: z.string().nullable(),
  expires_at: z.string(),
  untrusted: untrustedSchema({
    agent_name: z.string(),
    service_title: z.string(),
    message: z.string().nullable(),
    stages: agreedStages,
  }),
});

function showQuote(quote: Quote) {
  const { agent, service, message } = quote;
  return {
    quote_id: quote.id,
    request_id: quote.request_id,
    agent: agent.slug,
    service: service.slug,
    service_id: service.id,
    price: quote.price,
    currency: quote.currency,
    within_budget: quote.within_budget,
    delivery_time_hours: quote.delivery_time_hours,
    status: quote.status as string,
    order_id: quote.order_id,
    expires_at: quote.expires_at,
    untrusted: markUntrusted({
      agent_name: agent.name,
      service_title: service.title,
      message,
      stages: showStages(quote.stages),
    }),
  };
}

const requestQuote = defineTool({
  name: "request_quote",
  title: "Request quotes",
  description:
    "Posts an open request that every provider on the market can read. Providers with a matching tag are notified and may quote. It commits to nothing. Do not include secrets.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({
    title: z.string().min(1).max(160),
    description: z.string().min(1).max(10_000),
    tags: z.array(z.string().min(1).max(60)).min(1).max(20),
    budget: schemas.amount.optional(),
    currency: z
      .string()
      .max(100)
      .optional()
      .describe("The currency of the budget, for example USD or a token's symbol."),
    idempotency_key: schemas.idempotencyKey,
  }),
  output: request,
  async run({ earnest }, { idempotency_key, ...body }, { signal }) {
    const options = { signal, ...schemas.keyOf("request_quote", idempotency_key) };
    const posted = await earnest.requests.post(body, options);
    return { sentence: `${posted.id} is open until ${posted.expires_at}.`, fields: showRequest(posted) };
  },
});

const listRequests = defineTool({
  name: "list_requests",
  title: "List open requests",
  description: "Lists the open requests that a provider may quote on, or with `mine` the account's own.",
  scopes: ["marketplace:read"],
  does: "reads",
  input: z.strictObject({
    mine: z.boolean().default(false),
    tag: z.string().max(60).optional(),
    limit: schemas.limit,
    cursor: schemas.cursor,
  }),
  output: z.object({ requests: z.array(request), ...schemas.total, next_cursor: z.string().nullable() }),
  async run({ earnest }, { mine, ...query }, { signal }) {
    const { body: page } = await earnest.requests.list({ ...query, ...(mine ? { mine } : {}) }, { signal });
    return {
      sentence: `${schemas.totalText(page)} requests, ${page.items.length} shown.`,
      fields: {
        requests: page.items.map(showRequest),
        total: page.total,
        total_relation: page.total_relation,
        next_cursor: page.next_cursor,
      },
    };
  },
});

const listQuotes = defineTool({
  name: "list_quotes",
  title: "List quotes",
  description: "Lists the quotes on a request or, without a request, the quotes that the account sent.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({
    request_id: schemas.idOf("rqt").optional(),
    limit: schemas.limit,
    cursor: schemas.cursor,
  }),
  output: z.object({ quotes: z.array(quote), ...schemas.total, next_cursor: z.string().nullable() }),
  async run({ earnest }, { request_id, ...query }, { signal }) {
    const { quotes } = earnest;
    const { body: page } = await (request_id === undefined
      ? quotes.list(query, { signal })
      : quotes.listForRequest(request_id, query, { signal }));
    return {
      sentence: `${schemas.totalText(page)} quotes, ${page.items.length} shown.`,
      fields: {
        quotes: page.items.map(showQuote),
        total: page.total,
        total_relation: page.total_relation,
        next_cursor: page.next_cursor,
      },
    };
  },
});

/** The terms that `place_order` describes. The list of tools is shorter without a second description. */
const sameTermsInput = {
  ...orderTermsInput,
  input: orderTermsInput.input.describe("As in place_order, like the next four fields."),
  settlement_rail: orderTermsInput.settlement_rail.describe(""),
  buyer_address: orderTermsInput.buyer_address.describe(""),
  arbiter: orderTermsInput.arbiter.describe(""),
  pay_with: orderTermsInput.pay_with.describe(""),
};

const acceptQuote = defineTool({
  name: "accept_quote",
  title: "Accept a quote",
  description:
    "Places an order at a quote's price and delivery time, and closes the request. Its other quotes are declined. No money moves. Next, check the payment with preview_payment.",
  scopes: ["orders:write"],
  does: "ends",
  input: z.strictObject({
    quote_id: schemas.idOf("quo"),
    ...sameTermsInput,
    idempotency_key: schemas.idempotencyKey,
  }),
  output: z.object(orderFields),
  async run({ earnest, wallet }, { quote_id, input, idempotency_key, ...rest }, { signal }) {
    const options = { signal, ...schemas.keyOf("accept_quote", idempotency_key) };
    const body = { buyer_address: wallet?.address, ...rest, input_payload: input };
    const placed = await earnest.quotes.accept(quote_id, body, options);
    return { sentence: describeOrder(placed), fields: showOrder(placed) };
  },
});

const giveQuote = defineTool({
  name: "give_quote",
  title: "Send a quote",
  description: "Offers a service of the account's agent for an open request, at a price and a delivery time.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({
    request_id: schemas.idOf("rqt"),
    agent: schemas.slug.describe("The slug of the account's agent."),
    service_id: schemas.idOf("svc"),
    price: schemas.amount.describe("The total price, for example 12.50."),
    delivery_time_hours: z.number().int().min(1).max(10_000),
    message: z.string().max(2000).optional(),
    idempotency_key: schemas.idempotencyKey,
  }),
  output: quote,
  async run({ earnest }, { request_id, agent, idempotency_key, ...rest }, { signal }) {
    const options = { signal, ...schemas.keyOf("give_quote", idempotency_key) };
    const sent = await earnest.quotes.give(request_id, { agent_slug: agent, ...rest }, options);
    return { sentence: `${sent.id} offers ${sent.price} ${sent.currency}.`, fields: showQuote(sent) };
  },
});

export const quoteTools = [requestQuote, listQuotes, acceptQuote];
export const offerTools = [listRequests, giveQuote];
