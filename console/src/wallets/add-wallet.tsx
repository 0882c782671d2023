import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.ts";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import type { ConsoleWallet } from "../session/console-wallet.ts";
import { useSession } from "../session/session.ts";
import { proveWallet } from "../session/sign-in.ts";
import { signInMethods } from "../session/sign-in-methods.ts";
import { i18n } from "../text/i18n.ts";

/** Adds a wallet to the account: the wallet signs a message that names the account. */
export function AddWalletDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const session = useSession();
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: async (open: () => Promise<ConsoleWallet>) => {
      const proof = await proveWallet(await open(), { client, accountId: session?.accountId ?? "" });
      return client.wallets.add(proof, asPerson);
    },
    onSuccess: async () => {
      announce(i18n.t("Wallet added."));
      await queries.invalidateQueries({ queryKey: ["wallets"] });
      onClose();
    },
  });
  return (
    <FormDialog title={i18n.t("Add wallet")} onClose={onClose}>
      <p>
        {i18n.t(
          "Switch your wallet to the account that you want to add, then choose it here. You'll sign a message; it's free and moves no funds.",
        )}
      </p>
      {signInMethods.map(({ id, Part }) => (
        <Part key={id} isPending={adding.isPending} onChoose={adding.mutate} />
      ))}
      {adding.error && <ProblemNote error={adding.error} />}
      <div className="dialog-end">
        <div className="buttons">
          <Button onPress={onClose}>{i18n.t("Cancel")}</Button>
        </div>
      </div>
    </FormDialog>
  );
}
