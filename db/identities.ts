import { and, eq, isNull } from "drizzle-orm";
import type { PublicClient } from "viem";
import { type Identity, type IdentityState, readIdentity } from "../protocol/settlement/identity.ts";
import type { Database, Transaction } from "./client.ts";
import { agent, agentIdentity } from "./schema.ts";
import { readWallets } from "./wallets.ts";

export type IdentityRow = typeof agentIdentity.$inferSelect;

/** The agent that shows an identity, if any does. */
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
 * Looks at a linked identity again: it stays linked while a wallet of the agent's owner acts for it on chain.
 *
 * @returns whether it was lost
 * @throws as viem does where the node cannot say; the link then stays as it is
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
        // Not what its owner, or another worker, linked or looked at meanwhile.
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

/** What is written of an identity that a wallet was found to act for. */
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
