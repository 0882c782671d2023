import { createRoute, z } from "@hono/zod-openapi";
import pg from "pg";
import { getAddress, maxUint256 } from "viem";
import { eq } from "../../db/drizzle.ts";
import { findLinked, recheckIdentity, verifiedColumns } from "../../db/erc8004-identities.ts";
import { agentIdentity } from "../../db/schema.ts";
import { readWallets } from "../../db/wallets.ts";
import {
  type Identity,
  identityName,
  readIdentity,
  registryName,
  tokenNumber,
} from "../../protocol/settlement/identity.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { requireOwnAgent } from "../../trade/agents/own-agent.ts";
import { a2aPath, a2aVersion, cardName } from "../a2a/agent-card.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError, refuseField } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { ifMatchHeader, setTag } from "../http/etag.ts";
import { chainIdField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse, publicAccessRule } from "../http/openapi.ts";
import { mcpPath } from "../mcp/resource-metadata.ts";
import type { App } from "../variables.ts";
import { agentParams, agentSchema, changeOwnAgent, presentAgent, readVisibleAgent } from "./agent.ts";
import { identityStateSchema, presentIdentityState } from "./erc8004-identity.ts";

const agentId = z
  .union([z.int().nonnegative(), z.string().regex(/^(0|[1-9]\d{0,77})$/, "must be a decimal number")])
  .transform((value) => BigInt(value))
  .refine((value) => value <= maxUint256, "must fit in 256 bits")
  .openapi({
    type: "string",
    pattern: "^(0|[1-9][0-9]{0,77})$",
    description: "the number in the registry; a JSON number is accepted too",
    example: "22",
  });

/** The newest revision of MCP that the service speaks. */
const mcpVersion = "2026-07-28";

const linkRequest = z
  .strictObject({ chain_id: chainIdField, agent_id: agentId })
  .openapi("IdentityLink", { example: { chain_id: 8453, agent_id: "22" } });

const registrationSchema = z
  .object({
    type: z.literal("https://eips.ethereum.org/EIPS/eip-8004#registration-v1"),
    name: z.string(),
    description: z.string(),
    image: z.string().optional(),
    services: z.array(
      z
        .object({
          name: z.string().openapi({ example: "A2A" }),
          endpoint: z.string(),
          version: z.string().optional().openapi({ description: "the version of the protocol" }),
        })
        .openapi("RegistrationService"),
    ),
    x402Support: z.boolean(),
    active: z.boolean(),
    registrations: z.array(
      z
        .object({
          agentId: z
            .union([z.int(), z.string()])
            .openapi("RegistrationNumber", { description: "text if it is above 2^53" }),
          agentRegistry: z.string().openapi({ description: "`eip155:<chain>:<address>`" }),
        })
        .openapi("Registration"),
    ),
    supportedTrust: z.array(z.string()),
  })
  .openapi("AgentRegistration", { description: "the registration file of ERC-8004" });

