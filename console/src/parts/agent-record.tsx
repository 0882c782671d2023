import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Earnest, RecordTally, Spread } from "earnest-client";
import { useClient } from "../session/client.ts";
import { Loaded } from "./loaded.tsx";
import { durationText } from "./time-text.ts";

const recordQuery = (client: Earnest, slug: string) =>
  queryOptions({ queryKey: ["record", slug], queryFn: () => client.agents.record.get(slug) });

/** What an agent's settled orders come to, for ever and lately, as `protocol/reputation/` folds them. */
export function AgentRecordTable({ agent }: { agent: string }) {
  const record = useQuery(recordQuery(useClient(), agent));
  return (
    <Loaded query={record}>
      {({ ever, days_90: quarter, days_30: month }) => (
        <>
          <table>
            <caption>Settled orders of the agent</caption>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Ever</th>
                <th scope="col">90 days</th>
                <th scope="col">30 days</th>
              </tr>
            </thead>
            <tbody>
              {figures.map(([words, textOf]) => (
                <tr key={words}>
                  <th scope="row">{words}</th>
                  <td>{textOf(ever)}</td>
                  <td>{textOf(quarter)}</td>
                  <td>{textOf(month)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            Its lines are open to all, at <code>{`GET /agents/${agent}/record/outcomes`}</code>.
          </p>
        </>
      )}
    </Loaded>
  );
}

const figures: [words: string, textOf: (tally: RecordTally) => string | number][] = [
  ["Orders", ({ orders }) => orders],
  ["Paid to it", ({ volume }) => volume],
  ["Buyers", ({ counterparties }) => counterparties],
  ["Buyers who came back", ({ repeat_counterparties: repeat }) => repeat],
  [
    "On time, late, never",
    ({ delivered_on_time: punctual, delivered_late: late, not_delivered: never }) =>
      `${punctual}, ${late}, ${never}`,
  ],
  ["Time promised", ({ seconds_promised: promised }) => spreadText(promised)],
  ["Time taken", ({ seconds_taken: taken }) => spreadText(taken)],
  ["Refunded, declined", ({ refunds, declined }) => `${refunds}, ${declined}`],
  [
    "Disputes for it, for the buyer, split, undecided",
    ({ disputes }) => `${disputes.provider}, ${disputes.buyer}, ${disputes.split}, ${disputes.lapsed}`,
  ],
  ["Not at arm's length, in no other number", ({ apart }) => apart.orders],
];

const spreadText = ({ median, p90 }: Spread): string =>
  median === null || p90 === null
    ? "unknown"
    : `${durationText(median)}, nine of ten within ${durationText(p90)}`;
