import { useQueryClient } from "@tanstack/react-query";
import type { SettlementAction } from "earnest-client";
import { moneyText } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { ActButton } from "../signing/act-button.tsx";
import { type Act, acts, prepareAct, titles } from "../signing/escrow-actions.ts";
import { preparePayment } from "../signing/payment-signing.ts";
import { Approval, isHeld } from "./approval.tsx";
import type { OrderView } from "./order-queries.ts";
import { ProviderWork, providerTask } from "./provider-work.tsx";
import { Revision } from "./revision-request.tsx";

/** The actions that the account can take now, and those that will be available later, each with its reason. */
export function OrderActions({ view }: { view: OrderView }) {
  const { options } = view;
  const supported = options.actions.filter(({ action }) => acts.some((act) => act === action));
  const open = supported.filter(({ available }) => available);
  const later = supported.filter(({ available, available_at }) => !available && available_at !== null);
  const isBuyer = options.your_roles.includes("buyer");
  const canPay = view.order.status === "created" && isBuyer && !isHeld(view.order);
  const isPending = view.order.approval?.status === "pending";
  return (
    <section aria-labelledby="actions">
      <h2 id="actions">Next step</h2>
      {isBuyer && <Approval order={view.order} />}
      {canPay && <Payment view={view} />}
      <ProviderWork view={view} />
      {open.map((action) => (
        <Exit key={action.action} action={action} view={view} />
      ))}
      {!canPay && !isPending && !providerTask(view) && open.length === 0 && <p>{idleText(view)}</p>}
      <Revision view={view} />
      {later.map(({ action, reason, available_at }) => (
        <p className="quiet" key={action}>
          {`${titles[action as Act]}: available from `}
          <Time at={String(available_at)} />
          {`. ${reason}`}
        </p>
      ))}
    </section>
  );
}

/** Says why there is nothing to do. */
function idleText({ order: { status }, options: { your_roles: roles } }: OrderView): string {
  if (status === "released") return "Nothing left to do: order completed.";
  if (status === "refunded") return "Nothing left to do: order refunded.";
  if (status === "expired") return "Nothing left to do: order expired.";
  if (status === "disputed") return "Waiting for the dispute to end.";
  if (status === "created") return "Waiting for payment.";
  if (status === "delivered")
    return roles.includes("buyer")
      ? "Waiting for the provider to confirm the delivery on-chain."
      : "Waiting for the buyer.";
  return roles.includes("provider") ? "Nothing to do now." : "Waiting for the provider.";
}

function Payment({ view: { order, payment } }: { view: OrderView }) {
  const client = useClient();
  const session = useSession();
  const renew = useRenewal(order.id);
  if (payment && payment.status !== "failed") {
    return <p role="status">Payment sent. Waiting for confirmation on the chain.</p>;
  }
  return (
    <>
      {payment?.error && (
        <p className="note">{`The last payment failed: ${payment.error}. Please pay again.`}</p>
      )}
      {order.buyer_address.toLowerCase() === session?.address.toLowerCase() ? (
        <div className="buttons">
          <ActButton
            isPrimary
            prepare={() => preparePayment(client, order.id, order.buyer_address)}
            onDone={renew}
          >
            {`Pay ${moneyText(order.total_amount)} ${order.currency}`}
          </ActButton>
        </div>
      ) : (
        <p>{`Sign in with the wallet ${order.buyer_address} to pay.`}</p>
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
  const prepare = (bySignature: boolean) => () =>
    prepareAct(client, order.id, action, session?.address ?? "", bySignature);
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
            {titles[act]}
          </ActButton>
        )}
        {action.call && (
          <ActButton prepare={prepare(false)} onDone={renew}>
            {action.typed_data ? `${titles[act]} (own transaction)` : titles[act]}
          </ActButton>
        )}
      </div>
    </div>
  );
}

function useRenewal(orderId: string): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ["order", orderId] });
}
