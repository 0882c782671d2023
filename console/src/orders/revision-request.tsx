import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { currentStageOf } from "./current-stage.ts";
import type { OrderView } from "./order-queries.ts";

/** Tells whether the account can still ask for the order's revision. */
export const canRevise = ({ order, options, trail }: OrderView): boolean =>
  order.status === "delivered" &&
  options.your_roles.includes("buyer") &&
  !trail.some(
    ({ type, data }) =>
      type === "order.revision_requested" &&
      // Each stage may be revised once.
      (data.stage === undefined || data.stage === currentStageOf(order)?.number),
  );

/** The buyer's only revision request after a delivery. It moves no deadline. */
export function Revision({ view: { order } }: { view: OrderView }) {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const requesting = useMutation({
    mutationFn: () => client.orders.requestRevision(order.id, { reason: reason.trim() }),
    onSuccess: () => {
      announce(i18n.t("Revision requested."));
      void queries.invalidateQueries({ queryKey: ["order", order.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    requesting.mutate();
  };
  return (
    <details>
      <summary>{i18n.t("Request a revision (1 left)")}</summary>
      <form onSubmit={submit} noValidate>
        <TextField
          label={i18n.t("What should change?")}
          help={i18n.t(
            "The provider delivers again. Deadlines stay the same: a recorded delivery is paid when the review period ends.",
          )}
          value={reason}
          onChange={setReason}
          isLong
          most={longest.reason}
        />
        {requesting.error && <ProblemNote error={requesting.error} />}
        <div className="buttons">
          <Button type="submit" isPending={requesting.isPending} isDisabled={reason.trim() === ""}>
            {i18n.t("Request revision")}
          </Button>
        </div>
      </form>
    </details>
  );
}
