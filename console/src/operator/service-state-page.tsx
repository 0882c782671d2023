import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FailedWebhookDelivery, ServiceState } from "earnest-client";
import { type ReactNode, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { durationText } from "../parts/time-text.ts";
import { announce } from "../parts/toasts.ts";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { serviceStateQuery } from "./operator-queries.ts";

/** The state of the service for its operators. It is read again every 15 seconds. */
export function StatePage() {
  const state = useQuery(serviceStateQuery(useClient()));
  return (
    <Page title={i18n.t("Service state")}>
      <Loaded query={state}>{(data) => <Board state={data} />}</Loaded>
    </Page>
  );
}

const numberText = (value: number): string => value.toLocaleString(locale());

function Board({ state }: { state: ServiceState }) {
  return (
    <>
      <div className="cards two-columns">
        {state.indexes.map((index) => (
          <section key={index.chain_id} className="card">
            <h2>{i18n.t("Chain {chain}", { chain: index.chain_id })}</h2>
            <LabelledValues
              rows={[
                [
                  i18n.t("Index"),
                  <Chip key="index" tone={index.state === "ok" ? "good" : "bad"}>
                    {index.state}
                  </Chip>,
                ],
                [i18n.t("Blocks behind"), numberText(index.lag_blocks)],
                [i18n.t("Reason"), index.reason],
                ...relayerFacts(state, index.chain_id),
              ]}
            />
          </section>
        ))}
      </div>
      <Table
        title={i18n.t("Queues")}
        head={[i18n.t("Queue"), i18n.t("Waiting"), i18n.t("Due"), i18n.t("Oldest")]}
        rows={state.queues.map(({ name, waiting, due, oldest_age_seconds: age }) => [
          name,
          numberText(waiting),
          numberText(due),
          age === 0 ? "–" : durationText(age),
        ])}
      />
      <Table
        title={i18n.t("Open disputes")}
        head={[i18n.t("Order"), i18n.t("Opened"), i18n.t("Arbiter decides by")]}
        rows={state.disputes.map(({ reference, disputed_at, decide_by }) => [
          reference,
          <Time key="opened" at={disputed_at} />,
          <Time key="until" at={decide_by} isRelative />,
        ])}
      />
      <Table
        title={i18n.t("Failed webhook deliveries")}
        head={[i18n.t("Event"), i18n.t("Host"), i18n.t("Date"), ""]}
        rows={state.failed_deliveries.map((delivery) => [
          delivery.type,
          delivery.host,
          <Time key="at" at={delivery.created_at} />,
          <Resend key="resend" delivery={delivery} />,
        ])}
      />
      <Table
        title={i18n.t("Growth")}
        head={[
          i18n.t("Day (UTC)"),
          i18n.t("Accounts"),
          i18n.t("Agents"),
          i18n.t("Services"),
          i18n.t("Orders"),
        ]}
        rows={state.growth.map(({ day, accounts, agents, services, orders }) => [
          day,
          ...[accounts, agents, services, orders].map(numberText),
        ])}
      />
    </>
  );
}

function relayerFacts({ relayers }: ServiceState, chainId: number): [string, ReactNode][] {
  const found = relayers.find(({ chain_id }) => chain_id === chainId);
  if (!found) return [[i18n.t("Relayer"), i18n.t("None")]];
  return [
    [i18n.t("Relayer"), <Address key="relayer" of={found.address} />],
    [
      i18n.t("Balance"),
      <span key="balance">
        {found.balance} {found.balance_low && <Chip tone="bad">{i18n.t("Low")}</Chip>}
      </span>,
    ],
    [i18n.t("Gas used"), numberText(Number(found.gas_used))],
    [i18n.t("Waiting for"), found.waiting],
    [i18n.t("Refused calls"), numberText(found.failed)],
  ];
}

function Table({
  title,
  head,
  rows,
}: {
  title: string;
  head: readonly string[];
  rows: readonly (readonly ReactNode[])[];
}) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="quiet">{i18n.t("None")}</p>
      ) : (
        <div className="wide">
          <table className="plain-table">
            <thead>
              <tr>{head.map((cell) => (cell === "" ? <td key={cell} /> : <th key={cell}>{cell}</th>))}</tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the table is read anew as a whole
                <tr key={at}>
                  {row.map((cell, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Sends a failed delivery again, for a reason. */
function Resend({ delivery }: { delivery: FailedWebhookDelivery }) {
  const client = useClient();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const sending = useMutation({
    mutationFn: async () =>
      client.operator.deliveries.resend(delivery.id, { reason: reason.trim() }, asPerson),
    onSuccess: () => {
      announce(i18n.t("Delivery queued."));
      setOpen(false);
      void queries.invalidateQueries({ queryKey: ["operator", "state"] });
    },
  });
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        {i18n.t("Send again")}
      </Button>
      {isOpen && (
        <FormDialog title={i18n.t("Send again")} onClose={() => setOpen(false)}>
          <TextField
            label={i18n.t("Reason")}
            help={i18n.t("It is in the audit log.")}
            value={reason}
            onChange={setReason}
            most={longest.act}
          />
          {sending.error && <ProblemNote error={sending.error} />}
          <div className="buttons">
            <Button onPress={() => setOpen(false)}>{i18n.t("Cancel")}</Button>
            <Button
              variant="primary"
              isPending={sending.isPending}
              isDisabled={reason.trim() === ""}
              onPress={() => sending.mutate()}
            >
              {i18n.t("Send again")}
            </Button>
          </div>
        </FormDialog>
      )}
    </>
  );
}
