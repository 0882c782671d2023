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

/** How many statements each of the three may make on one dispute. */
export const mostStatements = 20;

/** A statement on a dispute; `sha256` is that of an attachment's bytes. */
export type Statement = {
  text: string;
  attachments?: { name: string; url?: string | undefined; sha256: string }[] | undefined;
};

/**
 * Says something of an open dispute, for the other party and the arbiter to read. The same again is the same statement.
 *
 * @returns the statement's fact
 * @throws Refusal `not_found`, or `invalid_state` where no dispute is open, or the caller has said enough
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
      `You have made ${mostStatements} statements on this dispute, and nobody may make more.`,
    );
  }
  const [recorded] = await recordStatement(tx, row, role, statement);
  if (!recorded) throw new Error(`The statement ${key} was not recorded.`);
  return recorded;
}

/**
 * Records what somebody says of an order's dispute: a statement, a dispute's reason or a ruling. The same by the same
 * changes nothing. The order must be locked in this transaction.
 *
 * @returns the fact, or none where it is in the ledger already
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

/** Returns the key of a statement's fact: the same statement of a role is recorded once. */
function statementKey(row: OrderRow, role: Role, { text, attachments = [] }: Statement): string {
  return `${row.id}:dispute_statement:${role}:${digestOf({ text, attachments })}`;
}

/**
 * The hash that goes onto the chain for a text.
 *
 * @throws Refusal `invalid_request` where a hash is given that is not the text's
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
    `This is not the hash of the ${field}: the SHA-256 of its UTF-8 bytes is ${texts}.`,
  );
}
