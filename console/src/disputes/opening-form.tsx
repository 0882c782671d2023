import { useMutation, useQueryClient } from "@tanstack/react-query";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareDispute } from "../signing/dispute-signing.ts";
import { WalletProblem } from "../wallet/problems.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** Opens a dispute with a reason, or first tells the other party that one is meant. */
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
      announce("The other party knows that you mean to dispute.");
      renew();
    },
  });
  const isAnnounced = dispute.intents.some(({ by }) => by === role);
  return (
    <section aria-labelledby="opening">
      <h2 id="opening">Open a dispute</h2>
      <p>
        A dispute keeps the money in the escrow until the arbiter decides, or until the arbiter's time is
        over. Nobody can take it back.
      </p>
      <TextField
        label="Reason"
        help="The other party and the arbiter read it. The chain gets its hash alone."
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
            Open the dispute
          </ActButton>
        )}
        <ActButton
          prepare={() => prepareDispute(client, order.id, required(reason), { account, bySignature: false })}
          onDone={renew}
        >
          Open it by your own transaction
        </ActButton>
        {!isAnnounced && (
          <Button isPending={announcing.isPending} onPress={() => announcing.mutate()}>
            Only announce it
          </Button>
        )}
      </div>
      {announcing.error && <ProblemNote error={announcing.error} />}
    </section>
  );
}

/** @throws WalletProblem where there is no reason: a dispute that says nothing helps nobody */
function required(reason: string): string {
  if (reason.trim() === "") throw new WalletProblem("input", "Write why you dispute the order.");
  return reason;
}
