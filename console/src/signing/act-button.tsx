import { useMutation } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { WalletProblem } from "../problems/problem.ts";
import type { Signing } from "./signing.ts";

const SigningDialog = lazy(() =>
  import("./signing-dialog.tsx").then(({ SigningDialog: loaded }) => ({ default: loaded })),
);

const SwitchChain = lazy(() =>
  import("./switch-chain.tsx").then(({ SwitchChain: loaded }) => ({ default: loaded })),
);

/**
 * A button for an action that the wallet signs or sends. It recomputes the action and shows it before the wallet opens.
 *
 * @param prepare recomputes the action. If it throws, the error is shown and nothing is signed. Null: a field shows its fault
 */
export function ActButton({
  prepare,
  onDone,
  isPrimary,
  isImmediate = false,
  children,
}: {
  prepare: () => Promise<Signing | null>;
  onDone?: () => void;
  isPrimary?: boolean;
  /** whether the dialog opens without a press, once */
  isImmediate?: boolean;
  children: ReactNode;
}) {
  const [signing, setSigning] = useState<Signing | null>(null);
  const checking = useMutation({ mutationFn: prepare, onSuccess: setSigning });
  const { mutate, error } = checking;
  const otherChain = error instanceof WalletProblem ? error.neededChain : null;
  useEffect(() => {
    if (isImmediate) mutate();
  }, [isImmediate, mutate]);
  return (
    <>
      <Button
        variant={isPrimary ? "primary" : "secondary"}
        isPending={checking.isPending}
        onPress={() => checking.mutate()}
      >
        {children}
      </Button>
      {otherChain !== null ? (
        <Suspense>
          <SwitchChain chainId={otherChain} onSwitched={() => checking.mutate()} />
        </Suspense>
      ) : (
        checking.error && <ProblemNote error={checking.error} />
      )}
      {signing && (
        <Suspense>
          <SigningDialog
            signing={signing}
            onClose={(done) => {
              setSigning(null);
              if (done) onDone?.();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
