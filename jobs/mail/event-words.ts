// The words of a mail about an event: a headline, facts, and the page to open.

import type { Texts } from "../../console/src/text/i18n.ts";
import { amountText, timeText } from "../../console/src/text/service-texts.ts";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { EventType } from "../../protocol/settlement/vocabulary.ts";
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
type Named = { title: string; seller: string };
type Deadline = { name: string; time: Date | null };
type Words = { headline: string; deadline?: Deadline };

/** The types whose events always concern an order. */
type OrderEventType = Extract<
  EventType,
  `${"order" | "delivery" | "part" | "fact" | "review" | "wallet" | "payout"}.${string}`
>;

/** Writes the headline of an order's event, and the deadline that the event starts; null for a type of a later release. */
function orderWords(i18n: Texts, type: OrderEventType, named: Named, order: MailedOrder): Words | null {
  const { isSale } = order;
  const pay = { name: i18n.t("Pay by"), time: order.fundBy };
  const deliver = { name: i18n.t("Deliver by"), time: order.deliveryDeadline };
  const review = { name: i18n.t("Review by"), time: order.acceptanceEndsAt };
  switch (type) {
    case "order.created":
      return {
        headline: isSale
          ? i18n.t("New order for {title}", named)
          : i18n.t("You ordered {title} from {seller}", named),
        deadline: pay,
      };
    case "order.approval_requested":
      return { headline: i18n.t("The order of {title} needs your approval", named) };
    case "order.approved":
      return { headline: i18n.t("The order of {title} was approved", named), deadline: pay };
    case "order.approval_refused":
      return { headline: i18n.t("The order of {title} was not approved", named) };
    case "order.funded":
      return { headline: i18n.t("The payment for {title} is in escrow", named), deadline: deliver };
    case "order.started":
      return {
        headline: isSale ? i18n.t("You started {title}", named) : i18n.t("{seller} started {title}", named),
        deadline: deliver,
      };
    case "order.delivered":
      return {
        headline: isSale
          ? i18n.t("You delivered {title}", named)
          : i18n.t("{seller} delivered {title}", named),
        deadline: review,
      };
    case "delivery.recorded":
      return { headline: i18n.t("A delivery of {title} was recorded on the chain", named) };
    case "part.recorded":
      return { headline: i18n.t("A part of {title} was recorded on the chain", named) };
    case "order.part_released":
      return { headline: i18n.t("A part of the payment for {title} was released", named) };
    case "order.revision_requested":
      return {
        headline: isSale
          ? i18n.t("The buyer requested a revision of {title}", named)
          : i18n.t("You requested a revision of {title}", named),
      };
    case "order.released":
      return { headline: i18n.t("The payment for {title} was released", named) };
    case "order.refunded":
      return { headline: i18n.t("The payment for {title} was refunded", named) };
    case "order.expired":
      return { headline: i18n.t("The order of {title} expired without payment", named) };
    case "order.disputed":
      return { headline: i18n.t("A dispute over {title} was opened", named) };
    case "order.dispute_intent":
      return { headline: i18n.t("A party announced a dispute over {title}", named) };
    case "order.dispute_decided":
      return { headline: i18n.t("The dispute over {title} was decided", named) };
    case "order.execution_failed":
      return { headline: i18n.t("Your endpoint did not deliver {title}", named) };
    case "order.message":
      return { headline: i18n.t("You have unread messages about {title}", named) };
    case "fact.reverted":
      return { headline: i18n.t("A step of {title} left the chain", named) };
    case "review.received":
      return { headline: i18n.t("New review of {title}", named) };
    case "wallet.balance_low":
      return { headline: i18n.t("Your wallet holds too little for {title}", named), deadline: pay };
    case "payout.refused":
      return { headline: i18n.t("The token refused your payout for {title}", named) };
    case "payout.withdrawn":
      return { headline: i18n.t("The refused payout for {title} was paid", named) };
    case "review.answered":
      return { headline: i18n.t("{seller} answered your review of {title}", named) };
    default:
      void (type satisfies never);
      return null;
  }
}

/** Writes the headline of any other event. None has a text of another account. */
function otherHeadline(i18n: Texts, type: string): string {
  const headlines: Record<Exclude<EventType, OrderEventType>, string> = {
    "quote.received": i18n.t("New quote on your request"),
    "request.matched": i18n.t("New request that matches your services"),
    "report.answered": i18n.t("Your report was answered"),
    "moderation.acted": i18n.t("An operator made a decision that concerns you"),
    "subscription.renewal_refused": i18n.t("A subscription was not renewed"),
    "agent.domain_verified": i18n.t("The domain of your agent is verified"),
    "agent.domain_lost": i18n.t("The domain of your agent is no longer verified"),
    "key.limit_near": i18n.t("An API key has used 80 % of its limit"),
    "key.limit_reached": i18n.t("An API key has used its whole limit"),
    "webhook.disabled": i18n.t("A webhook endpoint was disabled"),
    "account.erasure_requested": i18n.t("The erasure of your account was requested"),
  };
  return (headlines as Partial<Record<string, string>>)[type] ?? i18n.t("New event");
}

/** Writes what a mail states about an event. */
export function describeEvent(i18n: Texts, event: MailedEvent): EventWords {
  const { order, type } = event;
  const action = actionOf(i18n, event);
  const named = order && {
    title: i18n.t("“{title}”", { title: inert(oneLine(order.title, most.title)) }),
    seller: inert(oneLine(order.agentName, most.name)),
  };
  const words = order && named && orderWords(i18n, type as OrderEventType, named, order);
  if (!words) return { headline: otherHeadline(i18n, type), facts: [], action };
  const { headline, deadline } = words;
  return {
    headline,
    facts: [
      { name: i18n.t("Order"), value: order.reference },
      { name: i18n.t("Agent"), value: named.seller },
      {
        name: i18n.t("Amount"),
        value: `${amountText(i18n, formatAmount(order.amount, order.decimals))} ${order.symbol}`,
      },
      ...(deadline?.time ? [{ name: deadline.name, value: timeText(i18n, deadline.time) }] : []),
    ],
    action,
  };
}

function actionOf(i18n: Texts, { order, of }: MailedEvent): EventWords["action"] {
  const path = (folder: string, id: string) => `/${folder}/${encodeURIComponent(id)}`;
  const orderId = order?.id ?? of.order_id;
  if (orderId !== undefined) return { label: i18n.t("View order"), path: path("orders", orderId) };
  if (of.request_id !== undefined)
    return { label: i18n.t("View request"), path: path("requests", of.request_id) };
  if (of.subscription_id !== undefined)
    return { label: i18n.t("View subscription"), path: path("subscriptions", of.subscription_id) };
  if (of.key_id !== undefined)
    return { label: i18n.t("View API key"), path: `/keys?key=${encodeURIComponent(of.key_id)}` };
  if (of.endpoint_id !== undefined)
    return { label: i18n.t("View webhook"), path: path("webhooks", of.endpoint_id) };
  if (of.agent !== undefined)
    return { label: i18n.t("View agent"), path: path("sell/agents", of.agent.slug) };
  return { label: i18n.t("Open Earnest"), path: "/" };
}

/** Breaks what mail programs turn into links: addresses, schemes and domains. */
function inert(text: string): string {
  return text
    .replaceAll(/[@＠]/g, "[at]")
    .replaceAll(/:(?=\/\/)/g, "[:]")
    .replaceAll(/[.。．｡](?=\p{L})|(?<=\p{L})[.。．｡](?=\p{N})/gu, "[.]");
}
