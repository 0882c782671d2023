import { showHidden } from "../../../protocol/json/text.ts";
import { hashOfText } from "../../../protocol/settlement/index.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { type Answer, expectStatus, type Requester, type Session, signIn } from "../api.ts";
import { until } from "../jobs/ledger.ts";
import type { TestStack } from "../stack.ts";
import { hidden, hostile, pack } from "./hostile.ts";

/** A page, and hostile texts that must appear on it as text. */
export type HostilePage = { path: string; shows: string[] };
export type HostileMarket = { pages: HostilePage[]; unpaid: HostilePage };

const names = pack(longest.name);
const titles = pack(longest.title);
const everything = hostile.join("\n");
/** Fields that are hashed, sent or stored unchanged accept any text. */
const anything = [...hostile, ...hidden];

/** A member of each kind that a form has, each with a hostile name and description. */
function hostileSchema(): Record<string, unknown> {
  const kinds = (text: string): Record<string, unknown>[] => [
    { type: "string", maxLength: 80 },
    { type: "integer" },
    { type: "boolean" },
    { enum: [text, `${text} 2`], default: "none of these" },
    { type: "array", items: { type: "string", title: text } },
    { type: "object", properties: { [`${text} within`]: { type: "string", examples: [text] } } },
  ];
  const properties = anything
    .filter((name) => name !== "__proto__")
    .map((text, at) => [text, { title: text, description: text, ...kinds(text)[at % 6] }]);
  return {
    type: "object",
    title: everything,
    description: everything,
    properties: Object.fromEntries(properties),
  };
}

/**
 * Has a stranger fill every field of the real API that somebody else sees: agents, services, requests, quotes, payloads,
 * disputes, answers to reviews, invitations. The victim trades with the stranger from both sides.
 *
 * @returns the pages of the victim that show it, and that of an order which the victim has to pay
 */
