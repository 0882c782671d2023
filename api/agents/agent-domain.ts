import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { agent } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { lockOwnAgent } from "../../trade/agents/own-agent.ts";
import { claimDomain, type DomainRow, findDomain, removeDomain } from "../../trade/domains/domain-claim.ts";
import { fileUrl, readDomain, recordName } from "../../trade/domains/domain-name.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { orNull, shownUrl, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { agentParams } from "./agent.ts";
import { domainField } from "./verified-proofs.ts";

const domainRequest = z
  .strictObject({
    domain: z.string().max(253).openapi({
      description:
        "a domain name in any script, without scheme, port or path; not a public suffix such as co.uk or github.io",
      example: "translator.example",
    }),
  })
  .openapi("DomainRequest");

const problemSchema = z
  .union([
    z
      .object({ code: z.string().openapi({ example: "no_record" }), message: z.string() })
      .openapi("DomainProblem"),
    z.null(),
  ])
  .openapi({ description: "why the last check did not find the line" });

const domainSchema = z
  .object({
    domain: domainField,
    status: z.enum(["pending", "verified", "lost", "expired"]).openapi("DomainStatus", {
      description:
        "`pending`: the line was not found yet; `verified`: the agent shows the domain; `lost`: the line was missing in three checks after it was proved; `expired`: the line was not found within seven days",
    }),
    proof: z
      .object({
        line: z.string().openapi({
          description: "the line for one of the two places; it proves this domain for this agent alone",
          example: `earnest-agent=earnest.example/translator token=${"5e".repeat(20)}`,
        }),
        record_name: z.string().openapi({
          description: "the name of a TXT record that may hold the line",
          example: "_earnest-agent.translator.example",
        }),
        file_url: shownUrl.openapi({
          description: "the URL of a file that may hold the line",
          example: "https://translator.example/.well-known/earnest-agent.txt",
        }),
      })
      .openapi("DomainProof"),
    method: z
      .union([z.enum(["dns", "file"]).openapi("DomainMethod"), z.null()])
      .openapi({ description: "where the line was last found" }),
    verified_at: timeField.nullable(),
    lost_at: timeField.nullable(),
    checked_at: timeField.nullable().openapi({ description: "the time of the last check" }),
    next_check_at: timeField.nullable(),
    failed_checks: z.int().openapi({ description: "consecutive checks that did not find the line" }),
    problems: z.object({ dns: problemSchema, file: problemSchema }).openapi("DomainProblems"),
    created_at: timeField,
  })
  .openapi("AgentDomain");

const claimSchema = z
  .object({ claim: orNull(domainSchema).openapi({ description: "null if no domain is claimed" }) })
  .openapi("DomainClaim");

/** Adds the routes of agents' domains. The owner claims a domain, and the domain itself proves the claim. */
export function addDomains(app: App, context: Context): void {
  const { db, config } = context;
  const { host } = new URL(config.publicUrl);

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents/{slug}/domain",
      operationId: "claimDomain",
      tags: ["agents"],
      summary: "Claim a domain for an agent",
      description:
        "Answers with a line for a TXT record or a file of the domain. The line is checked at once, then at growing intervals for seven days, and daily once it is found. A claim of the same domain again causes a check soon. A claim of another domain replaces this one. Several agents may share a domain, each with its own line.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, body: jsonBody(domainRequest) },
      responses: { 200: jsonResponse("The claim", domainSchema), ...errorResponses("rate_limited") },
    }),
    async (c) => {
      const name = await readDomain(c.req.valid("json").domain);
      const caller = callerOf(c);
      const claimed = await inTransaction(db, async (tx) => {
        const own = await lockOwnAgent(tx, c.req.valid("param").slug, caller);
        const before = await findDomain(tx, own.id);
        const row = await claimDomain(tx, caller, own, name, host);
        if (row.id !== before?.id) {
          const data = { domain: row.domain, before: before?.domain ?? null };
          await recordAudit(tx, c, { action: "agent.domain_claimed", target: own.id, data });
        }
        return row;
      });
      return c.json(presentDomain(claimed), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/domain",
      operationId: "readDomain",
      tags: ["agents"],
      summary: "Read the domain claim of your agent",
      ...accessRule(context, "agents:read"),
      request: { params: agentParams },
      responses: { 200: jsonResponse("The claim, if there is one", claimSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const own = and(eq(agent.slug, slug), eq(agent.accountId, callerOf(c).accountId));
      const [result] = await db.select({ id: agent.id }).from(agent).where(own);
      if (!result) throw new ApiError("not_found", `You have no agent ${slug}.`);
      const row = await findDomain(db, result.id);
      return c.json({ claim: row ? presentDomain(row) : null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}/domain",
      operationId: "removeDomain",
      tags: ["agents"],
      summary: "Remove the domain claim of an agent",
      description:
        "The agent stops showing the domain, and its line proves nothing. Removing it twice is no error.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams },
      responses: { 200: jsonResponse("No claim", claimSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      await inTransaction(db, async (tx) => {
        const own = await lockOwnAgent(tx, slug, callerOf(c));
        const row = await removeDomain(tx, own.id);
        if (!row) return;
        const data = { domain: row.domain };
        await recordAudit(tx, c, { action: "agent.domain_removed", target: own.id, data });
      });
      return c.json({ claim: null }, 200);
    },
  );
}

function presentDomain(row: DomainRow): z.output<typeof domainSchema> {
  const isLooked = row.status === "pending" || row.status === "verified";
  return {
    domain: row.domain,
    // No query selects a removed claim.
    status: row.status === "removed" ? "expired" : row.status,
    proof: { line: row.proof, record_name: recordName(row.domain), file_url: fileUrl(row.domain) },
    method: row.method,
    verified_at: row.verifiedAt?.toISOString() ?? null,
    lost_at: row.lostAt?.toISOString() ?? null,
    checked_at: row.checkedAt?.toISOString() ?? null,
    next_check_at: isLooked ? row.nextCheckAt.toISOString() : null,
    failed_checks: row.failures,
    problems: { dns: row.problems?.dns ?? null, file: row.problems?.file ?? null },
    created_at: row.createdAt.toISOString(),
  };
}
