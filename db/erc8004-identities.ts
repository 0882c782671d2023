import type { PublicClient } from "viem";
import { type Identity, type IdentityState, readIdentity } from "../protocol/settlement/identity.ts";
import type { Database, Transaction } from "./client.ts";
import { and, eq, isNull } from "./drizzle.ts";
import { agent, agentIdentity } from "./schema.ts";
import { readWallets } from "./wallets.ts";

export type IdentityRow = typeof agentIdentity.$inferSelect;

/** Finds the link of an identity with an agent. */
export async function findLinked(
  db: Database | Transaction,
  { chainId, registry, tokenId }: Identity,
): Promise<IdentityRow | undefined> {
  const [row] = await db
    .select()
    .from(agentIdentity)
    .where(
      and(
        eq(agentIdentity.chainId, chainId),
        eq(agentIdentity.registry, registry),
        eq(agentIdentity.tokenId, tokenId),
        isNull(agentIdentity.lostAt),
      ),
    );
  return row;
}

/**
 * Checks a linked identity again. It stays linked while a wallet of the agent's owner may act for it on the chain.
 *
 * @returns whether the identity was lost
 * @throws the error of viem if the node does not answer; the link then stays
 */
export async function recheckIdentity(
  db: Database,
  row: IdentityRow,
  { client, confirmations }: { client: PublicClient; confirmations: number },
): Promise<boolean> {
  const [owner] = await db
    .select({ accountId: agent.accountId })
    .from(agent)
    .where(eq(agent.id, row.agentId));
  if (!owner) return false;
  const wallets = await readWallets(db, owner.accountId, row.chainId);
  const state = await readIdentity(client, row, { confirmations, wallets });
  const changed = await db
    .update(agentIdentity)
    .set(state.holding ? verifiedColumns(state, state.holding) : { lostAt: new Date() })
    .where(
      and(
        eq(agentIdentity.agentId, row.agentId),
        // The owner, or another worker, may have linked or checked an identity meanwhile.
        eq(agentIdentity.verifiedBlock, row.verifiedBlock),
        eq(agentIdentity.chainId, row.chainId),
        eq(agentIdentity.registry, row.registry),
        eq(agentIdentity.tokenId, row.tokenId),
        isNull(agentIdentity.lostAt),
      ),
    )
    .returning({ agentId: agentIdentity.agentId });
  return state.holding === null && changed.length > 0;
}

/** Returns the columns of an identity that a wallet may act for. */
export function verifiedColumns(state: IdentityState, holding: NonNullable<IdentityState["holding"]>) {
  return {
    agentUri: state.agentUri,
    wallet: holding.wallet,
    authority: holding.authority,
    verifiedAt: new Date(),
    verifiedBlock: state.block,
    lostAt: null,
  };
}
