import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareDispute } from "../signing/dispute-signing.ts";
import { i18n } from "../text/i18n.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** Opens a dispute with a reason, or first warns the other party. */
export function OpeningForm({
  view: { dispute, order },
  reason,
  onReason,
}: {
  view: DisputeView;
  reason: string;
  onReason: (reason: string) => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const role = dispute.your_role;
  const account = role === "provider" ? order.provider_address : order.buyer_address;
  const renew = () => void queries.invalidateQueries({ queryKey: ["order", order.id] });
  const form = useRef<HTMLElement>(null);
  const [showAll, setShowAll] = useState(false);
  const isEmpty = reason.trim() === "";
  const announcing = useMutation({
    mutationFn: () => client.disputes.signal(order.id, { reason }),
    onSuccess: () => {
      announce(i18n.t("The other party has been warned."));
      renew();
    },
  });
  /** Tells whether there is a reason. Otherwise its field shows the fault. */
  const hasReason = (): boolean => {
    setShowAll(true);
    if (isEmpty) focusFirstFault(form.current);
    return !isEmpty;
  };
  const prepare = (bySignature: boolean) => async () =>
    hasReason() ? prepareDispute(client, order.id, reason, { account, bySignature }) : null;
  const ownTransaction = (
    <ActButton prepare={prepare(false)} onDone={renew}>
      {i18n.t("Open dispute (own transaction)")}
    </ActButton>
  );
  const isAnnounced = dispute.intents.some(({ by }) => by === role);
  return (
    <section className="card next" aria-labelledby="opening" ref={form}>
      <h2 id="opening">{i18n.t("Open a dispute")}</h2>
      <p>
        {i18n.t(
          "The money stays in escrow until the arbiter decides or the arbiter's deadline passes. A dispute can't be withdrawn.",
        )}
      </p>
      <TextField
        label={i18n.t("Reason")}
        help={i18n.t("The other party and the arbiter can read it. Only a hash is stored on-chain.")}
        error={showAll && isEmpty ? i18n.t("Enter a reason for the dispute.") : null}
        isRequired
        isLong
        value={reason}
        onChange={(text) => onReason(cutText(text, longest.statement))}
        most={longest.statement}
      />
      <div className="buttons">
        {dispute.typed_data && (
          <ActButton isPrimary prepare={prepare(true)} onDone={renew}>
            {i18n.t("Open dispute")}
          </ActButton>
        )}
        {!isAnnounced && (
          <Button isPending={announcing.isPending} onPress={() => hasReason() && announcing.mutate()}>
            {i18n.t("Warn the other party first")}
          </Button>
        )}
        {!dispute.typed_data && ownTransaction}
      </div>
      {announcing.error && <ProblemNote error={announcing.error} />}
      {dispute.typed_data && (
        <details>
          <summary>{i18n.t("Send it from your own wallet instead")}</summary>
          <div className="buttons">{ownTransaction}</div>
        </details>
      )}
    </section>
  );
}
