import { problemOf } from "../wallet/problems.ts";
import { UserText } from "./user-text.tsx";

/** What went wrong, in its sentence, as soon as it is known. */
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
      {requestId && <p className="quiet">{`Quote ${requestId} when you report it.`}</p>}
    </div>
  );
}
