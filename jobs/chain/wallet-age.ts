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
import { sql } from "../../db/drizzle.ts";
import { walletAge } from "../../db/schema.ts";
import { clientOf } from "../chain-client.ts";

/** Wallets in one round, with some thirty calls to the node for each. */
const page = 10;

/**
 * Finds the first use of wallets on the default chain. These are payout wallets of published agents, and buyers'
 * wallets that a score needs (`requestWalletAges` in jobs/reputation/agent-records.ts). Each wallet is read once. A
 * wallet without a transaction, or whose first use the node does not know, is read daily. Payout wallets go first.
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
    let age: { firstBlock: bigint | null; firstAt: Date | null };
    try {
      const head = (await client.getBlockNumber()) - BigInt(confirmations);
      const firstBlock = head < 0n ? null : await findFirstUse(client, address, head);
      const block = firstBlock === null ? null : await client.getBlock({ blockNumber: firstBlock });
      age = { firstBlock, firstAt: block && new Date(Number(block.timestamp) * 1000) };
    } catch (error) {
      // Further requests to this node would fail too.
      log.warn({ err: error, chain_id: chainId }, "the node did not answer for the age of wallets");
      return;
    }
    const columns = { ...age, checkedAt: sql`now()` };
    await db
      .insert(walletAge)
      .values({ chainId, address, ...columns })
      .onConflictDoUpdate({ target: [walletAge.address, walletAge.chainId], set: columns });
  }
}

/**
 * Finds the first block, up to `head`, at whose end a wallet had sent a transaction or was a contract. A nonce never
 * falls, so a binary search finds the block in at most 40 calls. Returns null if the wallet sent nothing, or the node
 * keeps no state so old.
 *
 * @throws viem's error if the node cannot be reached
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
    !(error instanceof BaseError) ||
    error.walk((cause) => kinds.some((kind) => cause instanceof kind)) !== null
  );
}
