import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Chain } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { isFenced, takeLease } from "../../db/lease.ts";
import { createSender } from "./sender.ts";

/** Our one key at work. It sends only what stands in `earnest.relay`. */
export type Relayer = {
  address: Address;
  /** Sends what is queued on a chain and follows it until it is mined. While another worker is at it, waits to take over. */
  relay(chainId: number): Promise<void>;
  /** Writes down what the wallet holds on each chain, for `GET /chain/status`. */
  beat(): Promise<void>;
};

/** Milliseconds after which a worker that waits for another looks whether that one has died. */
const lookEvery = 1000;

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
      const { signal } = options;
      // Whoever holds the lease looks once more after giving it back: a row queued meanwhile is not left lying.
      while (!signal?.aborted && (await sender.hasWork())) {
        const lease = await takeLease(db, `relay ${chainId}`);
        if (!lease) {
          await sleep(lookEvery, undefined, { signal }).catch(() => {});
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
    beat: async () => {
      const looks = await Promise.allSettled([...senders.values()].map((sender) => sender.look()));
      const failed = looks.find((look) => look.status === "rejected");
      if (failed) throw failed.reason;
    },
  };
}
