import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Chain } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { isFenced, takeLease } from "../../db/lease.ts";
import { createSender } from "./sender.ts";

/** The sender of the rows of `earnest.relay`, with the service's one key. */
export type Relayer = {
  address: Address;
  /**
   * Sends a chain's queued relays and follows them until they are mined. Waits while another worker holds the lease.
   */
  relay(chainId: number): Promise<void>;
  /** Stores the wallet's balance on a chain, or on each, for `GET /chains`. */
  beat(chainId?: number): Promise<void>;
};

/** Milliseconds between two attempts to take the lease. */
const takeLeaseEvery = 1000;

/**
 * Makes the relayer.
 *
 * @param options.signal stops the relayer; the next holder of the lease continues
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
      if (!sender)
        throw new Error(
          `A relay is queued for chain ${chainId}, which this worker does not know: add its deployment manifest.`,
        );
      const { signal } = options;
      // The holder checks again after it released the lease, so that no row queued meanwhile is left.
      while (!signal?.aborted && (await sender.hasWork())) {
        const lease = await takeLease(db, `relay ${chainId}`);
        if (!lease) {
          await sleep(takeLeaseEvery, undefined, { signal }).catch(() => {});
          continue;
        }
        try {
          const either = signal ? AbortSignal.any([signal, lease.signal]) : lease.signal;
          const outcome = await sender.drain({ signal: either, fence: isFenced(lease) });
          if (outcome === "blocked") return;
        } finally {
          await lease.release();
        }
      }
    },
    beat: async (chainId) => {
      const beaten = [...senders].filter(([id]) => chainId === undefined || id === chainId);
      const checks = await Promise.allSettled(beaten.map(([, sender]) => sender.check()));
      const failed = checks.find((check) => check.status === "rejected");
      if (failed) throw failed.reason;
    },
  };
}
