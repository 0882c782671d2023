import { problemOf } from "../wallet/problems.ts";

/** What went wrong, in its sentence, as soon as it is known. */
export function ProblemNote({ error }: { error: unknown }) {
  const { state, sentence, detail, requestId } = problemOf(error);
  return (
    <div className="note problem" role="alert" data-state={state}>
      <p>{sentence}</p>
      {detail && <p>{detail}</p>}
      {requestId && <p className="quiet">{`Quote ${requestId} when you report it.`}</p>}
    </div>
  );
}
