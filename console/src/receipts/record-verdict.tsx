import { useQuery } from "@tanstack/react-query";
import type { SignedRecordStatement } from "../../../receipts/index.ts";
import { Loaded } from "../parts/loaded.tsx";
import { moneyText } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { settings } from "../settings.ts";
import { checkRecord } from "./receipt-checks.ts";
import { Checks } from "./receipt-verdict.tsx";

/** The checks of a signed record of an agent, made in this browser, and the record itself if they pass. */
export function RecordVerdict({ text }: { text: string }) {
  const verdict = useQuery({
    queryKey: ["record-check", text],
    queryFn: () => checkRecord(text, settings.issuer),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={verdict}>
      {({ isGood, checks, verified }) => (
        <>
          <p className="status" role="status" data-good={isGood}>
            {isGood
              ? `Valid signature from ${settings.issuer}. This is an agent record, not a receipt.`
              : "Not valid: do not rely on this record."}
          </p>
          <Checks title="Signed agent record" checks={checks} />
          {verified && <RecordFields statement={verified.statement} />}
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
  const facts: [string, string][] = [
    ["Agent", `${agent.slug} (${agent.id})`],
    ["Score", `${score.value} (range ${score.value}–${score.upper}), formula ${score.formula}`],
    ["Settled orders", `${ever.orders} from ${ever.counterparties} buyers`],
    ["Earned", moneyText(ever.volume)],
    ["On time / late", `${ever.delivered_on_time} / ${ever.delivered_late}`],
    ["Excluded (related parties)", `${ever.apart.orders}`],
  ];
  return (
    <>
      <h2>Contents</h2>
      <p>
        As of <Time at={as_of} />, valid until <Time at={valid_until} />. The agent's page has the newest
        record.
      </p>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
