import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, type SQL, sql } from "../../db/drizzle.ts";
import { agent, publicationStatuses, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { changeAgent, type OwnAgent } from "../../trade/agents/own-agent.ts";
import { agentShownTo } from "../../trade/visibility.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { createVersionCheck } from "../http/etag.ts";
import {
  idField,
  orNull,
  shownAddress,
  shownSlug,
  shownUrl,
  slugField,
  textField,
  timeField,
  webUrlField,
} from "../http/fields.ts";
import { capabilitiesField } from "./capabilities.ts";
import { endpointHealth, healthSelection, presentHealth } from "./endpoint-health.ts";
import { identitySchema, identitySelection, presentIdentity } from "./erc8004-identity.ts";
import { agentFiguresSelection, marketFiguresSchema, presentFigures } from "./figure-fields.ts";
import { presentVerified, verifiedSchema, verifiedSelection } from "./verified-proofs.ts";

/** The fields of an agent that can be changed at any time. Null clears a field. */
const changeableFields = {
  tagline: textField(longest.tagline).nullish().openapi({ example: "Japanese and English" }),
  description: textField(longest.description).nullish().openapi({ example: "Documents of any length." }),
  website_url: webUrlField.nullish().openapi({ example: "https://translator.example" }),
  avatar_url: webUrlField.nullish().openapi({ example: "https://translator.example/face.png" }),
  api_endpoint: webUrlField.nullish().openapi({
    description:
      "the agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once the agent is published",
  }),
};

export const agentRequest = z
  .strictObject({
    slug: slugField,
    name: textField(longest.name).openapi({ example: "Translator" }),
    capabilities: capabilitiesField.optional(),
    ...changeableFields,
  })
  .openapi("AgentRequest");

export const agentChange = z
  .strictObject({
    name: textField(longest.name).optional().openapi({ example: "Translator" }),
    capabilities: capabilitiesField.optional(),
    ...changeableFields,
  })
  .openapi("AgentChange");

/** The columns of a request. An omitted field leaves its column unchanged. */
export function agentColumns(request: z.output<typeof agentChange>) {
  return {
    name: request.name,
    capabilities: request.capabilities,
    tagline: request.tagline,
    description: request.description,
    websiteUrl: request.website_url,
    avatarUrl: request.avatar_url,
    apiEndpoint: request.api_endpoint,
  };
}

export const agentParams = z.object({ slug: shownSlug });

export const agentStatusField = z.enum(publicationStatuses).openapi("AgentStatus");

/** An agent as other resources refer to it. */
export const agentReference = z
  .object({ id: idField("agt"), slug: shownSlug, name: z.string().openapi({ example: "Translator" }) })
  .openapi("AgentReference");

export const agentSchema = z
  .object({
    id: idField("agt"),
    slug: shownSlug,
    name: z.string().openapi({ example: "Translator" }),
    tagline: z.string().nullable().openapi({ example: "Japanese and English" }),
    description: z.string().nullable().openapi({ example: "Documents of any length." }),
    website_url: shownUrl.nullable(),
    avatar_url: shownUrl.nullable(),
    capabilities: z
      .object({
        skills: z.array(z.string()).openapi({ example: ["translation"] }),
        languages: z.array(z.string()).openapi({ example: ["en", "ja"] }),
        input_modalities: z.array(z.string()).openapi({ example: ["text"] }),
        output_modalities: z.array(z.string()).openapi({ example: ["text"] }),
        protocols: z.array(z.string()).openapi({ example: ["mcp"] }),
      })
      .openapi("AgentCapabilities"),
    api_endpoint: shownUrl.nullable(),
    endpoint_health: orNull(endpointHealth),
    status: agentStatusField,
    payout_wallet: shownAddress.nullable(),
    completed_orders: z.int(),
    published_service_count: z.int(),
    erc8004: z
      .union([identitySchema, z.null()])
      .openapi({ description: "the agent's on-chain identity, while a wallet of its owner controls it" }),
    verified: verifiedSchema,
    reputation: marketFiguresSchema.openapi({ description: "of all services of the agent" }),
    created_at: timeField,
  })
  .openapi("Agent");

// The count is a subquery, so PostgreSQL computes it for the rows of the page only.
const { search: _, verified: _kinds, ...shownColumns } = getTableColumns(agent);

/** The columns that `presentAgent` needs, selected from `agent`. */
export const agentSelection = {
  ...shownColumns,
  publishedServices: sql<number>`(
    select count(*)::int from ${service} as s where s.agent_id = agent.id and s.status = 'published')`,
  health: healthSelection,
  identity: identitySelection,
  verified: verifiedSelection,
  reputation: agentFiguresSelection,
};
export type AgentRow = Awaited<ReturnType<typeof selectAgents>>[number];

function selectAgents(db: Database | Transaction, where: SQL | undefined) {
  return db.select(agentSelection).from(agent).where(where);
}

/** Presents an agent to everybody. */
export function presentAgent(row: AgentRow) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    tagline: row.tagline,
    description: row.description,
    website_url: row.websiteUrl,
    avatar_url: row.avatarUrl,
    capabilities: row.capabilities,
    api_endpoint: row.apiEndpoint,
    endpoint_health: presentHealth(row),
    status: row.status,
    payout_wallet: row.payoutWallet && getAddress(row.payoutWallet),
    completed_orders: row.completedOrders,
    published_service_count: row.publishedServices,
    erc8004: presentIdentity(row.identity),
    verified: presentVerified(row.verified),
    reputation: presentFigures(row.reputation),
    created_at: row.createdAt.toISOString(),
  };
}

/** Reads an agent by its id. */
export async function readAgent(db: Database | Transaction, id: string): Promise<AgentRow> {
  const [row] = await selectAgents(db, eq(agent.id, id));
  if (!row) throw new ApiError("not_found", "There is no agent with this id.");
  return row;
}

const findVisible = prepareOnce("find_visible_agent", (db) =>
  selectAgents(db, and(eq(agent.slug, sql.placeholder("slug")), agentShownTo(sql.placeholder("accountId")))),
);

/**
 * Reads an agent that the caller may see. Drafts are visible to their owner only.
 *
 * @throws ApiError `not_found`
 */
export async function readVisibleAgent(
  db: Database,
  slug: string,
  caller: Caller | undefined,
): Promise<AgentRow> {
  const requested = { slug, accountId: caller?.accountId ?? null };
  const [row] = slugPattern.test(slug) ? await findVisible(db).execute(requested) : [];
  if (row) return row;
  throw new ApiError("not_found", `There is no agent ${slug}.`);
}

/** Changes the caller's own agent as `changeAgent` does, and reads it. @throws ApiError `precondition_failed` */
export function changeOwnAgent(
  { db }: Context,
  caller: Caller,
  slug: string,
  ifMatch: string | undefined,
  columnsOf: (row: OwnAgent, tx: Transaction) => Promise<Partial<typeof agent.$inferInsert>>,
): Promise<AgentRow> {
  return inTransaction(db, async (tx) => {
    const columns = (row: OwnAgent) => columnsOf(row, tx);
    return readAgent(tx, await changeAgent(tx, caller, slug, columns, createVersionCheck(ifMatch)));
  });
}
