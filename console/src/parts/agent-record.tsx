import { Trans } from "@lingui/react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Earnest, RecordTally, Spread } from "earnest-client";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Loaded } from "./loaded.tsx";
import { volumeText } from "./money.tsx";
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
          <table className="plain-table record-table">
            <caption>{i18n.t("Track record")}</caption>
            <thead>
              <tr>
                <th scope="col">{i18n.t("Metric")}</th>
                <th scope="col" className="number">
                  {i18n.t("All time")}
                </th>
                <th scope="col" className="number" data-phone="hidden">
                  {i18n.t("90 days")}
                </th>
                <th scope="col" className="number">
                  {i18n.t("30 days")}
                </th>
              </tr>
            </thead>
            <tbody>
              {figures().map(([label, textOf]) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td className="number">{textOf(ever)}</td>
                  <td className="number" data-phone="hidden">
                    {textOf(quarter)}
                  </td>
                  <td className="number">{textOf(month)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="quiet">
            <Trans
              id="Raw data: <0>{path}</0>"
              values={{ path: `GET /agents/${agent}/record/outcomes` }}
              components={[<code key="0" />]}
            />
          </p>
        </>
      )}
    </Loaded>
  );
}

const figures = (): [label: string, textOf: (tally: RecordTally) => string | number][] => [
  [i18n.t("Orders"), ({ orders }) => orders],
  [i18n.t("Earned"), ({ volume }) => volumeText(volume)],
  [i18n.t("Buyers"), ({ counterparties }) => counterparties],
  [i18n.t("Repeat buyers"), ({ repeat_counterparties: repeat }) => repeat],
  [i18n.t("On time"), ({ delivered_on_time: onTime }) => onTime],
  [i18n.t("Late"), ({ delivered_late: late }) => late],
  [i18n.t("Not delivered"), ({ not_delivered: undelivered }) => undelivered],
  [i18n.t("Promised time"), ({ seconds_promised: promised }) => spreadText(promised)],
  [i18n.t("Delivery time"), ({ seconds_taken: taken }) => spreadText(taken)],
  [i18n.t("Refunded / declined"), ({ refunds, declined }) => `${refunds} / ${declined}`],
  [
    i18n.t("Disputes won / lost / split / unresolved"),
    ({ disputes }) => `${disputes.provider} / ${disputes.buyer} / ${disputes.split} / ${disputes.lapsed}`,
  ],
  [i18n.t("Excluded (related parties)"), ({ apart }) => apart.orders],
];

const spreadText = ({ median, p90 }: Spread): string =>
  median === null || p90 === null
    ? "–"
    : i18n.t("Median {median}; 90% within {p90}", { median: durationText(median), p90: durationText(p90) });
