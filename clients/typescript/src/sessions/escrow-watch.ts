import { readEscrowState } from "../buying/paying.ts";
import type { Signer } from "../buying/wallet.ts";
import { pause } from "../core/retry.ts";
import type { HeldSession } from "./held-session.ts";

export interface EscrowWatchParts {
  sessions: () => Iterable<HeldSession>;
  signer: Signer;
  /** milliseconds between two looks */
  everyMs: number;
  /** called for a session whose dispute or end is on the chain */
  ended: (session: HeldSession) => void;
  signal: AbortSignal;
  onError?: ((error: unknown, orderId: string) => void) | undefined;
}

/**
 * Reads the escrows of the open sessions with a voucher, until the signal. The service may conceal a dispute, and the arbiter's
 * decision can take money whose voucher is not on the chain.
 */
export async function watchEscrows(parts: EscrowWatchParts): Promise<void> {
  const { sessions, signer, everyMs, ended, signal, onError } = parts;
  while (!signal.aborted) {
    for (const session of [...sessions()]) {
      if (signal.aborted) return;
      if (!session.newest || session.isClosing) continue;
      try {
        const state = await readEscrowState(session.terms, await signer.on(session.terms.chainId));
        if (state?.isDisputed || state?.isOver) ended(session);
      } catch (error) {
        onError?.(error, session.terms.orderId);
      }
    }
    await pause(everyMs, signal).catch(() => {});
  }
}