/** Adds the routes of agents' on-chain identities (ERC-8004). The owner links an identity, and the chain proves the link. */
export function addIdentities(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "put",
      path: "/agents/{slug}/erc8004",
      operationId: "linkIdentity",
      tags: ["agents"],
      summary: "Link an agent to its on-chain identity",
      description:
        "The identity must be owned by one of your verified wallets, or one must be approved for it, at a confirmed block. It is checked every hour and after each transfer, and shown while this holds. An identity belongs to one agent. A new link replaces the agent's old one.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader, body: jsonBody(linkRequest) },
      responses: {
        200: jsonResponse("The changed agent", agentSchema),
        ...errorResponses("conflict", "precondition_failed"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { chain_id, agent_id } = c.req.valid("json");
      const { slug } = c.req.valid("param");
      await requireOwnAgent(db, slug, caller);
      const { chain, client } = context.chain(chain_id) ?? {};
      if (!client || !chain?.erc8004) {
        throw refuseField("chain_id", "chain", "This service knows no Identity Registry on this chain.");
      }
      const identity: Identity = {
        chainId: chain_id,
        registry: chain.erc8004.identity_registry,
        tokenId: agent_id,
      };
      const { confirmations } = chain;
      const wallets = await readWallets(db, caller.accountId, chain_id);
      const state = await readIdentity(client, identity, { confirmations, wallets });
      if (state.owner === null) {
        throw refuseField("agent_id", "exists", "The registry has no confirmed identity with this number.");
      }
      const { holding } = state;
      if (!holding) {
        const message = "None of your verified wallets owns this identity or is approved for it.";
        throw refuseField("agent_id", "holder", message);
      }
      // The agent that shows the identity may have lost it since its last check.
      const shown = await findLinked(db, identity);
      if (shown) await recheckIdentity(db, shown, { client, confirmations });

      const changed = await changeOwnAgent(
        context,
        caller,
        slug,
        c.req.header("if-match"),
        async (row, tx) => {
          const holder = await findLinked(tx, identity);
          if (holder && holder.agentId !== row.id) throw linkedElsewhere();
          const columns = { ...identity, ...verifiedColumns(state, holding) };
          await tx
            .insert(agentIdentity)
            .values({ agentId: row.id, ...columns })
            .onConflictDoUpdate({ target: agentIdentity.agentId, set: columns })
            .catch((error) => {
              if (isTaken(error)) throw linkedElsewhere();
              throw error;
            });
          const data = { identity: identityName(identity), wallet: holding.wallet };
          await recordAudit(tx, c, { action: "agent.identity_linked", target: row.id, data });
          return { updatedAt: new Date() };
        },
      );
      const agent = presentAgent(changed);
      setTag(c, changed.version, agent);
      return c.json(agent, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}/erc8004",
      operationId: "unlinkIdentity",
      tags: ["agents"],
      summary: "Unlink an agent from its on-chain identity",
      description: "Nothing happens on chain. Unlinking twice is no error.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader },
      responses: {
        200: jsonResponse("The changed agent", agentSchema),
        ...errorResponses("precondition_failed"),
      },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const ifMatch = c.req.header("if-match");
      const changed = await changeOwnAgent(context, callerOf(c), slug, ifMatch, async (row, tx) => {
        const [gone] = await tx.delete(agentIdentity).where(eq(agentIdentity.agentId, row.id)).returning();
        if (!gone) return {};
        const data = { identity: identityName(gone) };
        await recordAudit(tx, c, { action: "agent.identity_unlinked", target: row.id, data });
        return { updatedAt: new Date() };
      });
      const agent = presentAgent(changed);
      setTag(c, changed.version, agent);
      return c.json(agent, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/erc8004",
      operationId: "readIdentity",
      tags: ["agents"],
      summary: "Read who controls an agent's on-chain identity, or since when it is lost",
      ...publicAccessRule(context, "agents:read"),
      request: { params: agentParams },
      responses: { 200: jsonResponse("The identity", identityStateSchema) },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const { id } = await readVisibleAgent(db, slug, c.get("caller"));
      const [row] = await db.select().from(agentIdentity).where(eq(agentIdentity.agentId, id));
      if (!row) throw new ApiError("not_found", `The agent ${slug} has no linked on-chain identity.`);
      return c.json(presentIdentityState(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/registration.json",
      operationId: "readRegistration",
      tags: ["agents"],
      summary: "Read the agent's registration file",
      description:
        "The file that an ERC-8004 identity's `agentURI` should point to. It names the identity once the identity is linked.",
      responses: { 200: jsonResponse("The file", registrationSchema) },
      request: { params: agentParams },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const row = await readVisibleAgent(db, slug, undefined);
      const { erc8004: shown, ...agent } = presentAgent(row);
      const url = `${config.publicUrl}${apiPath}/agents/${slug}`;
      return c.json(
        {
          type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1" as const,
          name: agent.name,
          description: agent.description ?? agent.tagline ?? agent.name,
          ...(agent.avatar_url === null ? {} : { image: agent.avatar_url }),
          services: [
            { name: "Earnest", endpoint: url },
            {
              name: "A2A",
              endpoint: `${config.publicUrl}${a2aPath}/${slug}${cardName}`,
              version: a2aVersion,
            },
            { name: "MCP", endpoint: `${config.publicUrl}${mcpPath}`, version: mcpVersion },
            { name: "x402", endpoint: `${config.publicUrl}${apiPath}/marketplace/services?agent=${slug}` },
            ...(agent.website_url === null ? [] : [{ name: "web", endpoint: agent.website_url }]),
            ...(agent.api_endpoint === null ? [] : [{ name: "api", endpoint: agent.api_endpoint }]),
          ],
          x402Support: true,
          active: agent.status === "published",
          registrations: shown
            ? [
                {
                  agentId: tokenNumber(BigInt(shown.agent_id)),
                  agentRegistry: registryName({
                    chainId: shown.chain_id,
                    registry: getAddress(shown.registry),
                  }),
                },
              ]
            : [],
          supportedTrust: ["reputation"],
        },
        200,
      );
    },
  );
}

/** Whether the insert failed because another agent was linked to the identity at the same time. */
function isTaken(error: unknown): boolean {
  const cause = error instanceof pg.DatabaseError ? error : (error as Error | undefined)?.cause;
  return cause instanceof pg.DatabaseError && cause.constraint === "agent_identity_linked";
}

function linkedElsewhere(): ApiError {
  return new ApiError(
    "conflict",
    "Another agent shows this identity. Unlink it there first, or revoke that wallet's right to it.",
  );
}
