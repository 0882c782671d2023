import { Trans } from "@lingui/react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DeliveredStage, Order, OrderStage } from "earnest-client";
import { Check } from "lucide-react";
import { Money } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { stageText, stageTones } from "../stages/stage-words.ts";
import { i18n } from "../text/i18n.ts";
import { stagesQuery } from "./order-queries.ts";
import { PayloadTools, PayloadValue } from "./payloads.tsx";

/**
 * The stages of an order, in order, each with its state and its last output.
 *
 * @param isTheirs whether another party delivers, whose files can be reported
 */
export function OrderStages({
  order,
  stages,
  isTheirs,
}: {
  order: Order;
  stages: readonly OrderStage[];
  isTheirs: boolean;
}) {
  const delivered = useQuery({ ...stagesQuery(useClient(), order.id), enabled: order.delivered_at !== null });
  const accepted = stages.filter(({ state }) => state === "accepted").length;
  const current = order.completed_at === null ? accepted + 1 : null;
  return (
    <section className="card" aria-labelledby="stages">
      <div className="card-head">
        <h2 id="stages">{i18n.t("Stages")}</h2>
        <span className="quiet">
          {i18n.t("{accepted} of {total} accepted", { accepted, total: stages.length })}
        </span>
      </div>
      <ol className="stages" aria-labelledby="stages">
        {stages.map((stage) => (
          <li key={stage.number} aria-current={stage.number === current ? "step" : undefined}>
            <Stage stage={stage} currency={order.currency} />
            <Output of={delivered.data?.find(({ number }) => number === stage.number)} isTheirs={isTheirs} />
          </li>
        ))}
      </ol>
      {delivered.error && <ProblemNote error={delivered.error} />}
    </section>
  );
}

function Stage({ stage, currency }: { stage: OrderStage; currency: string }) {
  const { number, title, amount, state, due_at: due } = stage;
  return (
    <>
      <span className="dot" data-state={state} aria-hidden>
        {state === "accepted" ? <Check size={12} /> : number}
      </span>
      <div className="stage-title">
        <UserText>{title}</UserText>
        {due && (state === "open" || state === "delivered") && (
          <span className="quiet">
            <Trans id="Due {time}" values={{ time: <Time at={due} /> }} />
          </span>
        )}
      </div>
      <Money amount={amount} currency={currency} />
      <Chip tone={stageTones[state]}>{stageText(state)}</Chip>
    </>
  );
}

/** The last output of a stage. It is unfolded while the stage waits for the buyer. */
function Output({ of: stage, isTheirs }: { of: DeliveredStage | undefined; isTheirs: boolean }) {
  if (!stage?.delivered_at) return null;
  const title = i18n.t("Output of stage {number}", { number: stage.number });
  return (
    <details open={stage.state === "delivered" || stage.state === "disputed"}>
      <summary>{i18n.t("Output")}</summary>
      <PayloadValue of={stage.output_payload} isTheirs={isTheirs} />
      <PayloadTools title={title} value={stage.output_payload} />
      <p className="quiet">
        <Trans id="Delivered {time}" values={{ time: <Time at={stage.delivered_at} /> }} />
        {stage.receipt_id && (
          <>
            {" · "}
            <Link to="/receipts/$receiptId/checks" params={{ receiptId: stage.receipt_id }}>
              {i18n.t("View receipt")}
            </Link>
          </>
        )}
      </p>
    </details>
  );
}
