import { useMutation, useQueryClient } from "@tanstack/react-query";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareDispute } from "../signing/dispute-signing.ts";
import { WalletProblem } from "../wallet/problems.ts";
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
  const announcing = useMutation({
    mutationFn: () => client.disputes.signal(order.id, { reason }),
    onSuccess: () => {
      announce("The other party has been warned.");
      renew();
    },
  });
  const isAnnounced = dispute.intents.some(({ by }) => by === role);
  return (
    <section aria-labelledby="opening">
      <h2 id="opening">Open a dispute</h2>
      <p>
        The money stays in escrow until the arbiter decides or the arbiter's deadline passes. A dispute can't
        be withdrawn.
      </p>
      <TextField
        label="Reason"
        help="The other party and the arbiter can read it. Only a hash is stored on-chain."
        isRequired
        isLong
        value={reason}
        onChange={(text) => onReason(cutText(text, longest.statement))}
        most={longest.statement}
      />
      <div className="buttons">
        {dispute.typed_data && (
          <ActButton
            isPrimary
            prepare={() => prepareDispute(client, order.id, required(reason), { account, bySignature: true })}
            onDone={renew}
          >
            Open dispute
          </ActButton>
        )}
        <ActButton
          prepare={() => prepareDispute(client, order.id, required(reason), { account, bySignature: false })}
          onDone={renew}
        >
          Open dispute (own transaction)
        </ActButton>
        {!isAnnounced && (
          <Button isPending={announcing.isPending} onPress={() => announcing.mutate()}>
            Warn the other party first
          </Button>
        )}
      </div>
      {announcing.error && <ProblemNote error={announcing.error} />}
    </section>
  );
}

/** @throws WalletProblem if there is no reason */
function required(reason: string): string {
  if (reason.trim() === "") throw new WalletProblem("input", "Enter a reason for the dispute.");
  return reason;
}
