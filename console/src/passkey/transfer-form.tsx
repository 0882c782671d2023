import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { getAddress, isAddress } from "viem";
import { amountPattern } from "../../../protocol/settlement/index.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { WalletProblem } from "../problems/problem.ts";
import { useClient } from "../session/client.ts";
import { tokensOn } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import type { Passkey } from "./stored-passkeys.ts";
import { transferOut } from "./transfer.ts";

/** Moves tokens of a passkey's account to an address that the user names. */
export function TransferForm({
  passkey,
  walletId,
  chainId,
}: {
  passkey: Passkey;
  walletId: string;
  chainId: number;
}) {
  const client = useClient();
  const tokens = tokensOn(chainId);
  const [chosen, setChosen] = useState("");
  const token = tokens.find(({ address }) => address === chosen) ?? tokens[0];
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const receiver = isAddress(to.trim()) ? getAddress(to.trim()) : null;
  const isAmount = amountPattern.test(amount.trim());
  const moving = useMutation({
    mutationFn: async () => {
      if (!receiver || !token) throw new WalletProblem("input");
      return transferOut(client, passkey, { walletId, chainId, token, to: receiver, amount: amount.trim() });
    },
    onSuccess: () => {
      announce(i18n.t("Transfer sent. It arrives once it is confirmed on the chain."));
      setTo("");
      setAmount("");
      setIsChecked(false);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (receiver && isAmount) moving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <p>{i18n.t("Move tokens to another wallet. You confirm with your passkey and pay no gas.")}</p>
      {token && tokens.length > 1 && (
        <ChoiceField
          label={i18n.t("Token")}
          value={token.address}
          onChange={setChosen}
          choices={tokens.map(({ address, symbol }) => [address, symbol])}
        />
      )}
      <TextField
        label={i18n.t("Receiver")}
        value={to}
        onChange={setTo}
        isRequired
        error={isChecked && !receiver ? i18n.t("Enter an address with 0x and 40 characters.") : null}
      />
      <TextField
        label={i18n.t("Amount")}
        value={amount}
        onChange={setAmount}
        isRequired
        inputMode="decimal"
        error={isChecked && !isAmount ? i18n.t("Enter an amount, such as 2.5.") : null}
      />
      {moving.error && <ProblemNote error={moving.error} />}
      <Button type="submit" isPending={moving.isPending}>
        {i18n.t("Move tokens")}
      </Button>
    </form>
  );
}
