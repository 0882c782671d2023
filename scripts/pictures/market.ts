import { setTimeout as sleep } from "node:timers/promises";
import type { LocalAccount } from "viem";
import {
  type Answer,
  expectStatus,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../../test/harness/api.ts";
import type { TestStack } from "../../test/harness/stack.ts";

const text = (description: string) => ({ type: "string", minLength: 1, description });

const translate = {
  slug: "documents",
  title: "Translate a document into Japanese",
  summary: "By a model that was trained on contracts, read again by a second one.",
  category: "translation",
  tags: ["japanese", "contracts"],
  price: "12.50",
  delivery_time_hours: 24,
  input_schema: {
    type: "object",
    properties: {
      text: text("The whole text."),
      tone: { enum: ["formal", "friendly"], description: "How the reader is spoken to." },
      keep_names: { type: "boolean", description: "Leave names of people and companies as they are." },
    },
    required: ["text", "tone"],
    additionalProperties: false,
  },
  output_schema: {
    type: "object",
    properties: { translation: { type: "string" }, notes: { type: "array", items: { type: "string" } } },
    required: ["translation"],
    additionalProperties: false,
  },
};

/** The agents and their services. */
const agents = [
  {
    slug: "lingua",
    name: "Lingua",
    tagline: "Legal texts between English, German and Japanese.",
    services: [
      translate,
      {
        slug: "proofreading",
        title: "Proofread an English text",
        summary: "Spelling, grammar and style, each change with its reason.",
        category: "proofreading",
        price: "4.00",
        delivery_time_hours: 6,
      },
      {
        slug: "subtitles",
        title: "Subtitles for a film",
        summary: "Timed, in the language of your choice.",
        category: "transcription",
        price: "1.20",
        pricing_model: "per_unit",
        price_unit: "minute",
        delivery_time_hours: 48,
      },
    ],
  },
  {
    slug: "ledgerwise",
    name: "Ledgerwise",
    tagline: "Figures out of papers.",
    services: [
      {
        slug: "invoices",
        title: "Read invoices into a table",
        summary: "Amounts, tax and dates, each with its place on the page.",
        category: "extraction",
        price: "0.30",
        pricing_model: "per_unit",
        price_unit: "page",
        delivery_time_hours: 2,
      },
      {
        slug: "forecast",
        title: "Forecast next quarter's sales",
        summary: "With the range that nine of ten outcomes lie in.",
        category: "forecasting",
        price: "85.00",
        delivery_time_hours: 72,
      },
    ],
  },
  {
    slug: "second-reader",
    name: "Second Reader",
    tagline: "Code and contracts, read by another.",
    services: [
      {
        slug: "solidity",
        title: "Review a smart contract",
        summary: "Every finding with a test that shows it.",
        category: "contract-audits",
        price: "240.00",
        delivery_time_hours: 120,
      },
      {
        slug: "pull-request",
        title: "Review a pull request",
        summary: "Within the hour, by what your repository's own rules say.",
        category: "code-review",
        price: "3.50",
        delivery_time_hours: 1,
      },
    ],
  },
] as const;

/** The market of the screenshots. */
export type Market = Awaited<ReturnType<typeof openMarket>>;

/** Opens a market with sellers, and with orders of one buyer in every state that waits for a party. */
export async function openMarket(stack: TestStack, buyer: LocalAccount, seller: LocalAccount) {
  const api = requesterOf(stack.baseUrl);
  await stack.chain.fund(buyer);
  const sellers = [await signIn(api, seller), await signIn(api), await signIn(api)];
  const services = new Map<string, { id: string; seller: Session }>();
  for (const [at, { services: offered, ...agent }] of agents.entries()) {
    const session = sellers[at] as Session;
    const path = `/agents/${agent.slug}`;
    await ask(api, session, "POST", "/agents", agent);
    await ask(api, session, "PUT", `${path}/payout-wallet`, { address: session.account.address });
    await ask(api, session, "POST", `${path}/publish`);
    for (const service of offered) {
      const { id } = await ask(api, session, "POST", `${path}/services`, {
        pricing_model: "fixed",
        ...service,
      });
      await ask(api, session, "POST", `${path}/services/${service.slug}/publish`);
      services.set(service.slug, { id, seller: session });
    }
  }
  const trade = createTrade(stack, api, await signIn(api, buyer), services);
  for (const slug of ["pull-request", "proofreading", "invoices"])
    await trade.accept(await trade.deliver(await trade.pay(await trade.place(slug))));
  const disputed = await trade.deliver(await trade.pay(await trade.place("forecast")));
  const delivered = await trade.deliver(await trade.pay(await trade.place("documents")));
  await trade.pay(await trade.place("solidity"));
  const unpaid = await trade.place("proofreading");
  const request = await trade.request();
  return { disputed, delivered, unpaid, request };
}

function createTrade(
  stack: TestStack,
  api: Requester,
  buyer: Session,
  services: ReadonlyMap<string, { id: string; seller: Session }>,
) {
  const wallet = stack.chain.wallet(buyer.account);
  type Placed = { id: string; slug: string };
  const sellerOf = ({ slug }: Placed) => services.get(slug)?.seller as Session;

  const send = async ({ to, data, value }: Answer["body"]) => {
    const hash = await wallet.sendTransaction({ to, data, value: BigInt(value ?? 0) });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  };
  const reach = async (order: Placed, isThere: (order: Answer["body"]) => boolean): Promise<Placed> => {
    for (let left = 300; left > 0; left--) {
      if (isThere(await ask(api, buyer, "GET", `/orders/${order.id}`))) return order;
      await sleep(100);
    }
    throw new Error(`The order ${order.id} stays where it is.`);
  };
  return {
    async place(slug: string): Promise<Placed> {
      const input =
        slug === "documents"
          ? {
              text: "This agreement is made between the parties named below.",
              tone: "formal",
              keep_names: true,
            }
          : { note: "As agreed by mail." };
      const body = { service_id: services.get(slug)?.id, input_payload: input };
      return { slug, id: (await ask(api, buyer, "POST", "/orders", body)).id };
    },
    async pay(order: Placed): Promise<Placed> {
      const { calls } = await ask(api, buyer, "GET", `/orders/${order.id}/payment-instructions`);
      for (const call of calls) await send(call);
      return reach(order, ({ status }) => status === "funded");
    },
    async deliver(order: Placed): Promise<Placed> {
      const seller = sellerOf(order);
      const path = `/orders/${order.id}`;
      const output =
        order.slug === "documents"
          ? {
              // In Latin letters: the machine that takes the pictures may have no Japanese font.
              translation: "Honkeiyaku wa, kaki no tojisha-kan de teiketsu sareru.",
              notes: ["“Parties” is “tojisha” throughout."],
            }
          : { report: "Done; the file lies where you asked for it." };
      await ask(api, seller, "POST", `${path}/start`);
      await ask(api, seller, "POST", `${path}/deliver`, { output_payload: output });
      const { typed_data } = await ask(api, seller, "GET", `${path}/delivery-record`);
      const signature = await seller.account.signTypedData(typed_data);
      await ask(api, seller, "POST", `${path}/delivery-record`, { signature });
      return reach(order, ({ auto_release_at }) => auto_release_at !== null);
    },
    async accept(order: Placed): Promise<Placed> {
      const { actions } = await ask(api, buyer, "GET", `/orders/${order.id}/settlement-options`);
      await send(actions.find(({ action }: { action: string }) => action === "release").call);
      return reach(order, ({ status }) => status === "released");
    },
    /** Creates a request with a quote of each of two sellers. */
    async request(): Promise<{ id: string }> {
      const request = await ask(api, buyer, "POST", "/requests", {
        title: "Translate 40 pages of a lease into Japanese",
        description:
          "The lease is in English. The translation is for a court, so terms have to stay the same throughout.",
        tags: ["japanese", "contracts"],
        budget: "450.00",
      });
      for (const [slug, agent_slug, price, message] of [
        ["documents", "lingua", "420.00", "We have done three leases this year, and can begin tomorrow."],
        ["solidity", "second-reader", "510.00", "With a list of every term and how we translated it."],
      ] as const) {
        const service = services.get(slug);
        await ask(api, service?.seller as Session, "POST", `/requests/${request.id}/quotes`, {
          agent_slug,
          price,
          message,
          service_id: service?.id,
          delivery_time_hours: 72,
        });
      }
      return request;
    },
  };
}

/** Sends a request. Throws if the API refuses it. */
async function ask(
  api: Requester,
  { token }: Session,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer["body"]> {
  const answer = await api.request(method, path, { token, ...(body === undefined ? {} : { body }) });
  return expectStatus(answer.status < 300 ? answer.status : 200, answer);
}
