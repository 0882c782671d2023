import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import type { SettlementAction } from "earnest-client";
import { lazy, Suspense, useEffect, useState } from "react";
import { moneyText } from "../parts/money.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { useFirstView } from "../shell/first-view.ts";
import { ActButton } from "../signing/act-button.tsx";
import { type Act, acts, exitTitle } from "../signing/escrow-acts.ts";
import { i18n } from "../text/i18n.ts";
import { Approval, isHeld } from "./approval.tsx";
import { currentStageOf } from "./current-stage.ts";
import type { OrderView } from "./order-queries.ts";
import { providerTask } from "./provider-task.ts";
import { canRevise, Revision } from "./revision-request.tsx";

const PayByPhone = lazy(() =>
  import("./pay-by-phone.tsx").then(({ PayByPhone: loaded }) => ({ default: loaded })),
);
const ProviderWork = lazy(() =>
  import("./provider-work.tsx").then(({ ProviderWork: loaded }) => ({ default: loaded })),
);

/**
 * The next step of an order: what it waits for, the action that moves it on, and the other actions that are open.
 *
 * @param hasDisputeLink whether it leads to the dispute, which the dispute's own page does not
 */
export function OrderActions({ view, hasDisputeLink = true }: { view: OrderView; hasDisputeLink?: boolean }) {
  const { options } = view;
  const supported = options.actions.filter(({ action }) => acts.some((act) => act === action));
  const open = supported.filter(({ available }) => available);
  const [main, other] = [true, false].map((isMain) =>
    open.filter((action) => movesOn(action, view) === isMain),
  );
  const isBuyer = options.your_roles.includes("buyer");
  const canPay = view.order.status === "created" && isBuyer && !isHeld(view.order);
  const isPending = view.order.approval?.status === "pending";
  return (
    <section className="card next" aria-labelledby="actions">
      <h2 id="actions">{i18n.t("Next step")}</h2>
      {isBuyer && <Approval order={view.order} />}
      {canPay && <Payment view={view} />}
      {options.your_roles.includes("provider") && (
        <Suspense fallback={<Skeleton />}>
          <ProviderWork view={view} />
        </Suspense>
      )}
      {!canPay && !isPending && !providerTask(view) && (
        <p>{main?.[0] ? actText(main[0].action as Act, view) : idleText(view)}</p>
      )}
      {main?.map((action) => (
        <Exit key={action.action} action={action} view={view} />
      ))}
      <OtherActions view={view} exits={other ?? []} hasDisputeLink={hasDisputeLink} />
    </section>
  );
}

/** Tells whether an exit of the escrow is the order's next step. The rest is for orders that go wrong. */
function movesOn(
  { action }: SettlementAction,
  { order, options: { your_roles: roles } }: OrderView,
): boolean {
  if (action === "release") return order.status === "delivered";
  if (action === "returnDeposit") return order.status !== "created";
  return action !== "refund" || !roles.includes("provider");
}

/** Actions that are open but not the next step: another exit, a revision, a dispute. */
function OtherActions({
  view,
  exits,
  hasDisputeLink,
}: {
  view: OrderView;
  exits: SettlementAction[];
  hasDisputeLink: boolean;
}) {
  const { order, options } = view;
  const canDispute = options.actions.some(({ action, available }) => action === "dispute" && available);
  const hasDispute = hasDisputeLink && (canDispute || order.disputed_at !== null);
  if (exits.length === 0 && !hasDispute && !canRevise(view)) return null;
  return (
    <div className="other-actions">
      <h3>{i18n.t("Other actions")}</h3>
      {hasDispute && (
        <Link to="/orders/$orderId/dispute" params={{ orderId: order.id }} className="button">
          {order.disputed_at ? i18n.t("View dispute") : i18n.t("Open a dispute")}
        </Link>
      )}
      {exits.map((action) => (
        <Exit key={action.action} action={action} view={view} />
      ))}
      {canRevise(view) && <Revision view={view} />}
    </div>
  );
}

/** Says what the next step does. */
function actText(act: Act, { order, options: { your_roles: roles } }: OrderView): string {
  const isBuyer = roles.includes("buyer");
  const stage = currentStageOf(order);
  const accepting = stage
    ? i18n.t("Check the output of stage {number} below. Accept it to release {amount} {currency}.", {
        number: stage.number,
        amount: moneyText(stage.amount),
        currency: order.currency,
      })
    : i18n.t("Check the output below. Accept it to release the payment.");
  const isSession = order.pricing_model === "per_call";
  const texts: Record<Act, string> = {
    release: isBuyer ? accepting : i18n.t("The review period is over. Anyone can release the payment."),
    refund: isSession
      ? i18n.t("The session is over. What its calls have not cost can go back to the buyer.")
      : i18n.t("No delivery was confirmed in time. The full amount can go back to the buyer."),
    settleDispute: i18n.t("The dispute is over. Anyone can pay it out."),
    returnDeposit: i18n.t("The deposit pays for no order. It can go back to the buyer."),
  };
  return texts[act];
}

