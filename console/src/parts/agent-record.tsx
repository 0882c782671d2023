import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Earnest, RecordTally, Spread } from "earnest-client";
import { useClient } from "../session/client.ts";
import { Loaded } from "./loaded.tsx";
import { durationText } from "./time-text.ts";

const recordQuery = (client: Earnest, slug: string) =>
  queryOptions({ queryKey: ["record", slug], queryFn: () => client.agents.record.get(slug) });

/** The record of an agent's settled orders: all time, 90 days and 30 days. */
export function AgentRecordTable({ agent }: { agent: string }) {
  const record = useQuery(recordQuery(useClient(), agent));
  return (
    <Loaded query={record}>
      {({ ever, days_90: quarter, days_30: month }) => (
        <>
          <table>
            <caption>Track record</caption>
            <thead>
              <tr>
                <th scope="col">Metric</th>
                <th scope="col">All time</th>
                <th scope="col">90 days</th>
                <th scope="col">30 days</th>
              </tr>
            </thead>
            <tbody>
              {figures.map(([label, textOf]) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td>{textOf(ever)}</td>
                  <td>{textOf(quarter)}</td>
                  <td>{textOf(month)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            Raw data: <code>{`GET /agents/${agent}/record/outcomes`}</code>
          </p>
        </>
      )}
    </Loaded>
  );
}

const figures: [label: string, textOf: (tally: RecordTally) => string | number][] = [
  ["Orders", ({ orders }) => orders],
  ["Earned", ({ volume }) => volume],
  ["Buyers", ({ counterparties }) => counterparties],
  ["Repeat buyers", ({ repeat_counterparties: repeat }) => repeat],
  ["On time", ({ delivered_on_time: onTime }) => onTime],
  ["Late", ({ delivered_late: late }) => late],
  ["Not delivered", ({ not_delivered: undelivered }) => undelivered],
  ["Promised time", ({ seconds_promised: promised }) => spreadText(promised)],
  ["Delivery time", ({ seconds_taken: taken }) => spreadText(taken)],
  ["Refunded / declined", ({ refunds, declined }) => `${refunds} / ${declined}`],
  [
    "Disputes won / lost / split / unresolved",
    ({ disputes }) => `${disputes.provider} / ${disputes.buyer} / ${disputes.split} / ${disputes.lapsed}`,
  ],
  ["Excluded (related parties)", ({ apart }) => apart.orders],
];

const spreadText = ({ median, p90 }: Spread): string =>
  median === null || p90 === null ? "–" : `Median ${durationText(median)}; 90% within ${durationText(p90)}`;
