import { type Hex, zeroHash } from "viem";
import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import { hashOfText } from "../../protocol/settlement/dispute.ts";
import { digestOf } from "../../protocol/settlement/terms.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import type { FileReference } from "../files/file-reference.ts";
import { attachFiles } from "../files/file-use.ts";
import { lockSharedOrder, requireStep } from "../orders/order-access.ts";
import type { RecordText } from "../orders/send-signed-act.ts";
import { Refusal, refuseField } from "../refusal.ts";

/** The most statements of each role on one dispute. */
export const mostStatements = 20;

/** A statement on a dispute. `sha256` is the hash of an attachment's bytes, which the service does not have. */
export type Statement = {
  text: string;
  attachments?: { name: string; url?: string | undefined; sha256: string }[] | undefined;
  /** uploaded files, which the dispute's folder keeps */
  files?: FileReference[] | undefined;
};

/**
 * Adds a statement to an open dispute, which the other party and the arbiter can read. A repeated statement is
 * recorded once.
 *
 * @returns the statement's fact
 * @throws Refusal `not_found`; `invalid_state` if no dispute is open, the caller has reached `mostStatements`, or the
 *   statement adds evidence after the decision; as `attachFiles`
 */
export async function addStatement(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  statement: Statement,
): Promise<FoldableFact> {
  const { row, role } = await lockSharedOrder(tx, caller, orderId);
  const facts = await readFacts(tx, orderId);
  const key = statementKey(row, role, statement);
  const earlier = facts.find((fact) => fact.key === key);
  if (earlier) return earlier;
  requireStep(facts, "dispute.statement");
  const own = facts.filter(({ type, actor }) => type === "dispute.statement" && actor === role);
  if (own.length >= mostStatements) {
    throw new Refusal(
      "invalid_state",
      `You have made ${mostStatements} statements on this dispute, the maximum.`,
    );
  }
  const { attachments = [], files = [] } = statement;
  if (attachments.length + files.length > 0 && isSealed(facts)) {
    throw new Refusal(
      "invalid_state",
      "The dispute is decided, and its evidence is sealed. Make a statement without files.",
    );
  }
  await attachFiles(tx, caller, orderId, "evidence", files);
  const [recorded] = await recordStatement(tx, row, role, statement);
  if (!recorded) throw new Error(`The statement ${key} was not recorded.`);
  return recorded;
}

/** Whether the arbiter's decision has sealed the evidence of a dispute. */
function isSealed(facts: readonly FoldableFact[]): boolean {
  return effectiveFacts(facts).some(({ type }) => type === "order.dispute_decided");
}

/**
 * Records a statement, a dispute's reason or a ruling as a fact. The transaction must hold the order's lock.
 *
 * @returns the fact; none if the ledger already has it
 */
async function recordStatement(tx: Transaction, row: OrderRow, role: Role, statement: Statement) {
  const { text, attachments = [], files = [] } = statement;
  const data = {
    text,
    text_hash: hashOfText(text),
    attachments,
    ...(files.length > 0 ? { files } : {}),
  };
  const fact = {
    type: "dispute.statement" as const,
    actor: role,
    key: statementKey(row, role, statement),
    occurredAt: new Date(),
    data,
  };
  return (await recordFacts(tx, row, [fact])).recorded;
}

/** Returns the function that records the text of a signed act as a statement; undefined without a text. */
export function textRecorder(text: string | undefined): RecordText | undefined {
  return text === undefined ? undefined : (tx, row, role) => recordStatement(tx, row, role, { text });
}

/** Returns the key of a statement's fact, so that a repeated statement of a role is recorded once. */
function statementKey(row: OrderRow, role: Role, { text, attachments = [], files = [] }: Statement): string {
  const named = files.length > 0 ? { text, attachments, files } : { text, attachments };
  return `${row.id}:dispute_statement:${role}:${digestOf(named)}`;
}

/**
 * Returns the hash of a text for the chain.
 *
 * @throws Refusal `invalid_request` if the given hash is not the text's
 */
export function readTextHash(
  field: "reason" | "ruling",
  text: string | undefined,
  hash: Hex | undefined,
): Hex {
  if (text === undefined) return hash ?? zeroHash;
  const texts = hashOfText(text);
  if (hash === undefined || hash === texts) return texts;
  throw refuseField(
    `${field}_hash`,
    "digest",
    `Field ${field}_hash: use the SHA-256 of the ${field}'s UTF-8 bytes, which is ${texts}.`,
  );
}
