import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Conversation } from "../messages/conversation.tsx";
import { agreementProblem } from "../orders/agreement-check.ts";
import { Deadlines } from "../orders/deadlines-section.tsx";
import { OrderActions } from "../orders/order-actions.tsx";
import type { OrderView } from "../orders/order-queries.ts";
import { Receipts } from "../orders/order-receipts.tsx";
import { OrderStages } from "../orders/order-stages.tsx";
import { Payload } from "../orders/payloads.tsx";
import { Timeline } from "../orders/timeline.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { DecisionForm } from "./decision-form.tsx";
import { DisputeOutcome } from "./dispute-outcome.tsx";
import { type DisputeView, disputeQuery } from "./dispute-queries.ts";
import { DisputeStatements } from "./dispute-statements.tsx";
import { disputeStageText, disputeStageTones } from "./dispute-words.ts";
import { Evidence } from "./evidence.tsx";
import { OpeningForm } from "./opening-form.tsx";
import { UnpublishedText } from "./unpublished-text.tsx";

/** A dispute about an order, for its parties and its arbiter. */
export function DisputePage() {
  const { orderId } = useParams({ from: "/orders/$orderId/dispute" });
  const client = useClient();
  const view = useQuery({ ...disputeQuery(client, orderId), refetchInterval: 15_000 });
  const shown = <Loaded query={view}>{(data) => <LoadedDispute view={data} />}</Loaded>;
  return view.data ? shown : <Page title={i18n.t("Dispute")}>{shown}</Page>;
}

function LoadedDispute({ view }: { view: DisputeView }) {
  const { dispute, order, options } = view;
  const { evidence, stage, your_role: role } = dispute;
  const { agreement, trail, receipts } = evidence.bundle;
  const mismatch = useMemo(() => agreementProblem(order, agreement), [order, agreement]);
  // The texts are kept here until the chain has confirmed their hashes.
  const [reason, setReason] = useState("");
  const [ruling, setRuling] = useState("");
  const orderView: OrderView = { order, agreement, options, payment: null, trail, receipts };
  const canDecide = options.actions.some(({ action, available }) => action === "decideDispute" && available);
  const canOpen = options.actions.some(({ action, available }) => action === "dispute" && available);
  return (
    <Page
      title={i18n.t("Dispute: order {reference}", { reference: order.reference })}
      of={String(agreement.service_title)}
      crumbs={[
        <Link key="disputes" to="/disputes" search={{ part: role }}>
          {i18n.t("Disputes")}
        </Link>,
        role === "arbiter" ? (
          order.reference
        ) : (
          <Link key="order" to="/orders/$orderId" params={{ orderId: order.id }}>
            {order.reference}
          </Link>
        ),
      ]}
      actions={
        <span className="status" data-stage={stage} role="status">
          <Chip tone={disputeStageTones[stage]}>{disputeStageText(stage)}</Chip>
        </span>
      }
    >
      {mismatch && (
        <div className="note problem" role="alert">
          <p>{i18n.t("{mismatch} Do not sign anything for this order.", { mismatch })}</p>
        </div>
      )}
      <div className="split">
        <div>
          {canOpen && <OpeningForm view={view} reason={reason} onReason={setReason} />}
          {canDecide && <DecisionForm view={view} ruling={ruling} onRuling={setRuling} />}
          <UnpublishedText view={view} reason={reason} ruling={ruling} />
          {dispute.opened && !canDecide && <OrderActions view={orderView} hasDisputeLink={false} />}
          <DisputeStatements view={view} />
          <Conversation order={order} trail={trail} isArbiter={role === "arbiter"} />
          {order.stages ? (
            <OrderStages order={order} stages={order.stages} isTheirs={role !== "provider"} />
          ) : (
            <Payload
              title={i18n.t("Output")}
              value={order.delivered_at ? order.output_payload : undefined}
              isTheirs={role !== "provider"}
            />
          )}
          <Payload title={i18n.t("Input")} value={order.input_payload} isTheirs={role !== "buyer"} />
          <Evidence evidence={evidence} />
          <Tabs
            label={i18n.t("Details")}
            tabs={[
              { id: "activity", title: i18n.t("Activity"), content: <Timeline trail={trail} /> },
              { id: "receipts", title: i18n.t("Receipts"), content: <Receipts receipts={receipts} /> },
            ]}
          />
        </div>
        <aside>
          <DisputeOutcome view={view}>
            <Deadlines view={orderView} />
          </DisputeOutcome>
        </aside>
      </div>
    </Page>
  );
}
