import { Trans } from "@lingui/react";
import type { FeedEvent, Notification } from "earnest-client";
import type { ReactNode } from "react";
import { moneyText } from "../parts/money.tsx";
import { timeText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";

/** The type of an event of the feed, with its data. */
export type Happened = Pick<FeedEvent, "type" | "data">;

/** Returns the event of a notification, which has the data of the event of its id. */
export const eventOf = (notification: Notification): Happened & Notification =>
  notification as Happened & Notification;

/** Says what happened in one sentence. A type that this page does not know shows by its name. */
export function eventText({ type, data }: Happened): ReactNode {
  if ("order" in data) {
    const stage = "entry" in data ? data.entry.data.stage : undefined;
    const ofStage = typeof stage === "number" ? stageText(type, data.order, stage) : null;
    return ofStage ?? orderText(type, data.order) ?? type;
  }
  if ("quote_id" in data) {
    const price = `${moneyText(data.price)} ${data.currency}`;
    return <Trans id="{agent} sent you a quote of {price}." values={{ agent: agentOf(data), price }} />;
  }
  if ("review_id" in data) {
    const values = { agent: agentOf(data), rating: data.rating };
    return type === "review.answered" ? (
      <Trans id="{agent} answered your review." values={values} />
    ) : (
      <Trans id="A buyer rated {agent} {rating} of 5." values={values} />
    );
  }
  if ("report_id" in data) return i18n.t("The operators answered your report.");
  if ("moderation_id" in data) return i18n.t("The operators made a decision that concerns you.");
  if ("subscription_id" in data) return i18n.t("An API key's limit stopped the renewal of a subscription.");
  if ("key_name" in data) return keyText(data);
  if ("endpoint_id" in data) return webhookText(data);
  if ("wallet" in data) {
    const amountOf = (amount: string) => `${moneyText(amount)} ${data.currency}`;
    const values = { balance: amountOf(data.balance), needed: amountOf(data.needed) };
    return i18n.t("Your wallet holds {balance}. An order that waits for payment needs {needed}.", values);
  }
  if ("domain" in data) {
    const values = { domain: <UserText>{data.domain}</UserText>, agent: agentOf(data) };
    return type === "agent.domain_lost" ? (
      <Trans id="{domain} is no longer verified for {agent}." values={values} />
    ) : (
      <Trans id="{domain} is verified for {agent}." values={values} />
    );
  }
  if ("request_id" in data) {
    const values = { title: <UserText>{data.title}</UserText> };
    return <Trans id="A new request fits your services: “{title}”." values={values} />;
  }
  return type;
}

type DataWith<Field extends string> = Extract<FeedEvent["data"], { [Name in Field]: unknown }>;

function keyText({ key_name, limit, used_percent: percent, resets_at }: DataWith<"key_name">): ReactNode {
  const values = { name: <UserText>{key_name}</UserText>, percent, time: timeText(resets_at) };
  const isOfDay = limit === "per_day";
  if (percent < 100)
    return isOfDay ? (
      <Trans id="The API key “{name}” has used {percent}% of its daily limit." values={values} />
    ) : (
      <Trans id="The API key “{name}” has used {percent}% of its monthly limit." values={values} />
    );
  return isOfDay ? (
    <Trans
      id="The API key “{name}” has used its daily limit. It can buy again from {time}."
      values={values}
    />
  ) : (
    <Trans
      id="The API key “{name}” has used its monthly limit. It can buy again from {time}."
      values={values}
    />
  );
}

function webhookText({ host, reason }: DataWith<"endpoint_id">): ReactNode {
  const values = { host: <UserText>{host}</UserText> };
  return reason === "failing" ? (
    <Trans id="The webhook at {host} is disabled. Every attempt failed for five days." values={values} />
  ) : (
    <Trans id="The webhook at {host} is disabled. The member who set it was removed." values={values} />
  );
}

const agentOf = ({ agent }: { agent: { name: string } }) => <UserText>{agent.name}</UserText>;

type OrderOf = DataWith<"order">["order"];

/** The sentence of an event about one stage of an order; null for another type. */
function stageText(type: string, { service, agent }: OrderOf, number: number): ReactNode {
  const values = {
    number,
    service: <UserText>{service.title}</UserText>,
    agent: <UserText>{agent.name}</UserText>,
  };
  switch (type) {
    case "order.delivered":
      return <Trans id="{agent} delivered stage {number} of “{service}”." values={values} />;
    case "order.revision_requested":
      return <Trans id="The buyer asks for a revision of stage {number} of “{service}”." values={values} />;
    default:
      return null;
  }
}

/** The sentence of an order's event, for the buyer, the provider or the arbiter; null for an unknown type. */
function orderText(type: string, { service, agent, your_role: role }: OrderOf): ReactNode {
  const values = {
    service: <UserText>{service.title}</UserText>,
    agent: <UserText>{agent.name}</UserText>,
  };
  const isSale = role === "provider";
  switch (type) {
    case "order.created":
      return <Trans id="New order of “{service}”. It waits for payment." values={values} />;
    case "order.approval_requested":
      return <Trans id="An order of “{service}” needs your approval." values={values} />;
    case "order.approved":
      return <Trans id="The order of “{service}” is approved. It can be paid." values={values} />;
    case "order.approval_refused":
      return <Trans id="The order of “{service}” is refused. It can't be paid." values={values} />;
    case "order.funded":
      return isSale ? (
        <Trans id="A buyer paid for “{service}”. You can start." values={values} />
      ) : (
        <Trans id="Your payment for “{service}” is in escrow." values={values} />
      );
    case "order.started":
      return <Trans id="{agent} started “{service}”." values={values} />;
    case "order.delivered":
      return <Trans id="{agent} delivered “{service}”." values={values} />;
    case "part.recorded":
      return <Trans id="{agent} recorded a part of “{service}”." values={values} />;
    case "order.part_released":
      return <Trans id="A part of the payment for “{service}” is released." values={values} />;
    case "order.revision_requested":
      return <Trans id="The buyer asks for a revision of “{service}”." values={values} />;
    case "order.released":
      return <Trans id="“{service}” is completed. The payment is released." values={values} />;
    case "order.refunded":
      return isSale ? (
        <Trans id="The payment for “{service}” is refunded to the buyer." values={values} />
      ) : (
        <Trans id="Your payment for “{service}” is refunded." values={values} />
      );
    case "order.expired":
      return <Trans id="The order of “{service}” expired without a payment." values={values} />;
    case "order.disputed":
      return <Trans id="A dispute about “{service}” is open." values={values} />;
    case "order.dispute_intent":
      return <Trans id="The other party announced a dispute about “{service}”." values={values} />;
    case "order.dispute_decided":
      return <Trans id="The arbiter decided the dispute about “{service}”." values={values} />;
    case "order.execution_failed":
      return <Trans id="Your endpoint did not deliver “{service}”. Deliver it yourself." values={values} />;
    case "order.message":
      return <Trans id="You have a new message about “{service}”." values={values} />;
    case "fact.reverted":
      return <Trans id="A blockchain reorganisation reversed a step of “{service}”." values={values} />;
    default:
      return null;
  }
}

/** The page of an event's subject. */
export function eventPath({ type, data }: Happened): string {
  if ("order" in data) {
    const isDispute = type === "order.disputed" || type.startsWith("order.dispute_");
    return `/orders/${data.order.id}${isDispute ? "/dispute" : ""}`;
  }
  if ("review_id" in data) return `/orders/${data.order_id}`;
  if ("report_id" in data || "moderation_id" in data) return "/settings/reports";
  if ("subscription_id" in data) return `/subscriptions/${data.subscription_id}`;
  if ("key_name" in data) return "/keys";
  if ("endpoint_id" in data) return `/webhooks/${data.endpoint_id}`;
  if ("wallet" in data) return `/orders/${data.order_id}`;
  if ("request_id" in data) return `/requests/${data.request_id}`;
  if ("domain" in data) return `/sell/agents/${data.agent.slug}`;
  return "/";
}

/** The order's reference, or the subject's name, as the second line of a notification. */
export const eventSubject = ({ data }: Happened): string | null =>
  "order" in data
    ? `${data.order.reference} · ${moneyText(data.order.total_amount)} ${data.order.currency}`
    : null;
