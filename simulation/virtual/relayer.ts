import type { Hex } from "viem";
import { escrowContract, relayer, type Transaction, type VirtualChain } from "./chain.ts";

type Relay = {
  data: Hex;
  status: "queued" | "sent" | "mined" | "failed";
  transaction: Transaction | null;
  /** those of the times it was queued before */
  before: Transaction[];
};

/** Sends what was given to it: each intent once, by one transaction, which it repeats until it counts. */
export function createRelayer(chain: VirtualChain, confirmations: number, now: () => number) {
  const relays = new Map<string, Relay>();

  return {
    /** Takes an intent. One that stands is left as it is; one that failed begins anew. */
    queue(intent: string, data: Hex): void {
      const standing = relays.get(intent);
      if (standing && standing.status !== "failed") return;
      const before = [...(standing?.before ?? []), ...(standing?.transaction ? [standing.transaction] : [])];
      relays.set(intent, { data, status: "queued", transaction: null, before });
    },
    isUnderWay: (intent: string) => ["queued", "sent"].includes(relays.get(intent)?.status ?? ""),
    /** Follows again what was mined in a block that left the chain. */
    reopen(transaction: Hex): void {
      for (const relay of relays.values()) if (relay.transaction?.hash === transaction) relay.status = "sent";
    },
    /** Sends what waits, and sees what became of what was sent. */
    round(): void {
      const mined = new Map(
        chain.blocks.flatMap((block) =>
          block.mined.map((one) => [one.hash, { ...one, block: block.number }] as const),
        ),
      );
      for (const relay of relays.values()) {
        if (relay.status === "queued") {
          const call = { from: relayer, to: escrowContract, data: relay.data };
          // What did nothing in a block that left the chain may have done it in another since.
          const done = relay.before.find(({ hash }) => mined.get(hash)?.succeeded);
          const isTaken = done !== undefined || chain.evm.ask({ ...call, time: now() }).ok;
          if (isTaken) relay.transaction = done ?? { ...call, hash: chain.send(call) };
          relay.status = isTaken ? "sent" : "failed";
        } else if (relay.status === "sent" && relay.transaction) {
          const found = mined.get(relay.transaction.hash);
          if (!found) chain.sendAgain(relay.transaction);
          else if (found.block <= chain.head().number - confirmations + 1)
            relay.status = found.succeeded ? "mined" : "failed";
        }
      }
    },
  };
}
export type Relayer = ReturnType<typeof createRelayer>;
