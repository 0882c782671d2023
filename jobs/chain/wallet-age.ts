import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import {
  type Address,
  BaseError,
  HttpRequestError,
  LimitExceededRpcError,
  type PublicClient,
  TimeoutError,
} from "viem";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { walletAge } from "../../db/schema.ts";
import { clientOf } from "../chain-client.ts";

/** Wallets that a round asks the node of, at some thirty questions each. */
const page = 10;

/**
 * Finds since when the payout wallets of published agents, and the wallets of buyers that a score asks about
 * (`requestWalletAges` in jobs/reputation/agent-records.ts), are in use on the chain that orders settle on: once for each wallet, and daily
 * for one that has sent nothing yet or whose beginning the node cannot tell. Payout wallets go first.
 */
export async function findWalletAges(
  db: Database,
  { defaultChain }: Pick<Config, "defaultChain">,
  { log }: { log: Logger },
): Promise<void> {
  if (!defaultChain) return;
  const { chain_id: chainId, confirmations } = defaultChain;
  const { rows } = await db.execute<{ address: Address }>(sql`
    select distinct payout_wallet as address from earnest.agent
    left join earnest.wallet_age as age on age.chain_id = ${chainId} and age.address = payout_wallet
    where status = 'published' and payout_wallet is not null
      and (age.address is null or (age.first_block is null and age.checked_at < now() - interval '1 day'))
    limit ${page}`);
  const { rows: buyers } = await db.execute<{ address: Address }>(sql`
    select address from earnest.wallet_age
    where first_block is null and checked_at < now() - interval '1 day' and chain_id = ${chainId}
    order by checked_at limit ${page}`);
  const client = clientOf(defaultChain);
  for (const address of new Set([...rows, ...buyers].map((row) => row.address))) {
    try {
      const head = (await client.getBlockNumber()) - BigInt(confirmations);
      const firstBlock = head < 0n ? null : await findFirstUse(client, address, head);
      const block = firstBlock === null ? null : await client.getBlock({ blockNumber: firstBlock });
      const firstAt = block && new Date(Number(block.timestamp) * 1000);
      const found = { firstBlock, firstAt, checkedAt: sql`now()` };
      await db
        .insert(walletAge)
        .values({ chainId, address, ...found })
        .onConflictDoUpdate({ target: [walletAge.address, walletAge.chainId], set: found });
    } catch (error) {
      // The node's next answers would be no better.
      log.warn({ err: error, chain_id: chainId }, "the age of wallets cannot be asked of the node");
      return;
    }
  }
}

/**
 * The first block, up to `head`, at whose end a wallet had sent a transaction or was a contract: its nonce never falls, so it is
 * found by halves, in at most 40 questions. Null where it has sent none, or where the node has no states so old.
 *
 * @throws as viem does where the node is not to be reached
 */
export async function findFirstUse(
  client: Pick<PublicClient, "getTransactionCount">,
  address: Address,
  head: bigint,
): Promise<bigint | null> {
  if ((await client.getTransactionCount({ address, blockNumber: head })) === 0) return null;
  let [unused, used] = [-1n, head];
  while (used - unused > 1n) {
    const middle = (unused + used) / 2n;
    try {
      const count = await client.getTransactionCount({ address, blockNumber: middle });
      if (count > 0) used = middle;
      else unused = middle;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return null;
    }
  }
  return used;
}

function isUnreachable(error: unknown): boolean {
  const kinds = [HttpRequestError, TimeoutError, LimitExceededRpcError];
  return (
    !(error instanceof BaseError) || error.walk((one) => kinds.some((kind) => one instanceof kind)) !== null
  );
}
