import { type SessionErrorCode, sessionErrorStatus } from "../../../../protocol/sessions/index.ts";

/** The facts of a refusal beside its message, with their names in the answer. */
export type RefusalFacts = {
  expected_amount?: string;
  newest?: { cumulative_amount: string; work_hash: string; signature: string } | null;
};

/** The endpoint refuses a call. The message goes to the buyer. */
export class CallRefusal extends Error {
  readonly code: SessionErrorCode;
  readonly facts: RefusalFacts;

  constructor(code: SessionErrorCode, message: string, facts: RefusalFacts = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.facts = facts;
  }
}

/** An answer of the endpoint. */
export type Reply = { status: number; headers: Record<string, string>; body: Buffer };

export function refusalReply({ code, message, facts }: CallRefusal): Reply {
  const body = Buffer.from(JSON.stringify({ error: { code, message, ...facts } }));
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (code === "call_in_progress" || code === "unknown_session" || code === "busy")
    headers["retry-after"] = "1";
  // The rest of an input that is refused unread is not waited for.
  if (code === "input_too_large" || code === "input_too_slow") headers.connection = "close";
  return { status: sessionErrorStatus[code], headers, body };
}