export async function fillMarket(stack: TestStack, api: Requester, victim: Session): Promise<HostileMarket> {
  const stranger = await signIn(api);
  await Promise.all([stranger, victim].map(({ account }) => stack.chain.fund(account)));
  const ask = async (who: Session, method: string, path: string, body?: unknown): Promise<Answer["body"]> => {
    const answer = await api.request(method, path, { token: who.token, ...(body ? { body } : {}) });
    return expectStatus(answer.status < 300 ? answer.status : 200, answer);
  };
  const pages: HostilePage[] = [];
  // A retry of the test meets the slugs of the first attempt.
  const mark = victim.accountId.slice(-10);
  const trap = `trap-${mark}`;

  const sell = async (who: Session, at: number, slug: string): Promise<Answer["body"]> => {
    const tagged = pack(longest.tag);
    await ask(who, "POST", "/agents", {
      slug,
      name: names[at % names.length],
      tagline: titles[at % titles.length],
      description: everything,
      website_url: "https://hx.invalid/?<script>hx(1)</script>",
      avatar_url: "https://hx.invalid/hx.svg",
      capabilities: { skills: pack(longest.skill) },
    });
    await ask(who, "PUT", `/agents/${slug}/payout-wallet`, { address: who.account.address });
    await ask(who, "POST", `/agents/${slug}/publish`);
    const path = `/agents/${slug}/services`;
    await ask(who, "POST", path, {
      slug: "trap",
      title: titles[at % titles.length],
      summary: pack(longest.summary)[at % 5],
      description: everything,
      tags: tagged.slice(0, 30),
      pricing_model: "per_unit",
      price_unit: pack(longest.unit)[at % 5],
      price: "2.5",
      delivery_time_hours: 24,
      ...(at === 0 ? { input_schema: hostileSchema(), output_schema: hostileSchema() } : {}),
    });
    return ask(who, "POST", `${path}/trap/publish`);
  };
  const services: Answer["body"][] = [];
  for (let at = 0; at < Math.max(names.length, titles.length); at++) {
    const service = await sell(stranger, at, `${trap}-${at}`);
    services.push(service);
    pages.push({ path: `/market/${trap}-${at}/trap`, shows: [service.title, service.summary, everything] });
  }
  pages.push({ path: `/api/v1/agents/${trap}-0`, shows: [] });
  pages.push({ path: "/market", shows: services.slice(-4).map(({ title }) => title) });
  const own = await sell(victim, 1, `own-${mark}`);
  pages.push(
    { path: `/sell/agents/own-${mark}/trap`, shows: [everything] },
    { path: `/sell/agents/own-${mark}`, shows: [everything] },
  );

  const plan = await ask(stranger, "POST", `/agents/${trap}-1/services`, {
    slug: "plan",
    title: titles[0],
    pricing_model: "subscription",
    interval: "week",
    price: "2",
    delivery_time_hours: 24,
  });
  await ask(stranger, "POST", `/agents/${trap}-1/services/plan/publish`);
  const { id: subscription } = await ask(victim, "POST", "/subscriptions", { service_id: plan.id });
  for (const path of ["/subscriptions", `/subscriptions/${subscription}`]) {
    pages.push({ path, shows: [plan.title] });
  }

  for (const title of titles) {
    const body = { title, description: everything, tags: pack(longest.tag).slice(0, 30) };
    const { id } = await ask(stranger, "POST", "/requests", body);
    pages.push({ path: `/requests/${id}`, shows: [title, everything] });
  }
  const request = await ask(victim, "POST", "/requests", {
    title: "Count",
    description: "Words.",
    tags: ["words"],
  });
  await ask(stranger, "POST", `/requests/${request.id}/quotes`, {
    agent_slug: `${trap}-0`,
    service_id: services[0].id,
    price: "3",
    delivery_time_hours: 1,
    message: everything,
  });
  pages.push({ path: `/requests/${request.id}`, shows: [everything, services[0].title] });
  pages.push({ path: "/requests", shows: [titles[0] as string] });

  const { id: organisation } = await ask(stranger, "GET", "/me");
  await ask(stranger, "PATCH", `/organisations/${organisation}`, { name: names[0] });
  await ask(stranger, "POST", `/organisations/${organisation}/invitations`, {
    address: victim.account.address,
    role: "viewer",
  });
  pages.push({ path: "/settings/organisation", shows: [names[0] as string] });

  const payload = Object.fromEntries(
    anything.map((text) => [text === "__proto__" ? "constructor" : text, text]),
  );
  const place = async (buyer: Session, service: Answer["body"]) =>
    (await ask(buyer, "POST", "/orders", { service_id: service.id, quantity: 1, input_payload: payload })).id;
  const send = async (who: Session, { to, data }: Answer["body"]) => {
    const hash = await stack.chain.wallet(who.account).sendTransaction({ to, data });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  };
  const reach = (id: string, status: string) =>
    until(
      async () => ((await ask(victim, "GET", `/orders/${id}`)).status === status ? true : undefined),
      `the order ${status}`,
    );
  const trade = async (buyer: Session, seller: Session, service: Answer["body"]): Promise<string> => {
    const id = await place(buyer, service);
    const { calls } = await ask(buyer, "GET", `/orders/${id}/payment-instructions`);
    for (const call of calls) await send(buyer, call);
    await reach(id, "funded");
    await ask(seller, "POST", `/orders/${id}/start`);
    const note = everything.slice(0, longest.note);
    await ask(seller, "POST", `/orders/${id}/deliver`, { output_payload: payload, note });
    return id;
  };
  const bought = await trade(victim, stranger, services[1]);
  const sold = await trade(stranger, victim, own);

  await ask(stranger, "POST", `/orders/${sold}/revision`, { reason: everything.slice(0, longest.reason) });
  await ask(victim, "POST", `/orders/${sold}/deliver`, { output_payload: payload });
  const reason = anything.join("\n").slice(0, longest.statement);
  const { typed_data } = await ask(
    stranger,
    "GET",
    `/orders/${sold}/dispute?reason_hash=${hashOfText(reason)}`,
  );
  const signature = await stranger.account.signTypedData(typed_data);
  const { deadline } = typed_data.message;
  await ask(stranger, "POST", `/orders/${sold}/dispute`, { reason, signature, deadline: String(deadline) });
  await reach(sold, "disputed");
  await ask(stranger, "POST", `/orders/${sold}/dispute/statements`, {
    text: reason,
    attachments: pack(longest.fileName)
      .slice(0, 10)
      .map((name, at) => ({
        name,
        sha256: hashOfText(name),
        url:
          at === 0
            ? "https://earnest.example@files.invalid/<script>hx(1)</script>"
            : "http://files.invalid/a",
      })),
  });
  const said = [everything, ...hidden.map(showHidden)];
  pages.push({ path: `/orders/${sold}`, shows: [...said, everything.slice(0, longest.reason)] });
  pages.push({ path: `/orders/${sold}/dispute`, shows: [...said, ...pack(longest.fileName).slice(0, 10)] });

  const { actions } = await ask(victim, "GET", `/orders/${bought}/settlement-options`);
  await send(victim, actions.find(({ action }: { action: string }) => action === "release").call);
  await reach(bought, "released");
  const review = await ask(victim, "POST", `/orders/${bought}/review`, { rating: 1, text: "Bad." });
  const answer = everything.replaceAll("\r", "").slice(0, longest.review);
  await ask(stranger, "POST", `/reviews/${review.id}/answer`, { text: answer });
  pages.push({ path: `/orders/${bought}`, shows: [...said, answer] });
  const { items } = await until(async () => {
    const found = await ask(victim, "GET", `/orders/${bought}/receipts`);
    return found.items.length > 1 ? found : undefined;
  }, "the receipts");
  const receipt = `/receipts/${items[0].id}`;
  pages.push(
    { path: receipt, shows: ["The signature is valid: key "] },
    { path: `${receipt}/checks`, shows: [] },
  );
  const unpaid = { path: `/orders/${await place(victim, services[2])}`, shows: [services[2].title] };
  return { pages, unpaid };
}

/** Pages whose addresses hold hostile text, and pages that show none. */
export const otherPages: readonly string[] = [
  ...[
    "/",
    "/purchases",
    "/sales",
    "/disputes",
    "/payments",
    "/balances",
    "/notifications",
    "/subscriptions",
    "/receipts",
    "/webhooks",
    "/settings/audit",
  ],
  ...["/keys", "/reputation", "/docs"],
  ...hostile
    .slice(0, 4)
    .flatMap((text) => [`/nothing/${encodeURIComponent(text)}`, `/market?q=${encodeURIComponent(text)}`]),
  ...["javascript:hx(1)", "//hx.invalid", "/\t/hx.invalid"].map(
    (next) => `/sign-in?next=${encodeURIComponent(next)}`,
  ),
  ...["verify", "unsubscribe"].map(
    (page) => `/mail/${page}?token=${encodeURIComponent(hostile[1] as string)}`,
  ),
];
