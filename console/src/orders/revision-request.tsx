import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import type { OrderView } from "./order-queries.ts";

/** The buyer's one request for changes after a delivery. No deadline moves by it. */
export function Revision({ view: { order, options, trail } }: { view: OrderView }) {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const asking = useMutation({
    mutationFn: () => client.orders.requestRevision(order.id, { reason: reason.trim() }),
    onSuccess: () => {
      announce("The provider is told what to change.");
      void queries.invalidateQueries({ queryKey: ["order", order.id] });
    },
  });
  const isAsked = trail.some(({ type }) => type === "order.revision_requested");
  if (order.status !== "delivered" || !options.your_roles.includes("buyer") || isAsked) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate();
  };
  return (
    <details>
      <summary>Ask for changes, once</summary>
      <form onSubmit={submit} noValidate>
        <TextField
          label="What is to change"
          help="The provider delivers again. No deadline moves: where the delivery is recorded, the provider is paid when the time to accept ends."
          value={reason}
          onChange={setReason}
          isLong
          most={longest.reason}
        />
        {asking.error && <ProblemNote error={asking.error} />}
        <div className="buttons">
          <Button type="submit" isPending={asking.isPending} isDisabled={reason.trim() === ""}>
            Ask for the changes
          </Button>
        </div>
      </form>
    </details>
  );
}
