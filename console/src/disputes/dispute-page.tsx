import { i18n } from "@lingui/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { agreementProblem } from "../orders/agreement-check.ts";
import { Deadlines } from "../orders/deadlines-section.tsx";
import { OrderActions } from "../orders/order-actions.tsx";
import type { OrderView } from "../orders/order-queries.ts";
import { Receipts } from "../orders/order-receipts.tsx";
import { Payload } from "../orders/payloads.tsx";
import { Timeline } from "../orders/timeline.tsx";
import { Address } from "../parts/address.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { DecisionForm } from "./decision-form.tsx";
import { type DisputeView, disputeQuery } from "./dispute-queries.ts";
import { roleWords, stageWords } from "./dispute-words.ts";
import { Evidence } from "./evidence.tsx";
import { OpeningForm } from "./opening-form.tsx";
import { Statements } from "./statements.tsx";
import { UnpublishedText } from "./unpublished-text.tsx";

/** A dispute about an order, for its parties and its arbiter. */
export function DisputePage() {
  const { orderId } = useParams({ from: "/orders/$orderId/dispute" });
  const client = useClient();
  const view = useQuery({ ...disputeQuery(client, orderId), refetchInterval: 15_000 });
  return (
    <Page title={view.data ? `Dispute: order ${view.data.order.reference}` : "Dispute"}>
      <Loaded query={view}>{(data) => <Sections view={data} />}</Loaded>
    </Page>
  );
}

function Sections({ view }: { view: DisputeView }) {
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
    <>
      <p className="status" data-stage={stage} role="status">
        {stageWords[stage]}
      </p>
      {mismatch && (
        <div className="note problem" role="alert">
          <p>{mismatch} Do not sign anything for this order.</p>
        </div>
      )}
      {role !== "arbiter" && (
        <p>
          <Link to="/orders/$orderId" params={{ orderId: order.id }}>
            {`Order ${order.reference}`}
          </Link>
        </p>
      )}
      {canOpen && <OpeningForm view={view} reason={reason} onReason={setReason} />}
      {canDecide && <DecisionForm view={view} ruling={ruling} onRuling={setRuling} />}
      <UnpublishedText view={view} reason={reason} ruling={ruling} />
      {dispute.opened && !canDecide && <OrderActions view={orderView} />}
      <Deadlines view={orderView} />
      <Outcome view={view} />
      <Statements view={view} />
      <Evidence evidence={evidence} />
      <Payload title={i18n.t("Output")} value={order.delivered_at ? order.output_payload : undefined} />
      <Payload title={i18n.t("Input")} value={order.input_payload} />
      <Timeline trail={trail} />
      <Receipts receipts={receipts} />
    </>
  );
}

/** The shares of both parties: by default, as decided, and as paid out. */
function Outcome({ view: { dispute, order } }: { view: DisputeView }) {
  const { opened, decision, default_outcome: byDefault, settled, intents } = dispute;
  const shares = ({ provider_amount, buyer_amount }: { provider_amount: string; buyer_amount: string }) => (
    <>
      <Money amount={provider_amount} currency={order.currency} /> to the provider,{" "}
      <Money amount={buyer_amount} currency={order.currency} /> to the buyer
    </>
  );
  return (
    <section aria-labelledby="outcome">
      <h2 id="outcome">Dispute</h2>
      <dl className="facts">
        <Row name="Amount">
          <Money amount={order.total_amount} currency={order.currency} />
        </Row>
        <Row name="Arbiter">
          <Address of={dispute.arbiter} />
        </Row>
        {intents.map(({ by, at, reason }) => (
          <Row key={by} name={`${roleWords[by]} gave notice`}>
            <Time at={at} />
            <UserProse>{reason}</UserProse>
          </Row>
        ))}
        {opened && (
          <Row name="Opened">
            {`By ${roleWords[opened.by].toLowerCase()}, `}
            <Time at={opened.at} />
            {!opened.confirmed && ", not yet confirmed"}
            <PublishedText text={opened.reason} hash={opened.reason_hash} what="reason" />
          </Row>
        )}
        {byDefault && <Row name="Without a decision">{shares(byDefault)}</Row>}
        {dispute.decide_by && (
          <Row name="Arbiter decides by">
            <Time at={dispute.decide_by} />
          </Row>
        )}
        {decision && (
          <Row name="Decided">
            {shares(decision)}
            {!decision.confirmed && ", not yet confirmed"}
            <PublishedText text={decision.ruling} hash={decision.ruling_hash} what="ruling" />
          </Row>
        )}
        {settled && <Row name="Paid out">{shares(settled)}</Row>}
      </dl>
    </section>
  );
}

/** A text whose hash is on the chain, once its author has published it. */
function PublishedText({
  text,
  hash,
  what,
}: {
  text: string | null;
  hash: string | null;
  what: "reason" | "ruling";
}) {
  if (text !== null) return <UserProse>{text}</UserProse>;
  return hash === null ? null : <p>{`No ${what} given.`}</p>;
}

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
