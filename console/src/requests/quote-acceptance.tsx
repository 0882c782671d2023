import { Trans } from "@lingui/react";
import { useQuery } from "@tanstack/react-query";
import type { Quote } from "earnest-client";
import { useEffect, useRef } from "react";
import { offerQuery } from "../market/market-queries.ts";
import { OrderForm } from "../market/order-form.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";

/** Accepts a quote: asks for the service's input and places the order at the quoted price and time. */
export function QuoteAcceptance({ quote }: { quote: Quote }) {
  const offer = useQuery(offerQuery(useClient(), quote.agent.slug, quote.service.slug));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="card" aria-labelledby="take">
      <h2 id="take" ref={heading} tabIndex={-1}>
        <Trans id="Accept the quote of {agent}" values={{ agent: <UserText>{quote.agent.name}</UserText> }} />
      </h2>
      <Loaded query={offer}>
        {({ service, agent }) => <OrderForm service={service} agent={agent} quote={quote} />}
      </Loaded>
    </section>
  );
}
