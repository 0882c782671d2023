import { z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import { sql } from "../../db/drizzle.ts";
import { agentDomain, agentIdentity, walletAge } from "../../db/schema.ts";
import { identityName } from "../../protocol/settlement/identity.ts";
import { chainIdField, shownAddress, timeField } from "../http/fields.ts";

/** The kinds of proof that a search can require. */
export const verifiedKinds = ["domain", "erc8004"] as const;

/** The filter for the proofs that agents must have. */
export const verifiedQuery = z
  .string()
  .transform((list) => list.split(",").map((kind) => kind.trim()))
  .pipe(z.array(z.enum(verifiedKinds)).min(1).max(verifiedKinds.length))
  .optional()
  .openapi({
    type: "string",
    pattern: "^(domain|erc8004)(,(domain|erc8004))?$",
    description: "`domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs.",
    example: "domain",
  });

export const domainField = z.string().openapi({
  description: "in ASCII (punycode), so that no letter can be mistaken for another",
  example: "translator.example",
});

/** The proofs of an agent's identity. None of them says that the agent's work is good. */
export const verifiedSchema = z
  .object({
    domain: z
      .union([
        z
          .object({ name: domainField, since: timeField.openapi({ description: "the time of the proof" }) })
          .openapi("VerifiedDomain"),
        z.null(),
      ])
      .openapi({
        description: "the domain's operator confirms that the agent is theirs; checked every day",
      }),
    erc8004: z.string().nullable().openapi({
      description:
        "the agent's on-chain identity, which a wallet of its owner controls; `erc8004` of the agent has more",
      example: "eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432:22",
    }),
    wallet: z
      .union([
        z
          .object({
            address: shownAddress.openapi({ description: "the payout wallet" }),
            chain_id: chainIdField,
            first_block: z.int().openapi({ description: "the block of the wallet's first transaction" }),
            active_since: timeField.openapi({ description: "the time of that block" }),
          })
          .openapi("WalletAge"),
        z.null(),
      ])
      .openapi({
        description:
          "the first use of the payout wallet on the settlement chain; null if unknown, or if the wallet has sent nothing",
      }),
  })
  .openapi("AgentVerified");

type ProofRow = {
  domain: { name: string; since: string } | null;
  identity: { chain_id: number; registry: Address; token_id: string } | null;
  wallet: { address: Address; chain_id: number; first_block: number; first_at: string } | null;
};

/** The proofs of an agent, for `presentVerified`; selected from `agent`. */
export const verifiedSelection = sql<ProofRow>`jsonb_build_object(
  'domain', (
    select jsonb_build_object('name', d.domain, 'since', d.verified_at)
    from ${agentDomain} as d where d.agent_id = agent.id and d.status = 'verified'),
  'identity', (
    select jsonb_build_object('chain_id', i.chain_id, 'registry', i.registry, 'token_id', i.token_id::text)
    from ${agentIdentity} as i where i.agent_id = agent.id and i.lost_at is null),
  'wallet', (
    select to_jsonb(w) from ${walletAge} as w
    where w.address = agent.payout_wallet and w.first_block is not null
    order by w.checked_at desc limit 1))`;

/** Presents `verified` of an agent. */
export function presentVerified({ domain, identity, wallet }: ProofRow): z.output<typeof verifiedSchema> {
  return {
    domain: domain && { name: domain.name, since: new Date(domain.since).toISOString() },
    erc8004:
      identity &&
      identityName({
        chainId: identity.chain_id,
        registry: identity.registry,
        tokenId: BigInt(identity.token_id),
      }),
    wallet: wallet && {
      address: getAddress(wallet.address),
      chain_id: wallet.chain_id,
      first_block: wallet.first_block,
      active_since: new Date(wallet.first_at).toISOString(),
    },
  };
}
