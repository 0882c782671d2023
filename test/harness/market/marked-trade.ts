import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { zeroAddress } from "viem";
import {
  execution,
  executionAttempt,
  executionEndpoint,
  executionHost,
  feedbackFile,
  mailMessage,
  mailSetting,
  payment,
  webhookAttempt,
  webhookDelivery,
} from "../../../db/schema.ts";
import { type Answer, publishService, type Session, signIn } from "../api.ts";
import { sha256Of, uploadAtOnce } from "../files/uploads.ts";
import { serveApi } from "../streams.ts";
import { type Court, createCourt } from "./court.ts";
import { ask, indexer, placeFunded, randomHash, settleNow } from "./market.ts";

/** All words of a person begin with these letters. */
export const leaving = "qzxvwq";
export const staying = "yvkhjq";

/** Makes a word that shows where it comes from. */
const word = (person: string, of: string) => `${person}${of}`;

const stagesOf = (person: string) => [
  { title: word(person, "firststage"), amount: "1.25", hours: 12, output_schema: schemaOf(person) },
  { title: word(person, "secondstage"), amount: "1.25", hours: 12 },
];
const schemaOf = (person: string) => ({
  type: "object",
  title: word(person, "schema"),
  additionalProperties: true,
});

/** Returns the body of an answer without an error. */
function made({ status, body }: Answer): Answer["body"] {
  if (status < 300) return body;
  throw new Error(`The answer is ${status}: ${JSON.stringify(body)}`);
}

/** Two people who sell to each other, each with words in all texts that callers write. */
export async function createMarkedTrade() {
  const { api, ...plain } = await createCourt();
  const server = await serveApi(api);
  const court = { ...plain, api, base: server.url };
  const people = { leaver: await signIn(api), other: court.buyer };
  const shops = {
    leaver: await openShop(court, people.leaver, leaving),
    other: await openShop(court, people.other, staying),
  };
  const orders = {
    bought: await trade(court, {
      buyer: people.leaver,
      provider: people.other,
      words: [leaving, staying],
      shop: shops.other,
    }),
    sold: await trade(court, {
      buyer: people.other,
      provider: people.leaver,
      words: [staying, leaving],
      shop: shops.leaver,
    }),
  };
  for (const [who, words] of [
    [people.leaver, leaving],
    [people.other, staying],
  ] as const) {
    await writeOwn(court, who, words);
  }
  for (const [who, { released }] of [
    [people.other, orders.bought],
    [people.leaver, orders.sold],
  ] as const) {
    made(await ask(court, who, "GET", `/exports/orders/${released.id}/invoice.csv`));
  }
  await quoteFor(court, people.leaver, people.other, [leaving, staying], shops.other);
  await quoteFor(court, people.other, people.leaver, [staying, leaving], shops.leaver);
  const close = async () => {
    await server.close();
    await api.close();
  };
  return { court, people, shops, orders, close };
}
export type MarkedTrade = Awaited<ReturnType<typeof createMarkedTrade>>;

type MarkedCourt = Court & { base: string };
type Shop = Awaited<ReturnType<typeof openShop>>;

