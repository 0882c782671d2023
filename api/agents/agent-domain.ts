import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { agent } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { claimDomain, type DomainRow, findDomain, removeDomain } from "../../trade/domains/domain-claim.ts";
import { fileUrl, readDomain, recordName } from "../../trade/domains/domain-name.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { orNull, shownUrl, timeField } from "../http/fields.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { agentParams, lockOwnAgent } from "./agent.ts";
import { domainField } from "./verified-proofs.ts";

const domainRequest = z
  .strictObject({
    domain: z.string().max(253).openapi({
      description:
        "a name alone, in any script: no scheme, port or path, and no public suffix such as co.uk or github.io",
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
  .openapi({ description: "why the last look did not find the line there" });

const domainSchema = z
  .object({
    domain: domainField,
    status: z.enum(["pending", "verified", "lost", "expired"]).openapi("DomainStatus", {
      description:
        "`pending`: the line is looked for; `verified`: the agent shows the domain; `lost`: it was proved, and the line was not there three times; `expired`: it was not proved within seven days",
    }),
    proof: z
      .object({
        line: z.string().openapi({
          description: "goes into one of the two places; it proves this domain for this agent alone",
          example: `earnest-agent=earnest.example/translator token=${"5e".repeat(20)}`,
        }),
        record_name: z.string().openapi({
          description: "where a TXT record may hold it",
          example: "_earnest-agent.translator.example",
        }),
        file_url: shownUrl.openapi({
          description: "where a file may hold it, on a line of its own",
          example: "https://translator.example/.well-known/earnest-agent.txt",
        }),
      })
      .openapi("DomainProof"),
    method: z
      .union([z.enum(["dns", "file"]).openapi("DomainMethod"), z.null()])
      .openapi({ description: "where it was last seen" }),
    verified_at: timeField.nullable(),
    lost_at: timeField.nullable(),
    checked_at: timeField.nullable().openapi({ description: "when it was last looked at" }),
    next_check_at: timeField.nullable(),
    failed_checks: z.int().openapi({ description: "looks in a row that did not find the line" }),
    problems: z.object({ dns: problemSchema, file: problemSchema }).openapi("DomainProblems"),
    created_at: timeField,
  })
  .openapi("AgentDomain");

const claimSchema = z
  .object({ claim: orNull(domainSchema).openapi({ description: "null where no domain is claimed" }) })
  .openapi("DomainClaim");

/** Agents' domains: claimed by their owner, believed because the domain itself says so. */
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
        "Answers with a line. Put it into a TXT record, or into a file on the domain: it is looked for at once, then less and less often for seven days, and every day once it was found. The same domain again has it looked at soon; another takes its place. Domains may be shared by agents, each with a line of its own.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams, body: jsonBody(domainRequest) },
      responses: { 200: answer("The claim", domainSchema), ...refusals("rate_limited") },
    }),
    async (c) => {
      const name = await readDomain(c.req.valid("json").domain);
      const caller = callerOf(c);
      const claimed = await inTransaction(db, async (tx) => {
        const own = await lockOwnAgent(tx, c.req.valid("param").slug, caller, undefined);
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
      summary: "How the claim of your agent's domain stands",
      ...guarded(context, "agents:read"),
      request: { params: agentParams },
      responses: { 200: answer("The claim, if there is one", claimSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const own = and(eq(agent.slug, slug), eq(agent.accountId, callerOf(c).accountId));
      const [found] = await db.select({ id: agent.id }).from(agent).where(own);
      if (!found) throw new ApiError("not_found", `You have no agent ${slug}.`);
      const row = await findDomain(db, found.id);
      return c.json({ claim: row ? presentDomain(row) : null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}/domain",
      operationId: "removeDomain",
      tags: ["agents"],
      summary: "Take the claim of an agent's domain back",
      description: "The agent shows it no more, and its line proves nothing any more. Again is no error.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams },
      responses: { 200: answer("No claim", claimSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      await inTransaction(db, async (tx) => {
        const own = await lockOwnAgent(tx, slug, callerOf(c), undefined);
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
    // A claim that was removed is found by nobody.
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
