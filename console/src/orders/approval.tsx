import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Order } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";

/** Whether an order cannot be paid here, because a person has not said yes. */
export function isHeld({ approval }: Pick<Order, "approval">): boolean {
  return approval?.status === "pending" || approval?.status === "refused";
}

/** An order that a key placed above what it may spend by itself: approve it or refuse it, or what was decided. */
export function Approval({ order }: { order: Order }) {
  const client = useClient();
  const queries = useQueryClient();
  const deciding = useMutation({
    mutationFn: (decision: "approve" | "refuse") => client.orders.decideApproval(order.id, { decision }),
    onSuccess: (_, decision) => {
      announce(decision === "approve" ? "The order is approved." : "The order is refused.");
      void queries.invalidateQueries({ queryKey: ["order", order.id] });
      void queries.invalidateQueries({ queryKey: ["orders"] });
    },
  });
  const { approval } = order;
  if (!approval) return null;
  if (approval.status !== "pending") {
    return (
      <p className="quiet">
        {words[approval.status]}
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
      <h3 id="approval">Waits for your approval</h3>
      <p>
        A key of yours placed this order above what it may spend by itself. Nothing is paid here until an
        owner or admin approves it.
      </p>
      {deciding.error && deciding.variables === "approve" && <ProblemNote error={deciding.error} />}
      <div className="buttons">
        <Button className="primary" isPending={deciding.isPending} onPress={() => deciding.mutate("approve")}>
          Approve the order
        </Button>
      </div>
      <ConfirmButton
        label="Refuse"
        sure="Refuse the order for good"
        of={`the order ${order.reference}`}
        isPending={deciding.isPending}
        error={deciding.variables === "refuse" ? deciding.error : null}
        onPress={() => deciding.mutate("refuse")}
      />
    </section>
  );
}

const words = {
  approved: "Approved",
  refused: "Its approval was refused: nothing is paid here",
  lapsed: "It was over before anybody approved it",
} as const;
