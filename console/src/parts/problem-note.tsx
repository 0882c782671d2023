import { i18n } from "@lingui/core";
import { problemOf } from "../wallet/problems.ts";
import { UserText } from "./user-text.tsx";

/** An error message with its details and its request id. */
export function ProblemNote({ error }: { error: unknown }) {
  const { state, sentence, detail, requestId } = problemOf(error);
  return (
    <div className="note problem" role="alert" data-state={state}>
      <p>{sentence}</p>
      {detail && (
        <p>
          <UserText>{detail}</UserText>
        </p>
      )}
      {requestId && <p className="quiet">{i18n.t("Request ID {requestId}", { requestId })}</p>}
    </div>
  );
}
