import { useQueryClient } from "@tanstack/react-query";
import type { SettlementAction } from "earnest-client";
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

/** What I can do with an order now, and what I could do later and why not now. */
export function OrderActions({ view }: { view: OrderView }) {
  const { options } = view;
  const shown = options.actions.filter(({ action }) => acts.some((act) => act === action));
  const open = shown.filter(({ available }) => available);
  const later = shown.filter(({ available, available_at }) => !available && available_at !== null);
  const isBuyer = options.your_roles.includes("buyer");
  const pays = view.order.status === "created" && isBuyer && !isHeld(view.order);
  const waits = view.order.approval?.status === "pending";
  return (
    <section aria-labelledby="actions">
      <h2 id="actions">What you can do now</h2>
      {isBuyer && <Approval order={view.order} />}
      {pays && <Payment view={view} />}
      <ProviderWork view={view} />
      {open.map((action) => (
        <Exit key={action.action} action={action} view={view} />
      ))}
      {!pays && !waits && !providerTask(view) && open.length === 0 && <p>Nothing: it is not your turn.</p>}
      <Revision view={view} />
      {later.map(({ action, reason, available_at }) => (
        <p className="quiet" key={action}>
          {`${titles[action as Act]}: not before `}
          <Time at={String(available_at)} />
          {`. ${reason}`}
        </p>
      ))}
    </section>
  );
}

function Payment({ view: { order, payment } }: { view: OrderView }) {
  const client = useClient();
  const session = useSession();
  const renew = useRenewal(order.id);
  if (payment && payment.status !== "failed") {
    return (
      <p role="status">Your payment is on its way to the chain. The order is funded once it is confirmed.</p>
    );
  }
  return (
    <>
      {payment?.error && <p className="note">{`The last payment failed: ${payment.error}. Pay again.`}</p>}
      {order.buyer_address.toLowerCase() === session?.address.toLowerCase() ? (
        <div className="buttons">
          <ActButton
            isPrimary
            prepare={() => preparePayment(client, order.id, order.buyer_address)}
            onDone={renew}
          >
            {order.settlement_rail === "x402" ? "Pay by a signature" : "Pay by your wallet"}
          </ActButton>
        </div>
      ) : (
        <p>{`The wallet ${order.buyer_address} pays this order. Sign in with it.`}</p>
      )}
    </>
  );
}

/** One exit of the escrow: by a signature that the service sends, or by the wallet's own transaction. */
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
            {action.typed_data ? `${titles[act]} by your own transaction` : titles[act]}
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