async function openShop({ api, chain }: MarkedCourt, who: Session, words: string) {
  const { token } = who;
  const offer = {
    slug: word(words, "slug"),
    title: word(words, "title"),
    summary: word(words, "summary"),
    description: word(words, "description"),
    tags: [word(words, "tag")],
    input_schema: schemaOf(words),
    output_schema: schemaOf(words),
    arbiters: [chain.arbiter, zeroAddress],
  };
  const { agent, service } = await publishService(api, who, offer);
  const about = {
    name: word(words, "agent"),
    tagline: word(words, "tagline"),
    description: word(words, "about"),
    website_url: `https://${words}site.example`,
    avatar_url: `https://${words}avatar.example/a.png`,
    api_endpoint: `https://${words}api.example`,
    capabilities: {
      skills: [word(words, "skill")],
      languages: ["en"],
      input_modalities: [],
      output_modalities: [],
      protocols: [],
    },
  };
  made(await api.request("PATCH", `/agents/${agent.slug}`, { token, body: about }));
  const staged = {
    ...offer,
    slug: word(words, "staged"),
    pricing_model: "fixed",
    price: "2.5",
    delivery_time_hours: 24,
    stages: stagesOf(words),
  };
  const path = `/agents/${agent.slug}/services`;
  made(await api.request("POST", path, { token, body: staged }));
  const inStages = made(await api.request("POST", `${path}/${staged.slug}/publish`, { token }));
  await api.db
    .insert(executionEndpoint)
    .values({ serviceId: service.id, url: `https://${words}endpoint.example` });
  await api.db.insert(executionHost).values({ host: `${words}endpoint.example` });
  await api.db.execute(sql`
    update earnest.service set execution_url = ${`https://${words}endpoint.example`}, execution_host = ${`${words}endpoint.example`},
      execution_seconds = 30 where id = ${service.id}`);
  return { agent, service, inStages };
}

type Trade = { buyer: Session; provider: Session; words: [buyer: string, provider: string]; shop: Shop };

/** Trades until orders have ended: released with all messages and a review, in stages, disputed, and never paid. */
async function trade(court: MarkedCourt, { buyer, provider, words: [bought, sold], shop }: Trade) {
  const market = { ...court, buyer, provider, agent: shop.agent, service: shop.service };
  const { db } = market.api;
  const input = {
    input_payload: {
      text: word(bought, "input"),
      file: await upload(market, buyer, word(bought, "inputfile")),
    },
  };
  const output = {
    text: word(sold, "output"),
    file: await upload(market, provider, word(sold, "outputfile")),
  };

  const released = await deliver(input, output);
  made(
    await ask(market, buyer, "POST", `/orders/${released.id}/revision`, { reason: word(bought, "revision") }),
  );
  await delivery(released.id, output);
  await message(released.id, buyer, bought);
  await message(released.id, provider, sold);
  await db.insert(payment).values({
    id: typeid("pay").toString(),
    orderId: released.id,
    accountId: buyer.accountId,
    method: "erc3009" as never,
    payer: buyer.account.address,
    nonce: randomHash(),
    identifier: word(bought, "purchase"),
    calls: [],
    status: "failed",
  });
  await execute(released.id, sold);
  await end(released.row, "Released");
  const review = made(
    await ask(market, buyer, "POST", `/orders/${released.id}/review`, {
      rating: 2,
      text: word(bought, "review"),
    }),
  );
  made(await ask(market, provider, "POST", `/reviews/${review.id}/answer`, { text: word(sold, "answer") }));
  await db.insert(feedbackFile).values({
    hash: randomHash(),
    orderId: released.id,
    content: JSON.stringify({ comment: word(bought, "feedback") }),
    chainId: 1,
    reputationRegistry: zeroAddress,
    tokenId: 1n,
    clientAddress: zeroAddress,
  });

  const inStages = await placeFunded({ ...market, service: shop.inStages }, input);
  made(await ask(market, provider, "POST", `/orders/${inStages.id}/start`));
  await delivery(inStages.id, output);
  await end(inStages.row, "Refunded");

  const disputed = await deliver(input, output);
  for (const [who, words] of [
    [buyer, bought],
    [provider, sold],
  ] as const) {
    made(
      await ask(market, who, "POST", `/orders/${disputed.id}/dispute-intent`, {
        reason: word(words, "intent"),
      }),
    );
  }
  await indexer(market, disputed.row).disputed("buyer");
  await settleNow(market);
  for (const [who, words] of [
    [buyer, bought],
    [provider, sold],
  ] as const) {
    const name = word(words, "evidence");
    const attachments = [
      { name, url: `https://${words}evidence.example/a`, sha256: sha256Of(Buffer.from(name)) },
    ];
    const files = [await upload(market, who, word(words, "evidencefile"))];
    const body = { text: word(words, "statement"), attachments, files };
    made(await ask(market, who, "POST", `/orders/${disputed.id}/dispute/statements`, body));
  }
  await end(disputed.row, "Refunded");
  const unpaid = await place();
  await db.execute(sql`update earnest."order" set status = 'expired' where id = ${unpaid}`);
  return { released, inStages, disputed, unpaid, review };

  async function place() {
    const body = { service_id: shop.service.id, ...input };
    return made(await ask(market, buyer, "POST", "/orders", body)).id as string;
  }
  async function deliver(body: Record<string, unknown>, result: object) {
    const placed = await placeFunded(market, body);
    made(await ask(market, provider, "POST", `/orders/${placed.id}/start`));
    await delivery(placed.id, result);
    return placed;
  }
  async function delivery(id: string, result: object) {
    const body = { output_payload: result, note: word(sold, "note") };
    made(await ask(market, provider, "POST", `/orders/${id}/deliver`, body));
  }
  async function message(id: string, who: Session, words: string) {
    const files = [await upload(market, who, word(words, "messagefile"))];
    made(await ask(market, who, "POST", `/orders/${id}/messages`, { text: word(words, "message"), files }));
  }
  async function end(row: Parameters<typeof indexer>[1], as: "Released" | "Refunded") {
    await indexer(market, row).ended(as);
    await settleNow(market);
  }
  /** A failed attempt, whose answer repeats what was sent. */
  async function execute(orderId: string, words: string) {
    const id = typeid("exe").toString();
    const of = { id, orderId, isRevision: true, serviceId: shop.service.id, accountId: provider.accountId };
    await db.insert(execution).values({ ...of, status: "failed", host: `${words}endpoint.example` });
    const attempt = { executionId: id, number: 1, startedAt: new Date(), durationMs: 1 };
    await db
      .insert(executionAttempt)
      .values({ ...attempt, message: word(words, "fault"), responseBody: word(words, "body") });
  }
}

