import type { Logger } from "pino";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Chain } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { createSender } from "./sender.ts";

/** Our one key at work. It sends only what stands in `earnest.relay`. */
export type Relayer = {
  address: Address;
  /** Sends what is queued on a chain and follows it until it is mined, unless another worker is at it. */
  relay(chainId: number): Promise<void>;
  /** Writes down what the wallet holds on each chain, for `GET /chain/status`. */
  beat(): Promise<void>;
};

/** The first half of the lock's name, "rlay" read as bytes; the second is the chain. */
const lockClass = 0x726c_6179;

/**
 * Makes the relayer.
 *
 * @param options.signal ends the following of sent transactions; whoever comes next takes it up
 */
export function createRelayer(
  db: Database,
  config: { chains: readonly Chain[]; relayerPrivateKey: Hex },
  options: { log?: Logger; signal?: AbortSignal } = {},
): Relayer {
  const account = privateKeyToAccount(config.relayerPrivateKey);
  const senders = new Map(
    config.chains.map((chain) => [chain.chain_id, createSender(db, chain, account, options.log)]),
  );
  return {
    address: account.address,
    relay: async (chainId) => {
      const sender = senders.get(chainId);
      if (!sender) throw new Error(`A relay is queued for chain ${chainId}, which is not configured here.`);
      // Whoever holds the lock looks once more after giving it back: a row queued meanwhile is not left lying.
      while (await sender.hasWork()) {
        const outcome = await withLock(db, chainId, (lost) =>
          sender.drain(options.signal ? AbortSignal.any([options.signal, lost]) : lost),
        );
        if (outcome !== "done") return;
      }
    },
    beat: async () => {
      const looks = await Promise.allSettled([...senders.values()].map((sender) => sender.look()));
      const failed = looks.find((look) => look.status === "rejected");
      if (failed) throw failed.reason;
    },
  };
}

/**
 * Runs `work` unless another worker relays on this chain. The lock belongs to a connection, so a crash frees it.
 *
 * @param work is told when the connection, and with it the lock, is lost
 * @returns what `work` did, or null when another worker is at it
 */
async function withLock<T>(
  db: Database,
  chainId: number,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const connection = await db.$client.connect();
  let broken: Error | undefined;
  const lost = new AbortController();
  const lose = () => lost.abort();
  connection.once("end", lose);
  try {
    const name = [lockClass, chainId];
    const { rows } = await connection.query("select pg_try_advisory_lock($1::int, $2::int) as locked", name);
    if (!rows[0]?.locked) return null;
    try {
      return await work(lost.signal);
    } finally {
      await connection.query("select pg_advisory_unlock($1::int, $2::int)", name);
    }
  } catch (error) {
    // Not back into the pool: it may be cut, or still hold the lock.
    broken = error as Error;
    throw error;
  } finally {
    connection.off("end", lose);
    connection.release(broken);
  }
}
