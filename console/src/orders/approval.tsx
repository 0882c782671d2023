import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Order } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** Tells whether an order cannot be paid because its approval is pending or refused. */
export function isHeld({ approval }: Pick<Order, "approval">): boolean {
  return approval?.status === "pending" || approval?.status === "refused";
}

/** The approval of an order that exceeds its key's approval limit: the decision, or the buttons to decide. */
export function Approval({ order }: { order: Order }) {
  const client = useClient();
  const queries = useQueryClient();
  const deciding = useMutation({
    mutationFn: (decision: "approve" | "refuse") => client.orders.decideApproval(order.id, { decision }),
    onSuccess: (_, decision) => {
      announce(decision === "approve" ? i18n.t("Order approved.") : i18n.t("Order refused."));
      void queries.invalidateQueries({ queryKey: ["order", order.id] });
      void queries.invalidateQueries({ queryKey: ["orders"] });
    },
  });
  const { approval } = order;
  if (!approval) return null;
  if (approval.status !== "pending") {
    return (
      <p className="quiet">
        {wordsOf(approval.status)}
        {approval.decided_at && (
          <>
            {": "}
            <Time at={approval.decided_at} />
          </>
        )}
      </p>
    );
  }
  return (
    <section aria-labelledby="approval">
      <h3 id="approval">{i18n.t("Needs your approval")}</h3>
      <p>
        {i18n.t(
          "An API key placed this order above its approval limit. It can't be paid until an owner or admin approves it.",
        )}
      </p>
      {deciding.error && deciding.variables === "approve" && <ProblemNote error={deciding.error} />}
      <div className="buttons">
        <Button variant="primary" isPending={deciding.isPending} onPress={() => deciding.mutate("approve")}>
          {i18n.t("Approve order")}
        </Button>
      </div>
      <ConfirmButton
        label={i18n.t("Refuse")}
        confirmLabel={i18n.t("Refuse order permanently")}
        of={i18n.t("the order {reference}", { reference: order.reference })}
        isPending={deciding.isPending}
        error={deciding.variables === "refuse" ? deciding.error : null}
        onPress={() => deciding.mutate("refuse")}
      />
    </section>
  );
}

const wordsOf = (status: "approved" | "refused" | "lapsed"): string =>
  ({
    approved: i18n.t("Approved"),
    refused: i18n.t("Approval refused: this order can't be paid"),
    lapsed: i18n.t("Expired before approval"),
  })[status];
