import { useMutation } from "@tanstack/react-query";
import { Signer } from "earnest-client/buying/wallet";
import { useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Hex } from "viem";
import { Button } from "../parts/button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { announce } from "../parts/toasts.ts";
import { UserProse } from "../parts/user-text.tsx";
import { signChallenge } from "../passkey/ceremony.ts";
import { requireDeployed } from "../passkey/passkey-wallet.ts";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { sentenceOf, WalletProblem } from "../problems/problem.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { followTransaction } from "../wallet/follow-transaction.ts";
import { type KeyPlace, keyPlaceOf } from "../wallet/key-place.ts";
import { openWallet } from "../wallet/open-wallet.ts";
import { useWallet } from "../wallet/wallet-config.ts";
import type { Signing, SigningStep, SigningValue } from "./signing.ts";
import { SwitchChain } from "./switch-chain.tsx";

type Progress = "asking" | "mining" | "done";

/**
 * Shows what the wallet will sign or send, then opens the wallet once for each step.
 *
 * @param onClose gets whether all steps were done
 */
export function SigningDialog({
  signing,
  onClose,
}: {
  signing: Signing;
  onClose: (isDone: boolean) => void;
}) {
  const connection = useWallet();
  const client = useClient();
  const keyPlace = keyPlaceOf(signing.account);
  const results = useRef<Hex[]>([]);
  const [progress, setProgress] = useState<Record<number, Progress>>({});
  const [replacement, setReplacement] = useState<string | null>(null);
  const run = useMutation({
    mutationFn: async () => {
      for (const [at, step] of signing.steps.entries()) {
        if (results.current[at]) continue;
        results.current[at] = await runStep(step, (next) =>
          setProgress((before) => ({ ...before, [at]: next })),
        );
        setProgress((before) => ({ ...before, [at]: "done" }));
      }
      await signing.finish?.(results.current);
    },
    onError: () => setProgress((before) => doneOnly(before)),
    onSuccess: () => {
      announce(signing.done);
      onClose(true);
    },
  });

  async function runStep(step: SigningStep, report: (next: Progress) => void): Promise<Hex> {
    report("asking");
    const { account, chainId } = signing;
    if (step.kind === "account-calls") {
      const passkey = findPasskey(account);
      if (!passkey) throw new WalletProblem("no_transactions");
      return await signChallenge(passkey, step.payment.challenge);
    }
    const wallet = await openWallet(account, chainId);
    if (step.kind === "signature") {
      const { primaryType } = step.data;
      if (keyPlace === "passkey") await requireDeployed(client, { address: account, chainId, primaryType });
      return await new Signer(wallet).sign(step.data);
    }
    if (!("transport" in wallet)) throw new WalletProblem("no_transactions");
    const { to, data } = step.call;
    const hash = await wallet.sendTransaction({ to, data, value: 0n });
    report("mining");
    const { node } = new Signer(wallet);
    return node ? await followTransaction(node, hash, setReplacement) : hash;
  }

  const isConnected = keyPlace !== "browser" || connection.status === "connected";
  const isOnOtherChain = keyPlace === "browser" && isConnected && connection.chainId !== signing.chainId;
  return (
    <ModalOverlay
      isOpen
      className="overlay"
      isKeyboardDismissDisabled={run.isPending}
      onOpenChange={(isOpen) => !isOpen && !run.isPending && onClose(false)}
    >
      <Modal className="modal">
        <Dialog className="review">
          <Heading slot="title">{signing.title}</Heading>
          <p>{signing.effect}</p>
          <ValueList values={signing.values.filter(({ isTechnical }) => !isTechnical)} />
          <div className="quiet">
            {i18n.t("Service, as named by the provider:")}
            <UserProse>{signing.calledByProvider}</UserProse>
          </div>
          <ol className="steps" aria-label={i18n.t("Wallet requests")}>
            {signing.steps.map((step, at) => (
              <li key={step.name} data-progress={progress[at] ?? "open"}>
                {step.name}
                <span role="status">{progress[at] ? progressText(progress[at], keyPlace) : ""}</span>
              </li>
            ))}
          </ol>
          {replacement && <p role="status">{`${sentenceOf("replaced")} ${replacement}`}</p>}
          <details>
            <summary>{i18n.t("Technical details")}</summary>
            <ValueList values={signing.values.filter(({ isTechnical }) => isTechnical)} />
            <h3>{i18n.t("Raw wallet request")}</h3>
            <Raw>{JSON.stringify(signing.steps.map(requestOf), null, 2)}</Raw>
          </details>
          <p className="quiet">{i18n.t("This page recomputed all of this from the signed agreement.")}</p>
          <div className="dialog-end">
            {run.error && <ProblemNote error={run.error} />}
            {isOnOtherChain && <SwitchChain chainId={signing.chainId} />}
            <div className="buttons">
              <Button isDisabled={run.isPending} onPress={() => onClose(false)}>
                {i18n.t("Cancel")}
              </Button>
              <Button
                variant="primary"
                isPending={run.isPending}
                isDisabled={isOnOtherChain || !isConnected}
                onPress={() => run.mutate()}
              >
                {run.error ? i18n.t("Try again") : confirmText(keyPlace)}
              </Button>
            </div>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Returns what the wallet is asked for. */
function requestOf(step: SigningStep): object {
  if (step.kind === "call") return step.call;
  return step.kind === "signature" ? step.data : step.payment;
}

function ValueList({ values }: { values: readonly SigningValue[] }) {
  return <LabelledValues rows={values.map(({ label, value }) => [label, value] as const)} />;
}

const confirmText = (keyPlace: KeyPlace): string =>
  ({
    browser: i18n.t("Confirm in wallet"),
    passkey: i18n.t("Confirm with your passkey"),
    sample: i18n.t("Confirm with the sample wallet"),
  })[keyPlace];

const progressText = (progress: Progress, keyPlace: KeyPlace): string => {
  if (progress === "mining") return ` ${i18n.t("Confirming on-chain…")}`;
  if (progress === "done") return ` ${i18n.t("Done.")}`;
  return ` ${keyPlace === "browser" ? i18n.t("Confirm in your wallet…") : `${confirmText(keyPlace)}…`}`;
};

const doneOnly = (progress: Record<number, Progress>) =>
  Object.fromEntries(Object.entries(progress).filter(([, now]) => now === "done"));
