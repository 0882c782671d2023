import { type ReactNode, useEffect, useRef, useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";

/** A button for an action that cannot be undone. It takes two presses; the second names the action and its target. */
export function ConfirmButton({
  label,
  confirmLabel,
  of: name,
  isPending,
  error,
  isBare = false,
  onPress,
}: {
  /** such as `Revoke` */
  label: string;
  /** such as `Revoke counter permanently` */
  confirmLabel: ReactNode;
  /** the target, for the accessible name of the first button */
  of: string;
  isPending: boolean;
  error: unknown;
  /** for an action of minor weight, such as one of each row */
  isBare?: boolean;
  onPress: () => void;
}) {
  const [isConfirming, setConfirming] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  const wasConfirming = useRef(false);
  // The focused button is gone. The focus moves to Cancel, so that a repeated key press does not confirm.
  useEffect(() => {
    if (isConfirming !== wasConfirming.current) buttons.current?.querySelector("button")?.focus();
    wasConfirming.current = isConfirming;
  }, [isConfirming]);
  return (
    <>
      {error != null && <ProblemNote error={error} />}
      <div className="buttons" ref={buttons}>
        {isConfirming ? (
          <>
            {/* First, so that a double click on the button before it cancels. */}
            <Button onPress={() => setConfirming(false)}>{i18n.t("Cancel")}</Button>
            <Button variant="danger" isPending={isPending} onPress={onPress}>
              {confirmLabel}
            </Button>
          </>
        ) : (
          <Button
            {...(isBare ? { variant: "bare", size: "small" } : {})}
            aria-label={`${label} ${showHidden(name)}`}
            onPress={() => setConfirming(true)}
          >
            {label}
          </Button>
        )}
      </div>
    </>
  );
}
