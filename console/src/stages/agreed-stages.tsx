import type { QuotedStage } from "earnest-client";
import { Money } from "../parts/money.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";

/** The stages of a quote or a service, before an order: title, time and amount of each, and their sum. */
export function AgreedStages({
  stages,
  price,
  currency,
}: {
  stages: readonly QuotedStage[];
  /** the sum of the amounts */
  price: string;
  currency: string;
}) {
  return (
    <>
      <ol className="stages agreed" aria-label={i18n.t("Stages")}>
        {stages.map(({ number, title, amount, hours, output_schema }) => (
          <li key={number}>
            <span className="dot" aria-hidden>
              {number}
            </span>
            <div className="stage-title">
              <UserText>{title}</UserText>
              <span className="quiet">
                {i18n.t("within {duration}", { duration: durationText(hours * 3600) })}
              </span>
            </div>
            <Money amount={amount} currency={currency} />
            {output_schema && (
              <details>
                <summary>{i18n.t("What you receive (output schema)")}</summary>
                <Raw>{JSON.stringify(output_schema, null, 2)}</Raw>
              </details>
            )}
          </li>
        ))}
      </ol>
      <p className="total">
        {i18n.t("Total")}
        <strong>
          <Money amount={price} currency={currency} />
        </strong>
      </p>
      <p className="quiet">
        {i18n.t("You pay once, into escrow. The provider gets the amount of each stage that you accept.")}
      </p>
    </>
  );
}
