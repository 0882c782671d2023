import { Trans } from "@lingui/react";
import type { ReactNode } from "react";
import { zeroAddress } from "viem";
import { Address } from "../parts/address.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import type { DisputeView } from "./dispute-queries.ts";
import { roleText } from "./dispute-words.ts";

type Shares = { provider_amount: string; buyer_amount: string };

/** The card beside a dispute: the amount, who decides, both texts, and the shares by default, as decided and as paid out. */
export function DisputeOutcome({
  view: { dispute, order },
  children,
}: {
  view: DisputeView;
  children: ReactNode;
}) {
  const { opened, decision, default_outcome: byDefault, settled, intents, arbiter } = dispute;
  const { currency } = order;
  const shares = ({ provider_amount, buyer_amount }: Shares) => (
    <Trans
      id="{provider} to the provider, {buyer} to the buyer"
      values={{
        provider: <Money amount={provider_amount} currency={currency} />,
        buyer: <Money amount={buyer_amount} currency={currency} />,
      }}
    />
  );
  return (
    <section className="card" aria-label={i18n.t("Dispute")}>
      <p className="amount">
        <Money amount={order.total_amount} currency={currency} />
      </p>
      <LabelledValues
        rows={[
          [
            i18n.t("Arbiter"),
            arbiter === zeroAddress ? (
              i18n.t("None (deadlines only)")
            ) : (
              <Address key="arbiter" of={arbiter} />
            ),
          ],
          ...intents.map(
            ({ by, at, reason }) =>
              [
                i18n.t("{role} gave notice", { role: roleText(by) }),
                <span key={by}>
                  <Time at={at} />
                  <UserProse>{reason}</UserProse>
                </span>,
              ] as const,
          ),
          [i18n.t("Opened by"), opened && roleText(opened.by)],
          [
            i18n.t("Opened"),
            opened && (
              <span key="opened">
                <Time at={opened.at} />
                <Unconfirmed isConfirmed={opened.confirmed} />
                <PublishedText
                  text={opened.reason}
                  hash={opened.reason_hash}
                  missing={i18n.t("No reason given.")}
                />
              </span>
            ),
          ],
          [i18n.t("Without a decision"), byDefault && shares(byDefault)],
          [i18n.t("Arbiter decides by"), dispute.decide_by && <Time key="by" at={dispute.decide_by} />],
          [
            i18n.t("Decided"),
            decision && (
              <span key="decided">
                {shares(decision)}
                <Unconfirmed isConfirmed={decision.confirmed} />
                <PublishedText
                  text={decision.ruling}
                  hash={decision.ruling_hash}
                  missing={i18n.t("No ruling given.")}
                />
              </span>
            ),
          ],
          [i18n.t("Paid out"), settled && shares(settled)],
        ]}
      />
      {children}
    </section>
  );
}

function Unconfirmed({ isConfirmed }: { isConfirmed: boolean }) {
  return isConfirmed ? null : <span className="quiet">{` ${i18n.t("Not yet confirmed")}`}</span>;
}

/** A text whose hash is on the chain, once its author has published it. */
function PublishedText({
  text,
  hash,
  missing,
}: {
  text: string | null;
  hash: string | null;
  missing: string;
}) {
  if (text !== null) return <UserProse>{text}</UserProse>;
  return hash === null ? null : <p>{missing}</p>;
}
