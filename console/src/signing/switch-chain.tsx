import { useMutation } from "@tanstack/react-query";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { sentenceOf } from "../problems/problem.ts";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { askForChain } from "../wallet/open-wallet.ts";

/** Warns that the wallet is on another chain, and offers to switch it. */
export function SwitchChain({ chainId, onSwitched }: { chainId: number; onSwitched?: () => void }) {
  const change = useMutation({ mutationFn: () => askForChain(chainId), onSuccess: onSwitched });
  return (
    <div className="note" role="alert">
      <p>{sentenceOf("wrong_chain")}</p>
      {change.error && <ProblemNote error={change.error} />}
      <Button isPending={change.isPending} onPress={() => change.mutate()}>
        {i18n.t("Switch to {network}", { network: nameOfChain(chainId) })}
      </Button>
    </div>
  );
}
