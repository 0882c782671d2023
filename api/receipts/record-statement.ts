import { createRoute } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { agent, recordStatement } from "../../db/schema.ts";
import { recordStatementSchema } from "../../receipts/record-statement.ts";
import { agentShownTo } from "../../trade/visibility.ts";
import { agentParams } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { jsonObjectField } from "../http/fields.ts";
import { answer } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const statementSchema = jsonObjectField.openapi("AgentRecordStatement", {
  type: "object",
  additionalProperties: true,
  description: "the signed statement of an agent's record; see docs/receipts.md",
});

/** As people read them: the database keeps none of their order. */
const members = [...Object.keys(recordStatementSchema.shape), "proof"];

/** The statements of agents' records, as a worker signed them. */
export function addRecordStatement(app: App, { db }: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/record/statement",
      operationId: "readRecordStatement",
      tags: ["agents"],
      summary: "The signed statement of an agent's record, to show elsewhere",
      description:
        "Open to all. Signed as receipts are, and no receipt; good for 30 days. It is signed anew when the record was computed anew, so that it may be some moments older than the record.",
      request: { params: agentParams },
      responses: { 200: answer("The statement", statementSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const [found] = await db
        .select({ document: recordStatement.document })
        .from(agent)
        .innerJoin(recordStatement, eq(recordStatement.agentId, agent.id))
        .where(and(eq(agent.slug, slug), agentShownTo(undefined)));
      if (!found) {
        throw new ApiError(
          "not_found",
          `There is no statement about ${slug}: no such agent, or no order of it was settled yet.`,
        );
      }
      c.header("Cache-Control", "public, max-age=60");
      // A verifier may run in a page of another host.
      c.header("Access-Control-Allow-Origin", "*");
      return c.json(Object.fromEntries(members.map((name) => [name, found.document[name]])), 200);
    },
  );
}
