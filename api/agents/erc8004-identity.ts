import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { sql } from "../../db/drizzle.ts";
import type { IdentityRow } from "../../db/erc8004-identities.ts";
import { agentIdentity } from "../../db/schema.ts";
import { identityName } from "../../protocol/settlement/identity.ts";
import { chainIdField, shownAddress, timeField } from "../http/fields.ts";

const fields = {
  id: z.string().openapi({
    description: "the global name of the identity: `eip155:<chain>:<registry>:<agent id>`",
    example: "eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432:22",
  }),
  chain_id: chainIdField,
  registry: shownAddress.openapi({ description: "the chain's Identity Registry" }),
  agent_id: z.string().openapi({ description: "the number in the registry", example: "22" }),
  agent_uri: z.string().nullable().openapi({
    description: "the URI of the registration file on chain; null for none, or one over 2048 characters",
  }),
  verified_at: timeField.openapi({
    description: "the last time at which the chain confirmed the owner's control; checked every hour",
  }),
};

/** The ERC-8004 identity of an agent, as it is shown with the agent. */
export const identitySchema = z.object(fields).openapi("AgentIdentity");

/** The schema of an identity's control: the wallet in control, or the time at which control was lost. */
export const identityStateSchema = z
  .object({
    ...fields,
    wallet: shownAddress.openapi({ description: "the owner's wallet that controls the identity" }),
    authority: z
      .enum(["owner", "approved", "operator"])
      .openapi("IdentityAuthority", { description: "the right of the wallet (ERC-721)" }),
    lost_at: timeField.nullable().openapi({
      description:
        "the time since which no wallet of the owner controls the identity; the agent does not show it since then",
    }),
  })
  .openapi("AgentIdentityState");

/** A row of `agent_identity` from `to_jsonb`, with its number as text. */
type IdentityJson = {
  chain_id: number;
  registry: IdentityRow["registry"];
  token_id: string;
  agent_uri: string | null;
  verified_at: string;
};

/** The agent's linked identity, for `presentIdentity`; to be selected from `agent`. */
export const identitySelection = sql<IdentityJson | null>`(
  select to_jsonb(i) || jsonb_build_object('token_id', i.token_id::text)
  from ${agentIdentity} as i where i.agent_id = agent.id and i.lost_at is null)`;

/** Presents `erc8004` of an agent; null without a linked identity. */
export function presentIdentity(result: IdentityJson | null): z.output<typeof identitySchema> | null {
  if (!result) return null;
  const { chain_id: chainId, registry, token_id, agent_uri } = result;
  return present({ chainId, registry, tokenId: BigInt(token_id), agentUri: agent_uri }, result.verified_at);
}

export function presentIdentityState(row: IdentityRow): z.output<typeof identityStateSchema> {
  return {
    ...present(row, row.verifiedAt),
    wallet: getAddress(row.wallet),
    authority: row.authority,
    lost_at: row.lostAt?.toISOString() ?? null,
  };
}

function present(
  identity: Pick<IdentityRow, "chainId" | "registry" | "tokenId" | "agentUri">,
  verifiedAt: string | Date,
) {
  return {
    id: identityName(identity),
    chain_id: identity.chainId,
    registry: getAddress(identity.registry),
    agent_id: identity.tokenId.toString(),
    agent_uri: identity.agentUri,
    verified_at: new Date(verifiedAt).toISOString(),
  };
}
