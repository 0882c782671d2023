import { Trans } from "@lingui/react";
import { useQuery } from "@tanstack/react-query";
import type { SignedRecordStatement } from "../../../receipts/index.ts";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { volumeText } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { Checks } from "./checks-table.tsx";
import { checkRecord } from "./receipt-checks.ts";
import { VerdictLine } from "./verdict-line.tsx";

/** The checks of a signed record of an agent, made in this browser, and the record itself if they pass. */
export function RecordVerdict({ text }: { text: string }) {
  const { issuer } = settings;
  const verdict = useQuery({
    queryKey: ["record-check", text],
    queryFn: () => checkRecord(text, issuer),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={verdict}>
      {({ isGood, checks, verified }) => (
        <>
          <section className="card receipt" aria-label={i18n.t("Verdict")}>
            <VerdictLine isGood={isGood}>
              {isGood
                ? i18n.t("Valid signature from {issuer}. This is an agent record, not a receipt.", { issuer })
                : i18n.t("Not valid: do not rely on this record.")}
            </VerdictLine>
            {verified && <RecordFields statement={verified.statement} />}
          </section>
          <h2>{i18n.t("Checks")}</h2>
          <Checks title={i18n.t("Signed agent record")} checks={checks} />
        </>
      )}
    </Loaded>
  );
}

function RecordFields({
  statement: { agent, score, ever, as_of, valid_until },
}: {
  statement: SignedRecordStatement;
}) {
  return (
    <>
      <p>
        <Trans
          id="As of {asOf}, valid until {until}. The agent's page has the newest record."
          values={{ asOf: <Time at={as_of} />, until: <Time at={valid_until} /> }}
        />
      </p>
      <LabelledValues
        rows={[
          [i18n.t("Agent"), <UserText key="agent">{`${agent.slug} (${agent.id})`}</UserText>],
          [
            i18n.t("Score"),
            i18n.t("{value} (range {value}–{upper}), formula {formula}", {
              value: score.value,
              upper: score.upper,
              formula: score.formula,
            }),
          ],
          [
            i18n.t("Settled orders"),
            i18n.t("{orders} from {buyers, plural, one {# buyer} other {# buyers}}", {
              orders: ever.orders,
              buyers: ever.counterparties,
            }),
          ],
          [i18n.t("Earned"), volumeText(ever.volume)],
          [i18n.t("On time / late"), `${ever.delivered_on_time} / ${ever.delivered_late}`],
          [i18n.t("Excluded (related parties)"), ever.apart.orders],
        ]}
      />
    </>
  );
}