/** Says what an order waits for that the account cannot move on. */
function idleText({ order, options: { your_roles: roles } }: OrderView): string {
  const { status } = order;
  if (status === "released") return i18n.t("Nothing left to do: order completed.");
  if (status === "refunded") return i18n.t("Nothing left to do: order refunded.");
  if (status === "expired") return i18n.t("Nothing left to do: order expired.");
  if (status === "disputed") return i18n.t("Waiting for the dispute to end.");
  if (status === "created") return i18n.t("Waiting for payment.");
  if (status === "delivered")
    return roles.includes("buyer")
      ? i18n.t("Waiting for the provider to confirm the delivery on-chain.")
      : i18n.t(
          "Waiting for the buyer to review. The payment releases automatically after the review period.",
        );
  if (order.pricing_model === "per_call")
    return i18n.t("The session is open. The buyer's program pays for each call.");
  if (roles.includes("provider")) return i18n.t("Nothing to do now.");
  if (status !== "started") return i18n.t("Waiting for the provider to start.");
  const stage = currentStageOf(order);
  return stage
    ? i18n.t("Waiting for the provider to deliver stage {number}.", { number: stage.number })
    : i18n.t("Waiting for the provider to deliver.");
}

function Payment({ view: { order, payment } }: { view: OrderView }) {
  const client = useClient();
  const session = useSession();
  const renew = useRenewal(order.id);
  const navigate = useNavigate();
  const isShown = useFirstView();
  const isJustPlaced = useLocation({ select: ({ state }) => state.isJustPlaced === true });
  // The order was placed a moment ago. Its payment opens once, and not again after a reload.
  const [isImmediate, setImmediate] = useState(isJustPlaced);
  useEffect(() => {
    setImmediate(false);
    if (isJustPlaced)
      void navigate({ to: "/orders/$orderId", params: { orderId: order.id }, state: {}, replace: true });
  }, [isJustPlaced, navigate, order.id]);
  if (payment && payment.status !== "failed") {
    return <p role="status">{i18n.t("Payment sent. Waiting for confirmation on the chain.")}</p>;
  }
  return (
    <>
      <p>
        {order.pricing_model === "per_call"
          ? i18n.t("The escrow holds the balance. Only your signed calls pay the provider.")
          : i18n.t("The escrow holds your payment until you accept the work.")}
      </p>
      {payment?.error && (
        <p className="note">
          {i18n.t("The last payment failed: {error}. Please pay again.", { error: payment.error })}
        </p>
      )}
      {order.buyer_address.toLowerCase() === session?.address.toLowerCase() ? (
        <div className="buttons">
          <ActButton
            isPrimary
            isImmediate={isImmediate}
            prepare={async () => {
              const { preparePayment } = await import("../signing/prepare-payment.ts");
              return await preparePayment(client, order.id, order.buyer_address);
            }}
            onDone={renew}
          >
            {i18n.t("Pay {amount} {currency}", {
              amount: moneyText(order.total_amount),
              currency: order.currency,
            })}
          </ActButton>
          {isShown && (
            <Suspense>
              <PayByPhone orderId={order.id} buyer={order.buyer_address} />
            </Suspense>
          )}
        </div>
      ) : (
        <p>{i18n.t("Sign in with the wallet {wallet} to pay.", { wallet: order.buyer_address })}</p>
      )}
    </>
  );
}

/** One exit of the escrow, by a signature that the service sends or by a transaction of the wallet. */
function Exit({ action, view: { order } }: { action: SettlementAction; view: OrderView }) {
  const client = useClient();
  const session = useSession();
  const renew = useRenewal(order.id);
  const act = action.action as Act;
  const title = exitTitle(action, currentStageOf(order));
  const prepare = (bySignature: boolean) => async () => {
    const { prepareAct } = await import("../signing/prepare-act.ts");
    return await prepareAct(client, order.id, action, session?.address ?? "", bySignature);
  };
  return (
    <div className="exit">
      {action.note && <p className="note">{action.note}</p>}
      <div className="buttons">
        {action.typed_data && (
          <ActButton
            isPrimary={act === "release" && order.status === "delivered"}
            prepare={prepare(true)}
            onDone={renew}
          >
            {title}
          </ActButton>
        )}
        {action.call && !action.typed_data && (
          <ActButton prepare={prepare(false)} onDone={renew}>
            {title}
          </ActButton>
        )}
      </div>
      {action.call && action.typed_data && (
        <details>
          <summary>{i18n.t("Send it from your own wallet instead")}</summary>
          <div className="buttons">
            <ActButton prepare={prepare(false)} onDone={renew}>
              {i18n.t("{action} (own transaction)", { action: title })}
            </ActButton>
          </div>
        </details>
      )}
    </div>
  );
}

function useRenewal(orderId: string): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ["order", orderId] });
}
