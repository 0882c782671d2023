import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Language } from "../../../console/src/text/catalogues.ts";
import { textsOf } from "../../../console/src/text/service-texts.ts";
import { agent, event, order, service } from "../../../db/schema.ts";
import { writeEvents, writeVerification } from "../../../jobs/mail/mail-text.ts";
import { type MailedEvent, readMailedEvents } from "../../../jobs/mail/mailed-events.ts";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { hidden, hostile } from "../../harness/console/hostile.ts";
import { createMarket, type Market, placeDelivered } from "../../harness/market/market.ts";

let market: Market;
let events: MailedEvent[];
beforeAll(async () => {
  market = await createMarket();
  await placeDelivered(market, { translation: "Good day" });
  await market.api.request("GET", "/events", { token: market.buyer.token });
  events = await readAll();
});
afterAll(() => market.api.close());

const site = "http://localhost:42069";
const link = `${site}/mail/unsubscribe?token=a.b`;
const write = async (some: MailedEvent[], language: Language = "en") =>
  writeEvents(await textsOf(language), some, { accountId: "acc_1", publicUrl: site, link });

const readAll = (accountId = market.buyer.accountId) =>
  readMailedEvents(market.api.db, { accountId, after: 0, upTo: Number.MAX_SAFE_INTEGER }, ["*"]);

function only(type: string): MailedEvent {
  const found = events.find((item) => item.type === type);
  if (!found) throw new Error(`The buyer has no event ${type}.`);
  return found;
}

const linksOf = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => String(url));

describe("a mail about an order", () => {
  test("names the service, the amount and the deadline, and opens the order by one button", async () => {
    const delivered = only("order.delivered");
    const { subject, html, text } = await write([delivered]);
    expect(subject).toBe("A test agent delivered “A test service”");
    expect(text).toContain(`${subject}\n`);
    expect(text).toContain(`Order: ${delivered.order?.reference}`);
    expect(text).toContain("Amount: 2.50 TUSD");
    expect(text).toMatch(/Review by: \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC/);
    expect(text).toContain(`View order ${site}/orders/${delivered.order?.id}`);
    expect(linksOf(html)).toEqual([`${site}/orders/${delivered.order?.id}`, link]);
  });

  test("tells the provider from the buyer", async () => {
    await market.api.request("GET", "/events", { token: market.provider.token });
    const [created] = (await readAll(market.provider.accountId)).filter(
      ({ type }) => type === "order.created",
    );
    if (!created) throw new Error("The provider has no event order.created.");
    expect((await write([created])).subject).toBe("New order for “A test service”");
    expect((await write([only("order.created")])).subject).toBe(
      "You ordered “A test service” from A test agent",
    );
  });

  test("names no delivery of a session, whose calls go past the service", async () => {
    const ofOrder = () => eq(order.id, String(only("order.funded").order?.id));
    const funded = async () => (await readAll()).find(({ type }) => type === "order.funded") as MailedEvent;
    expect((await write([await funded()])).text).toContain("Deliver by");
    await market.api.db.update(order).set({ pricingModel: "per_call" }).where(ofOrder());
    expect((await write([await funded()])).text).not.toContain("Deliver by");
    await market.api.db.update(order).set({ pricingModel: "fixed" }).where(ofOrder());
  });

  test("has words for every type of event, and for one that this program does not know", async () => {
    const of = { order: only("order.created").order, of: {} };
    for (const type of [...Object.keys(eventTypes), "order.invented"]) {
      const { subject } = await write([{ type, createdAt: new Date(), ...of }]);
      expect(subject === "New event", type).toBe(type === "order.invented");
    }
  });
});

describe("a mail in German", () => {
  test("has German words, numbers and times, and names its language", async () => {
    const { subject, html, text } = await write([only("order.delivered")], "de");
    expect(subject).toBe("A test agent hat „A test service“ geliefert");
    expect(html).toMatch(/<html [^>]*lang="de"/);
    expect(text).toContain("Betrag: 2,50 TUSD");
    expect(text).toMatch(/Prüfen bis: \d\d\.\d\d\.\d{4}, \d\d:\d\d UTC/);
    expect(text).toContain("Alle E-Mails abbestellen");
  });

  test("has words of its own for every type of event", async () => {
    const { order } = only("order.created");
    for (const type of Object.keys(eventTypes)) {
      const event: MailedEvent = { type, createdAt: new Date(), order, of: {} };
      expect((await write([event], "de")).subject, type).not.toBe((await write([event])).subject);
    }
  });
});

test("a digest lists its events with their pages, counts those beyond 50, and has one button", async () => {
  const delivered = only("order.delivered");
  const { subject, html, text } = await write(Array.from({ length: 60 }, () => delivered));
  expect(subject).toBe("60 updates on Earnest");
  expect(text.match(/A test agent delivered/g)).toHaveLength(50);
  expect(text).toContain(`There are 10 more events: ${site}/api/v1/events.`);
  const links = linksOf(html);
  expect(links.slice(50)).toEqual([`${site}/`, link]);
  expect(new Set(links.slice(0, 50))).toEqual(new Set([`${site}/orders/${delivered.order?.id}`]));
});

test("the mail that confirms an address has one link alone", async () => {
  const url = `${site}/mail/verify?token=a.b`;
  const { html, text } = await writeVerification(await textsOf("en"), {
    accountId: "acc_1",
    publicUrl: site,
    link: url,
  });
  expect(linksOf(html)).toEqual([url]);
  expect(text).toContain(`Confirm address ${url}`);
});

test("a hostile title stays inert: no link, no element, no header, no hidden character, bounded", async () => {
  const { db } = market.api;
  const links = [
    "Pay at https://hx.invalid/pay",
    "hx.invalid/pay",
    "mail hx@hx.invalid",
    "hx。invalid",
    "www.hx.invalid",
  ];
  for (const title of [...hostile, ...hidden, ...links, "x".repeat(10_000), "\r\nBcc: hx@hx.invalid"]) {
    await db.update(service).set({ title }).where(eq(service.id, market.service.id));
    await db.update(agent).set({ name: title }).where(eq(agent.slug, market.agent.slug));
    const some = (await readAll()).filter(({ type }) => type === "order.delivered");
    for (const batch of [some, [...some, ...some]]) {
      const { subject, html, text } = await write(batch);
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThan(200);
      for (const url of linksOf(html)) expect(url, title).toMatch(/^http:\/\/localhost:42069\//);
      // Elements of the template alone, with its attributes alone.
      for (const [tag, name] of html.matchAll(/<\/?([a-z][a-z0-9]*)[^>]*>/gi)) {
        expect(name, title).toMatch(
          /^(html|head|meta|body|table|tbody|tr|td|h1|p|bdi|a|span|hr|i|DOCTYPE)$/i,
        );
        expect(tag.replaceAll(/"[^"]*"/g, ""), title).not.toMatch(/hx|\son\w+=|\ssrc=/);
      }
      for (const part of [subject, text]) {
        expect(part, title).not.toMatch(/hx[.。]invalid|hx@|\/\/hx\.\w|[\u202e\u2066\u2028\ufeff]/);
        expect(part, title).not.toMatch(/https?:\/\/(?!localhost:42069\b)/);
      }
    }
  }
});

test("mail is read from the events of the account alone", async () => {
  await market.api.request("GET", "/events", { token: market.outsider.token });
  expect(await readAll(market.outsider.accountId)).toEqual([]);
  const all = await market.api.db.select().from(event).where(eq(event.accountId, market.buyer.accountId));
  expect(await readAll()).toHaveLength(all.length);
});
