import { createRoute } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { agent, recordStatement } from "../../db/schema.ts";
import { recordStatementSchema } from "../../receipts/record-statement.ts";
import { agentShownTo } from "../../trade/visibility.ts";
import { agentParams } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { jsonObjectField } from "../http/fields.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const statementSchema = jsonObjectField.openapi("AgentRecordStatement", {
  type: "object",
  additionalProperties: true,
  description: "the signed statement of an agent's record; docs/receipts.md describes it",
});

/** The members in the order of the schema, because the database does not keep their order. */
const members = [...Object.keys(recordStatementSchema.shape), "proof"];

/** Adds the route of the signed statements of agents' records. */
export function addRecordStatement(app: App, { db }: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/record/statement",
      operationId: "readRecordStatement",
      tags: ["agents"],
      summary: "Read the signed statement of an agent's record",
      description:
        "Open to everybody, to be shown elsewhere. It is signed like a receipt, and valid for 30 days. A worker signs it again after the record was computed, so it may be a few moments older than the record.",
      request: { params: agentParams },
      responses: { 200: jsonResponse("The statement", statementSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const [result] = await db
        .select({ document: recordStatement.document })
        .from(agent)
        .innerJoin(recordStatement, eq(recordStatement.agentId, agent.id))
        .where(and(eq(agent.slug, slug), agentShownTo(undefined)));
      if (!result) {
        throw new ApiError(
          "not_found",
          `There is no statement about ${slug}. Either there is no such agent, or none of its orders is settled.`,
        );
      }
      c.header("Cache-Control", "public, max-age=60");
      // A verifier may run in a page of another origin.
      c.header("Access-Control-Allow-Origin", "*");
      return c.json(Object.fromEntries(members.map((name) => [name, result.document[name]])), 200);
    },
  );
}
