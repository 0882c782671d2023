import { Trans } from "@lingui/react";
import type { FeedEvent, Notification } from "earnest-client";
import type { ReactNode } from "react";
import { moneyText } from "../parts/money.tsx";
import { timeText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";

/** The type of an event of the feed, with its data. */
export type Happened = TypeAndData<FeedEvent>;
type TypeAndData<Event> = Event extends FeedEvent ? Pick<Event, "type" | "data"> : never;
type OrderHappened = Extract<Happened, { data: { order: unknown } }>;

/** Returns the event of a notification, which has the data of the event of its id. */
export const eventOf = (notification: Notification): Happened & Notification =>
  notification as Happened & Notification;

const isOfOrder = (event: Happened): event is OrderHappened => "order" in event.data;

/** Says what happened in one sentence. A type of a later release shows by its name. */
export function eventText(event: Happened): ReactNode {
  if (isOfOrder(event)) {
    const { data } = event;
    const stage = "entry" in data ? data.entry.data.stage : undefined;
    const ofStage = typeof stage === "number" ? stageText(event.type, data.order, stage) : null;
    return ofStage ?? orderText(event.type, data.order);
  }
  const { type, data } = event;
  switch (type) {
    case "quote.received": {
      const price = `${moneyText(data.price)} ${data.currency}`;
      return <Trans id="{agent} sent you a quote of {price}." values={{ agent: agentOf(data), price }} />;
    }
    case "review.answered":
      return <Trans id="{agent} answered your review." values={{ agent: agentOf(data) }} />;
    case "review.received": {
      const values = { agent: agentOf(data), rating: data.rating };
      return <Trans id="A buyer rated {agent} {rating} of 5." values={values} />;
    }
    case "report.answered":
      return i18n.t("The operators answered your report.");
    case "moderation.acted":
      return i18n.t("The operators made a decision that concerns you.");
    case "subscription.renewal_refused":
      return i18n.t("An API key's limit stopped the renewal of a subscription.");
    case "key.limit_near":
    case "key.limit_reached":
      return keyText(data);
    case "webhook.disabled":
      return webhookText(data);
    case "wallet.balance_low": {
      const amountOf = (amount: string) => `${moneyText(amount)} ${data.currency}`;
      const values = { balance: amountOf(data.balance), needed: amountOf(data.needed) };
      return i18n.t("Your wallet holds {balance}. An order that waits for payment needs {needed}.", values);
    }
    case "payout.refused": {
      const amount = `${moneyText(data.amount)} ${data.currency}`;
      return i18n.t("The token refused to pay {amount} to your wallet. The contract owes it to you.", {
        amount,
      });
    }
    case "payout.withdrawn": {
      const amount = `${moneyText(data.amount)} ${data.currency}`;
      return i18n.t("The contract paid {amount} that the token had refused.", { amount });
    }
    case "account.erasure_requested":
      return i18n.t("The erasure of your account was requested. You can take it back until {time}.", {
        time: timeText(data.due_at),
      });
    case "agent.domain_lost":
    case "agent.domain_verified": {
      const values = { domain: <UserText>{data.domain}</UserText>, agent: agentOf(data) };
      return type === "agent.domain_lost" ? (
        <Trans id="{domain} is no longer verified for {agent}." values={values} />
      ) : (
        <Trans id="{domain} is verified for {agent}." values={values} />
      );
    }
    case "request.matched": {
      const values = { title: <UserText>{data.title}</UserText> };
      return <Trans id="A new request fits your services: “{title}”." values={values} />;
    }
    default:
      return type satisfies never;
  }
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

type OrderOf = OrderHappened["data"]["order"];

/** The sentence of an event about one stage of an order; null for another type. */
function stageText(type: OrderHappened["type"], { service, agent }: OrderOf, number: number): ReactNode {
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

/** The sentence of an order's event, for the buyer, the provider or the arbiter. */
function orderText(type: OrderHappened["type"], { service, agent, your_role: role }: OrderOf): ReactNode {
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
    case "delivery.recorded":
      return <Trans id="{agent} recorded the delivery of “{service}”." values={values} />;
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
      return type satisfies never;
  }
}

/** The page of an event's subject. */
export function eventPath(event: Happened): string {
  if (isOfOrder(event)) {
    const isDispute = event.type === "order.disputed" || event.type.startsWith("order.dispute_");
    return `/orders/${event.data.order.id}${isDispute ? "/dispute" : ""}`;
  }
  const { type, data } = event;
  switch (type) {
    case "review.answered":
    case "review.received":
    case "wallet.balance_low":
      return `/orders/${data.order_id}`;
    case "payout.refused":
    case "payout.withdrawn":
      return "/balances";
    case "report.answered":
    case "moderation.acted":
      return "/settings/reports";
    case "subscription.renewal_refused":
      return `/subscriptions/${data.subscription_id}`;
    case "key.limit_near":
    case "key.limit_reached":
      return "/keys";
    case "webhook.disabled":
      return `/webhooks/${data.endpoint_id}`;
    case "quote.received":
    case "request.matched":
      return `/requests/${data.request_id}`;
    case "agent.domain_lost":
    case "agent.domain_verified":
      return `/sell/agents/${data.agent.slug}`;
    case "account.erasure_requested":
      return "/settings/files";
    default:
      void (type satisfies never);
      return "/";
  }
}

/** The order's reference, or the subject's name, as the second line of a notification. */
export const eventSubject = ({ data }: Happened): string | null =>
  "order" in data
    ? `${data.order.reference} · ${moneyText(data.order.total_amount)} ${data.order.currency}`
    : null;
