// The words of a mail about an event: a headline, facts, and the page to open.

import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount, shortAmount } from "../../protocol/settlement/money.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";
import type { MailedEvent, MailedOrder } from "./mailed-events.ts";

/** The words of a mail about an event. Texts of other accounts are inert already. */
export type EventWords = {
  headline: string;
  facts: { name: string; value: string }[];
  /** the label of the button, and the path that it opens */
  action: { label: string; path: string };
};

/** The most characters of a title and of an agent's name. */
const most = { title: 80, name: 60 };

/** The texts of an order that headlines use. */
type Named = { title: string; seller: string; isSale: boolean };
type Deadline = { name: string; of: (order: MailedOrder) => Date | null };

const pay: Deadline = { name: "Pay by", of: ({ fundBy }) => fundBy };
const deliver: Deadline = { name: "Deliver by", of: ({ deliveryDeadline }) => deliveryDeadline };
const review: Deadline = { name: "Review by", of: ({ acceptanceEndsAt }) => acceptanceEndsAt };

/** The headline of an order's event, and the deadline that the event starts. */
const ofOrders: Partial<Record<EventType, { headline: (named: Named) => string; deadline?: Deadline }>> = {
  "order.created": {
    headline: ({ title, seller, isSale }) =>
      isSale ? `New order for ${title}` : `You ordered ${title} from ${seller}`,
    deadline: pay,
  },
  "order.approval_requested": { headline: ({ title }) => `The order of ${title} needs your approval` },
  "order.approved": { headline: ({ title }) => `The order of ${title} was approved`, deadline: pay },
  "order.approval_refused": { headline: ({ title }) => `The order of ${title} was not approved` },
  "order.funded": { headline: ({ title }) => `The payment for ${title} is in escrow`, deadline: deliver },
  "order.started": {
    headline: ({ title, seller, isSale }) => `${isSale ? "You" : seller} started ${title}`,
    deadline: deliver,
  },
  "order.delivered": {
    headline: ({ title, seller, isSale }) => `${isSale ? "You" : seller} delivered ${title}`,
    deadline: review,
  },
  "delivery.recorded": { headline: ({ title }) => `A delivery of ${title} was recorded on the chain` },
  "order.revision_requested": {
    headline: ({ title, isSale }) => `${isSale ? "The buyer" : "You"} requested a revision of ${title}`,
  },
  "order.released": { headline: ({ title }) => `The payment for ${title} was released` },
  "order.refunded": { headline: ({ title }) => `The payment for ${title} was refunded` },
  "order.expired": { headline: ({ title }) => `The order of ${title} expired without payment` },
  "order.disputed": { headline: ({ title }) => `A dispute over ${title} was opened` },
  "order.dispute_intent": { headline: ({ title }) => `A party announced a dispute over ${title}` },
  "order.dispute_decided": { headline: ({ title }) => `The dispute over ${title} was decided` },
  "order.execution_failed": { headline: ({ title }) => `Your endpoint did not deliver ${title}` },
  "fact.reverted": { headline: ({ title }) => `A step of ${title} left the chain` },
  "review.received": { headline: ({ title }) => `New review of ${title}` },
  "wallet.balance_low": {
    headline: ({ title }) => `Your wallet holds too little for ${title}`,
    deadline: pay,
  },
  "review.answered": { headline: ({ title, seller }) => `${seller} answered your review of ${title}` },
};

/** The headlines of other events. None has a text of another account. */
const ofOthers: Partial<Record<EventType, string>> = {
  "quote.received": "New quote on your request",
  "request.matched": "New request that matches your services",
  "review.received": "New review of your work",
  "review.answered": "New answer to your review",
  "subscription.renewal_refused": "A subscription was not renewed",
  "agent.domain_verified": "The domain of your agent is verified",
  "agent.domain_lost": "The domain of your agent is no longer verified",
  "key.limit_near": "An API key has used 80 % of its limit",
  "key.limit_reached": "An API key has used its whole limit",
  "webhook.disabled": "A webhook endpoint was disabled",
  "wallet.balance_low": "A wallet holds too little for an order",
};

/** Writes what a mail states about an event. */
export function describeEvent(event: MailedEvent): EventWords {
  const type = Object.hasOwn(eventTypes, event.type) ? (event.type as EventType) : undefined;
  const words = type && ofOrders[type];
  if (!event.order || !words)
    return { headline: (type && ofOthers[type]) ?? "New event", facts: [], action: actionOf(event) };
  const { order } = event;
  const named = {
    title: `“${inert(oneLine(order.title, most.title))}”`,
    seller: inert(oneLine(order.agentName, most.name)),
    isSale: order.isSale,
  };
  const deadline = words.deadline?.of(order);
  return {
    headline: words.headline(named),
    facts: [
      { name: "Order", value: order.reference },
      { name: "Agent", value: named.seller },
      {
        name: "Amount",
        value: `${shortAmount(formatAmount(order.amount, order.decimals))} ${order.symbol}`,
      },
      ...(words.deadline && deadline ? [{ name: words.deadline.name, value: timeText(deadline) }] : []),
    ],
    action: actionOf(event),
  };
}

function actionOf({ order, of }: MailedEvent): EventWords["action"] {
  const path = (folder: string, id: string) => `/${folder}/${encodeURIComponent(id)}`;
  const orderId = order?.id ?? of.order_id;
  if (orderId !== undefined) return { label: "View order", path: path("orders", orderId) };
  if (of.request_id !== undefined) return { label: "View request", path: path("requests", of.request_id) };
  if (of.subscription_id !== undefined)
    return { label: "View subscription", path: path("subscriptions", of.subscription_id) };
  if (of.key_id !== undefined)
    return { label: "View API key", path: `/keys?key=${encodeURIComponent(of.key_id)}` };
  if (of.endpoint_id !== undefined) return { label: "View webhook", path: path("webhooks", of.endpoint_id) };
  if (of.agent !== undefined) return { label: "View agent", path: path("sell/agents", of.agent.slug) };
  return { label: "Open Earnest", path: "/" };
}

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** A time as a mail states it. The reader's time zone is unknown. */
export const timeText = (time: Date) => `${times.format(time)} UTC`;

/** Breaks what mail programs turn into links: addresses, schemes and domains. */
function inert(text: string): string {
  return text
    .replaceAll(/[@＠]/g, "[at]")
    .replaceAll(/:(?=\/\/)/g, "[:]")
    .replaceAll(/[.。．｡](?=\p{L})|(?<=\p{L})[.。．｡](?=\p{N})/gu, "[.]");
}
