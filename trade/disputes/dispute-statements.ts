import { type Hex, zeroHash } from "viem";
import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { hashOfText } from "../../protocol/settlement/dispute.ts";
import { digestOf } from "../../protocol/settlement/terms.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { lockSharedOrder, requireStep } from "../orders/order-access.ts";
import type { RecordText } from "../orders/send-signed-act.ts";
import { Refusal, refuseField } from "../refusal.ts";

/** The most statements of each role on one dispute. */
export const mostStatements = 20;

/** A statement on a dispute. `sha256` is the hash of an attachment's bytes. */
export type Statement = {
  text: string;
  attachments?: { name: string; url?: string | undefined; sha256: string }[] | undefined;
};

/**
 * Adds a statement to an open dispute, which the other party and the arbiter can read. A repeated statement is
 * recorded once.
 *
 * @returns the statement's fact
 * @throws Refusal `not_found`, or `invalid_state` if no dispute is open or the caller has reached `mostStatements`
 */
export async function stateOnDispute(
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
  const [recorded] = await recordStatement(tx, row, role, statement);
  if (!recorded) throw new Error(`The statement ${key} was not recorded.`);
  return recorded;
}

/**
 * Records a statement, a dispute's reason or a ruling as a fact. The transaction must hold the order's lock.
 *
 * @returns the fact; none if the ledger already has it
 */
async function recordStatement(tx: Transaction, row: OrderRow, role: Role, statement: Statement) {
  const { text, attachments = [] } = statement;
  const data = { text, text_hash: hashOfText(text), attachments };
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
function statementKey(row: OrderRow, role: Role, { text, attachments = [] }: Statement): string {
  return `${row.id}:dispute_statement:${role}:${digestOf({ text, attachments })}`;
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
