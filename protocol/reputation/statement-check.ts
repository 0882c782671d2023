import type { VerifyOptions } from "../../receipts/verify.ts";
import { verifyRecordStatement } from "../../receipts/verify.ts";
import { foldOutcomes } from "./agent-record.ts";
import { outcomesRootOf } from "./outcomes-root.ts";
import { recordedUntil } from "./public-outcome.ts";
import type { PublicRecord } from "./public-record.ts";
import { type RecordFinding, recompute, valuesByPath } from "./recompute.ts";

export type StatementState = "valid" | "invalid" | "none";

/** The result of checking an agent's statement, and the wallets that it names. */
export type StatementAnswers = {
  findings: RecordFinding[];
  unknown: string[];
  wallets: string[];
  state: StatementState;
};

/**
 * Checks the signed statement of an agent's record. This issuer must have signed it. Its root and its figures must equal those
 * that the published outcomes give.
 *
 * @param lag milliseconds by which a statement may be older than its record before this is reported
 */
export async function checkStatement(
  published: PublicRecord,
  slug: string,
  lag: number,
  options: VerifyOptions,
): Promise<StatementAnswers> {
  const answers: StatementAnswers = { findings: [], unknown: [], wallets: [], state: "invalid" };
  const { statement: document, record, outcomes } = published;
  if (document === null) {
    answers.state = "none";
    const { orders, apart } = record.ever;
    if (orders + apart.orders > 0) answers.unknown.push("the record has no signed statement");
    return answers;
  }
  const verified = await verifyRecordStatement(document, { ...options, agent: slug });
  if (!verified.valid) {
    answers.findings.push({ code: "statement_bad", what: `${verified.code}: ${verified.message}` });
    return answers;
  }
  const { as_of, outcomes_root, agent, score, ever, days_90, days_30 } = verified.statement;
  answers.wallets.push(...agent.wallets);
  const at = new Date(as_of);
  const lines = recordedUntil(outcomes, at);
  const root = outcomesRootOf(lines);
  const isOfRecord = at.getTime() === Date.parse(record.as_of);
  if (root !== outcomes_root) {
    const what = `its root of ${as_of} is ${outcomes_root}, the lines have ${root}`;
    // A reorganisation may have changed a line since an older statement.
    if (isOfRecord) answers.findings.push({ code: "statement_differs", what });
    else answers.unknown.push(`the record's statement is older than the record: ${what}`);
  }
  if (!isOfRecord && Date.parse(record.as_of) - at.getTime() > lag) {
    answers.unknown.push(`the record's statement is of ${as_of}, the record of ${record.as_of}`);
  }
  if (root === outcomes_root || isOfRecord) {
    const stated = valuesByPath({ ever, days_90, days_30, ...(isOfRecord ? { score } : {}) });
    // The counterparties' weights at an earlier time are not public.
    const found = valuesByPath(
      isOfRecord ? (recompute(published)[0]?.computed ?? {}) : foldOutcomes(lines, at),
    );
    for (const [name, value] of Object.entries(found)) {
      if (stated[name] === value) continue;
      const what = `${name} is stated as ${stated[name]}, but is ${value}`;
      answers.findings.push({ code: "statement_differs", what });
    }
  }
  if (answers.findings.length === 0 && root === outcomes_root) answers.state = "valid";
  return answers;
}
