import { createRoute, z } from "@hono/zod-openapi";
import { zeroHash } from "viem";
import { inTransaction } from "../../db/transaction.ts";
import { presentFact, type TrailEntry } from "../../protocol/facts/order-trail.ts";
import { hashPattern } from "../../protocol/settlement/shapes.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import { addStatement, mostStatements, type Statement } from "../../trade/disputes/dispute-statements.ts";
import type { Context } from "../context.ts";
import { attachedFilesField, fileReferenceSchema } from "../files/file-reference.ts";
import { callerOf } from "../http/access.ts";
import { bytes32Field, idField, shownHash, textField, timeField, webUrlField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import { orderRoleField } from "../orders/order-fields.ts";
import type { App } from "../variables.ts";

/** The text behind a hash, exact to the byte, white space included. */
export const disputeText = z.string().min(1).max(longest.statement);

/** The hash of the text of a reason or ruling. */
export const textHashSchema = bytes32Field.openapi({
  example: zeroHash,
  description: "the SHA-256 of the text's UTF-8 bytes; all zeros without a text",
});

const attachmentSchema = z
  .strictObject({
    name: textField(longest.fileName),
    url: webUrlField.optional().openapi({ description: "the URL of the file; the service never fetches it" }),
    sha256: z
      .string()
      .regex(hashPattern, "must be 0x and 64 hex digits in lower case")
      .openapi({ description: "the SHA-256 of the file's bytes", example: `0x${"5e".repeat(32)}` }),
  })
  .openapi("Attachment");

const statementRequest = z
  .strictObject({
    text: disputeText,
    attachments: z.array(attachmentSchema).max(10).optional(),
    files: attachedFilesField.optional(),
  })
  .openapi("StatementRequest", {
    example: {
      text: "The second half is missing; see page 3.",
      attachments: [{ name: "page-3.png", sha256: `0x${"5e".repeat(32)}` }],
    },
  });

export const statementSchema = z
  .object({
    id: idField("fct"),
    by: orderRoleField,
    at: timeField,
    text: z.string(),
    text_hash: shownHash.openapi({ description: "SHA-256 of the text's UTF-8 bytes" }),
    attachments: z.array(attachmentSchema).openapi({
      description: "files that the author keeps, named by their hashes",
    }),
    files: z.array(fileReferenceSchema).openapi({ description: "uploaded files of the dispute's folder" }),
  })
  .openapi("Statement");

/** Adds the route of statements, which the parties and the arbiter make about an open dispute. */
export function addDisputeStatements(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute/statements",
      operationId: "stateOnDispute",
      tags: ["disputes"],
      summary: "Make a statement about a dispute",
      description: `Both parties and the arbiter can read and make statements until the escrow is paid out, each at most ${mostStatements}. A statement cannot be changed. Its files are evidence: nobody can delete them, and the decision seals the folder. A repeated request gets the same statement.`,
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(statementRequest) },
      responses: {
        201: jsonResponse("The statement", statementSchema),
        ...errorResponses("invalid_state", "file_not_found", "file_mismatch"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const given = c.req.valid("json");
      const statement = await inTransaction(db, (tx) => addStatement(tx, caller, id, given));
      return c.json(presentStatement(presentFact(statement)), 201);
    },
  );
}

/** Presents an entry of the trail as a statement. */
export function presentStatement({ id, actor, occurred_at, data }: TrailEntry) {
  const { text, text_hash, attachments = [], files = [] } = data as Statement & { text_hash: string };
  return { id, by: actor as Role, at: occurred_at, text, text_hash, attachments, files };
}
