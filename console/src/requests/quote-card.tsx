import { Trans } from "@lingui/react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Quote } from "earnest-client";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { Money } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { AgreedStages } from "../stages/agreed-stages.tsx";
import { i18n } from "../text/i18n.ts";
import { quoteText, quoteTones } from "./request-words.ts";

/** A quote with its actions. */
export function QuoteCard({
  quote,
  isOpen,
  onAccept,
}: {
  quote: Quote;
  isOpen: boolean;
  onAccept: () => void;
}) {
  const canAct = isOpen && quote.status === "offered";
  return (
    <article aria-label={i18n.t("Quote of {agent}", { agent: showHidden(quote.agent.name) })}>
      <h3>
        <Link to="/market/$agent/$service" params={{ agent: quote.agent.slug, service: quote.service.slug }}>
          <UserText>{quote.service.title}</UserText>
        </Link>
      </h3>
      <p className="quiet">
        <Link to="/agents/$agent" params={{ agent: quote.agent.slug }}>
          <UserText>{quote.agent.name}</UserText>
        </Link>
        {" · "}
        <Time at={quote.created_at} isRelative />
      </p>
      <p>
        <Trans
          id="{price}, delivered within {duration} of payment."
          values={{
            price: (
              <strong>
                <Money amount={quote.price} currency={quote.currency} />
              </strong>
            ),
            duration: durationText(quote.delivery_time_hours * 3600),
          }}
        />{" "}
        {quote.status !== "offered" && <Chip tone={quoteTones[quote.status]}>{quoteText(quote.status)}</Chip>}
      </p>
      {quote.stages && <AgreedStages stages={quote.stages} price={quote.price} currency={quote.currency} />}
      {quote.message && <UserProse>{quote.message}</UserProse>}
      {canAct && (
        <p className="quiet">
          <Trans id="Valid until {time}." values={{ time: <Time at={quote.expires_at} /> }} />
        </p>
      )}
      {quote.order_id && (
        <p>
          <Link to="/orders/$orderId" params={{ orderId: quote.order_id }}>
            {i18n.t("View order")}
          </Link>
        </p>
      )}
      {canAct && quote.mine && <Withdraw quote={quote} />}
      {canAct && !quote.mine && (
        <div className="buttons">
          <Button onPress={onAccept}>{i18n.t("Accept quote")}</Button>
        </div>
      )}
    </article>
  );
}

function Withdraw({ quote }: { quote: Quote }) {
  const client = useClient();
  const withdrawing = useMutation({
    mutationFn: () => client.quotes.withdraw(quote.id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["request", quote.request_id] });
      void queries.invalidateQueries({ queryKey: ["quotes"] });
    },
  });
  return (
    <>
      {withdrawing.error && <ProblemNote error={withdrawing.error} />}
      <div className="buttons">
        <Button isPending={withdrawing.isPending} onPress={() => withdrawing.mutate()}>
          {i18n.t("Withdraw quote")}
        </Button>
      </div>
    </>
  );
}
