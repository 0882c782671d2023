import { i18n } from "@lingui/core";
import { Trans } from "@lingui/react";
import { Link } from "@tanstack/react-router";
import type { FeedEvent } from "earnest-client";
import type { ReactElement, ReactNode } from "react";
import { moneyText } from "../parts/money.tsx";
import { UserText } from "../parts/user-text.tsx";

type Notice = { content: ReactNode; link: ReactNode };

/** The notice of an event: what happened to which service, with a link to the order or the request. Most events have none. */
export function noticeOf(event: FeedEvent): Notice | null {
  if (event.type === "quote.received") {
    const { agent, price, currency, request_id } = event.data;
    const content = (
      <Trans
        id="{agent} sent you a quote of {price}."
        values={{ agent: <UserText>{agent.name}</UserText>, price: `${moneyText(price)} ${currency}` }}
      />
    );
    return {
      content,
      link: (
        <Link to="/requests/$requestId" params={{ requestId: request_id }}>
          {i18n.t("View request")}
        </Link>
      ),
    };
  }
  if (event.type === "review.received" || event.type === "review.answered") {
    const { agent, order_id } = event.data;
    const values = { agent: <UserText>{agent.name}</UserText> };
    const content =
      event.type === "review.received" ? (
        <Trans id="A buyer reviewed {agent}." values={values} />
      ) : (
        <Trans id="{agent} answered your review." values={values} />
      );
    return { content, link: orderLink(order_id) };
  }
  if (!("order" in event.data)) return null;
  const content = orderText(event);
  return content && { content, link: orderLink(event.data.order.id) };
}

const orderLink = (orderId: string) => (
  <Link to="/orders/$orderId" params={{ orderId }}>
    {i18n.t("View order")}
  </Link>
);

function orderText(event: FeedEvent): ReactElement | null {
  if (!("order" in event.data)) return null;
  const { service, agent, your_role: role } = event.data.order;
  const values = {
    service: <UserText>{service.title}</UserText>,
    agent: <UserText>{agent.name}</UserText>,
  };
  switch (event.type) {
    case "order.approval_requested":
      return <Trans id="The order of “{service}” needs your approval." values={values} />;
    case "order.funded":
      return role === "provider" ? (
        <Trans id="A buyer paid for “{service}”. You can start." values={values} />
      ) : (
        <Trans id="Your payment for “{service}” is in escrow." values={values} />
      );
    case "order.started":
      return <Trans id="{agent} started “{service}”." values={values} />;
    case "order.delivered":
      return <Trans id="{agent} delivered “{service}”." values={values} />;
    case "order.released":
      return <Trans id="“{service}” is completed. The payment is released." values={values} />;
    case "order.refunded":
      return <Trans id="The payment for “{service}” is refunded to the buyer." values={values} />;
    case "order.disputed":
      return <Trans id="A dispute about “{service}” is open." values={values} />;
    case "order.execution_failed":
      return <Trans id="Your endpoint did not deliver “{service}”. Deliver it yourself." values={values} />;
    case "fact.reverted":
      return <Trans id="A blockchain reorganisation reversed a step of “{service}”." values={values} />;
    default:
      return null;
  }
}
