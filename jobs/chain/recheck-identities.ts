import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import { identityTransfer } from "../../db/chain-index.ts";
import { type Database, prepareOnce } from "../../db/client.ts";
import { and, asc, eq, exists, gt, isNull, lt, notExists, or, sql } from "../../db/drizzle.ts";
import { recheckIdentity } from "../../db/erc8004-identities.ts";
import { agent, agentIdentity, wallet } from "../../db/schema.ts";
import { isKnownOn } from "../../db/wallets.ts";
import { clientOf } from "../chain-client.ts";

/** Identities checked in one round on each chain. */
const page = 100;

/** Finds the identities of a chain to check. The statement is prepared, since it runs every few seconds. */
const findDue = prepareOnce("identities_due", (db) => {
  const moved = and(
    eq(identityTransfer.chainId, agentIdentity.chainId),
    eq(identityTransfer.registry, agentIdentity.registry),
    eq(identityTransfer.tokenId, agentIdentity.tokenId),
    gt(identityTransfer.blockNumber, sql`${agentIdentity.verifiedBlock}`),
  );
  const stillOwners = db
    .select({ one: sql`1` })
    .from(wallet)
    .innerJoin(agent, eq(agent.accountId, wallet.accountId))
    .where(
      and(
        eq(agent.id, agentIdentity.agentId),
        eq(wallet.address, agentIdentity.wallet),
        isKnownOn(agentIdentity.chainId),
      ),
    );
  return db
    .select()
    .from(agentIdentity)
    .where(
      and(
        eq(agentIdentity.chainId, sql.placeholder("chainId")),
        isNull(agentIdentity.lostAt),
        or(
          lt(
            agentIdentity.verifiedAt,
            sql`now() - make_interval(secs => ${sql.placeholder("seconds")}::float8)`,
          ),
          exists(db.select({ one: sql`1` }).from(identityTransfer).where(moved)),
          notExists(stillOwners),
        ),
      ),
    )
    .orderBy(asc(agentIdentity.verifiedAt))
    .limit(page);
});

/**
 * Checks linked ERC-8004 identities: each once an hour. An identity is checked at once if the index shows a transfer,
 * until that is confirmed, or if its wallet was removed from the account. An identity that none of the owner's wallets
 * controls is unlinked.
 *
 * @param options.every milliseconds between two checks of an identity that was not transferred
 */
export async function recheckIdentities(
  db: Database,
  config: Pick<Config, "chains">,
  options: { log?: Logger; every?: number } = {},
): Promise<{ rechecked: number; lost: number }> {
  const { log, every = 3_600_000 } = options;
  const result = { rechecked: 0, lost: 0 };
  for (const chain of config.chains) {
    const due = await findDue(db).execute({ chainId: chain.chain_id, seconds: every / 1000 });
    const client = clientOf(chain);
    for (const row of due) {
      try {
        const lost = await recheckIdentity(db, row, { client, confirmations: chain.confirmations });
        result.rechecked += 1;
        if (!lost) continue;
        result.lost += 1;
        log?.warn(
          { agent_id: row.agentId, chain_id: row.chainId, token_id: row.tokenId.toString() },
          "an agent's on-chain identity was unlinked: its owner does not control it",
        );
      } catch (error) {
        // Further requests to this node would fail too.
        log?.warn(
          { err: error, chain_id: chain.chain_id },
          "identities could not be checked: they stay linked",
        );
        break;
      }
    }
  }
  return result;
}
