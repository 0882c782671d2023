import { RotateCw } from "lucide-react";
import { problemOf } from "../problems/problem.ts";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";
import { announce } from "./toasts.ts";
import { UserText } from "./user-text.tsx";

/**
 * An error message with its details and its request id.
 *
 * @param onRetry repeats what failed, by a button
 */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { state, sentence, detail, requestId } = problemOf(error);
  const isChanged = state === "changed";
  return (
    <div className="note problem" role="alert" data-state={state}>
      <p>{sentence}</p>
      {detail && (
        <p lang={state === "service" || state === "missing" ? "en" : undefined}>
          <UserText>{detail}</UserText>
        </p>
      )}
      {requestId && <p className="quiet">{i18n.t("Request ID {requestId}", { requestId })}</p>}
      {((onRetry && state !== "missing") || isChanged) && (
        <Button size="small" icon={RotateCw} onPress={() => (isChanged ? location.reload() : onRetry?.())}>
          {isChanged ? i18n.t("Reload page") : i18n.t("Try again")}
        </Button>
      )}
    </div>
  );
}

/** Announces an error message in a toast. */
export function announceProblem(error: unknown): void {
  const { sentence, detail } = problemOf(error);
  announce(
    <>
      {sentence} {detail !== null && <UserText>{detail}</UserText>}
    </>,
  );
}
