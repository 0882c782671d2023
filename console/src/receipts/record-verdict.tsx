import { useQuery } from "@tanstack/react-query";
import type { SignedRecordStatement } from "../../../receipts/index.ts";
import { Loaded } from "../parts/loaded.tsx";
import { moneyText } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { settings } from "../settings.ts";
import { checkRecord } from "./receipt-checks.ts";
import { Checks } from "./receipt-verdict.tsx";

/** The checks of a statement of an agent's record, and what it says where it is good. All of it is done in this browser. */
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
              ? `Good: ${settings.issuer} signed this record of an agent. It is no receipt.`
              : "Not good: do not rely on this record."}
          </p>
          <Checks title="The statement of an agent's record" checks={checks} />
          {verified && <Said statement={verified.statement} />}
        </>
      )}
    </Loaded>
  );
}

function Said({
  statement: { agent, score, ever, as_of, valid_until },
}: {
  statement: SignedRecordStatement;
}) {
  const facts: [string, string][] = [
    ["Agent", `${agent.slug} (${agent.id})`],
    ["Score", `${score.value} of 1000, at most ${score.upper}, by ${score.formula}`],
    ["Settled orders", `${ever.orders}, of ${ever.counterparties} buyers`],
    ["Released to it", moneyText(ever.volume)],
    ["Delivered on time", `${ever.delivered_on_time}, late ${ever.delivered_late}`],
    ["Not at arm's length", `${ever.apart.orders}, which count in none of these`],
  ];
  return (
    <>
      <h2>What it says</h2>
      <p>
        As of <Time at={as_of} />, good until <Time at={valid_until} />. An agent's newest record is at its
        page.
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
