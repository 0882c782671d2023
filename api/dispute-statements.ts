import { createRoute, z } from "@hono/zod-openapi";
import { type Hex, zeroHash } from "viem";
import type { Transaction } from "../db/client.ts";
import { type OrderRow, readFacts, recordFacts } from "../db/ledger.ts";
import { hashOfText } from "../settlement/dispute.ts";
import type { Role } from "../settlement/exits.ts";
import { digestOf } from "../settlement/terms.ts";
import { presentFact, type TrailEntry } from "../settlement/trail.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { textField, timeField, webUrlField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { lockSharedOrder, orderParams, requireStep } from "./order.ts";

/** How many statements each of the three may make on one dispute. */
const mostStatements = 20;

/** A text that a hash may name: taken to the byte, white space included. */
export const disputeText = z.string().min(1).max(4000);

/** The hash of a reason's or a ruling's text. */
export const textHashSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({
    type: "string",
    description: "the SHA-256 of the text's UTF-8 bytes; all zero where there is no text",
  });

const attachmentSchema = z
  .strictObject({
    name: textField(200),
    url: webUrlField.optional().openapi({ description: "where it lies; nobody here fetches it" }),
    sha256: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/, "must be 32 bytes of 0x-hex in lower case")
      .openapi({ description: "of the file's bytes", example: `0x${"5e".repeat(32)}` }),
  })
  .openapi("Attachment");
type Attachment = z.output<typeof attachmentSchema>;

const statementRequest = z
  .strictObject({
    text: disputeText,
    attachments: z.array(attachmentSchema).max(10).optional(),
  })
  .openapi("StatementRequest", {
    example: {
      text: "The second half is missing; see page 3.",
      attachments: [{ name: "page-3.png", sha256: `0x${"5e".repeat(32)}` }],
    },
  });

export const statementSchema = z
  .object({
    id: z.string(),
    by: z.enum(["buyer", "provider", "arbiter"]),
    at: timeField,
    text: z.string(),
    text_hash: z.string().openapi({ description: "SHA-256 of the text's UTF-8 bytes" }),
    attachments: z.array(attachmentSchema),
  })
  .openapi("Statement");

/** What the parties and the arbiter say about an open dispute. */
export function addDisputeStatements(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute/statements",
      operationId: "stateOnDispute",
      tags: ["disputes"],
      summary: "Say something about a dispute, for the other party and the arbiter to read",
      description: `Both parties and the arbiter may, until the escrow is paid out, each ${mostStatements} times at most. What was said stays as it is. The same again is the same statement.`,
      ...guarded(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(statementRequest) },
      responses: { 201: answer("The statement", statementSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const said = c.req.valid("json");
      const statement = await db.transaction(async (tx) => {
        const { row, role } = await lockSharedOrder(tx, caller, id);
        const facts = await readFacts(tx, id);
        const key = keyOf(row, role, said);
        const earlier = facts.find((fact) => fact.key === key);
        if (earlier) return earlier;
        requireStep(facts, "dispute.statement");
        const own = facts.filter(({ type, actor }) => type === "dispute.statement" && actor === role);
        if (own.length >= mostStatements) {
          throw new ApiError(
            "invalid_state",
            `You have made ${mostStatements} statements on this dispute, and nobody may make more.`,
          );
        }
        const [recorded] = await recordStatement(tx, row, role, said);
        if (!recorded) throw new Error(`The statement ${key} was not recorded.`);
        return recorded;
      });
      return c.json(presentStatement(presentFact(statement)), 201);
    },
  );
}

/**
 * Records what somebody says of an order's dispute, as the route's statements, a dispute's reason and a ruling are. The
 * same by the same changes nothing. The order must be locked in this transaction.
 *
 * @returns the fact, or none where it is in the ledger already
 */
export async function recordStatement(
  tx: Transaction,
  row: OrderRow,
  role: Role,
  said: { text: string; attachments?: Attachment[] | undefined },
) {
  const { text, attachments = [] } = said;
  const data = { text, text_hash: hashOfText(text), attachments };
  const statement = {
    type: "dispute.statement" as const,
    actor: role,
    key: keyOf(row, role, said),
    occurredAt: new Date(),
    data,
  };
  return (await recordFacts(tx, row, [statement])).recorded;
}

/** An entry of the trail as a statement. */
export function presentStatement({ id, actor, occurred_at, data }: TrailEntry) {
  const { text, text_hash, attachments } = data as {
    text: string;
    text_hash: string;
    attachments: Attachment[];
  };
  return { id, by: actor as Role, at: occurred_at, text, text_hash, attachments };
}

/**
 * The hash that goes onto the chain for a text.
 *
 * @throws ApiError `invalid_request` where a hash is given that is not the text's
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

function keyOf(
  row: OrderRow,
  role: Role,
  { text, attachments = [] }: { text: string; attachments?: Attachment[] | undefined },
) {
  return `${row.id}:dispute_statement:${role}:${digestOf({ text, attachments })}`;
}