/** Writes what an account has besides its trade. */
async function writeOwn(court: MarkedCourt, who: Session, words: string) {
  const { api } = court;
  const { db } = api;
  const put = (path: string, body: unknown) => api.request("PUT", path, { token: who.token, body });
  await db.execute(sql`
    update earnest.account set username = ${word(words, "username")}, display_name = ${word(words, "display")}
    where id = ${who.accountId}`);
  const key = { name: word(words, "key"), scopes: ["orders:read"] };
  made(await api.request("POST", "/api-keys", { token: who.token, body: key }));
  const details = {
    name: word(words, "company"),
    address_lines: [word(words, "street")],
    country: "RS",
    tax_id: word(words, "tax"),
  };
  made(await put("/me/billing-details", details));
  const hook = { url: `http://localhost:9/${words}hook`, description: word(words, "hook"), events: ["*"] };
  const endpoint = made(await api.request("POST", "/webhooks", { token: who.token, body: hook }));
  // A delivery of an own event, and the answer that repeats it.
  const [delivery] = await db
    .insert(webhookDelivery)
    .values({
      id: typeid("whd").toString(),
      endpointId: endpoint.id,
      type: "order.created",
      testBody: { words },
    })
    .returning();
  await db.insert(webhookAttempt).values({
    deliveryId: delivery?.id ?? "",
    number: 1,
    startedAt: new Date(),
    requestHeaders: {},
    responseBody: word(words, "echo"),
  });
  const address = `${words}@mail.example`;
  await db.insert(mailSetting).values({ accountId: who.accountId, address, events: ["*"], mode: "at_once" });
  await db.insert(mailMessage).values({
    id: typeid("mlm").toString(),
    accountId: who.accountId,
    kind: "events",
    key: words,
    address,
    canonicalAddress: address,
    site: `${words}.example`,
  });
  made(
    await ask(court, who, "POST", "/reports", {
      subject: { kind: "account", id: court.outsider.accountId },
      reason: "other",
      text: word(words, "report"),
    }),
  );
  await upload(court, who, word(words, "unused"));
}

async function quoteFor(
  court: MarkedCourt,
  buyer: Session,
  provider: Session,
  [asks, gives]: [string, string],
  shop: Shop,
) {
  const wanted = {
    title: word(asks, "request"),
    description: word(asks, "wanted"),
    tags: [word(asks, "wish"), word(gives, "tag")],
  };
  const request = made(await ask(court, buyer, "POST", "/requests", wanted));
  const offer = {
    agent_slug: shop.agent.slug,
    service_id: shop.service.id,
    price: "2.50",
    delivery_time_hours: 24,
    stages: stagesOf(gives),
    message: word(gives, "offer"),
  };
  made(await ask(court, provider, "POST", `/requests/${request.id}/quotes`, offer));
}

/** Uploads a file whose name and bytes have the words, and returns the reference to it. */
async function upload({ api, base }: MarkedCourt, who: Session, words: string) {
  const bytes = Uint8Array.from(Buffer.from(`${words} in bytes`));
  const answer = await uploadAtOnce(base, who, bytes, { filename: `${words}.txt` });
  if (answer.status !== 201) throw new Error(`The upload answered ${answer.status}: ${await answer.text()}`);
  const id = answer.headers.get("location")?.split("/").at(-1) ?? "";
  const { sha256, size, name } = made(await api.request("GET", `/files/${id}`, { token: who.token }));
  return { file_id: id, sha256, size, name };
}
