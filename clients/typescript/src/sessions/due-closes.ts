import { pause } from "../core/retry.ts";
import { type CloseStepParts, closeStep } from "./close-steps.ts";
import type { ProviderSession } from "./provider-session.ts";

/** The times at which a session closes if its buyer does not ask for it. */
export interface CloseTimes {
  /** Milliseconds before a session's deadline in which it takes no calls and is closed. Default: a tenth of its time, at most an hour. */
  marginMs?: number;
  /** Milliseconds without a call after which a session is closed. Default: a day. */
  idleMs?: number;
}

export interface DueClosesParts extends CloseTimes, Omit<CloseStepParts, "payAloneAt"> {
  /** The open sessions by their escrows. */
  sessions: ReadonlyMap<string, ProviderSession>;
  /** Called once a session is over. */
  forget: (escrowId: string) => void;
  /** Ends the run. */
  signal: AbortSignal;
  onError?: ((error: unknown, orderId: string) => void) | undefined;
}

/** Milliseconds between two checks of the sessions that have to be closed. */
const checkMs = 1_000;
/** The most sessions that take a step to their end at once. */
const mostAtOnce = 8;
/** Milliseconds after which a closing session gives up its call at work. */
const longestCall = 300_000;
/** Steps of a session's end after which they are rare unless the deadline is near, with the checks between two of them. */
const [mostSteps, soon, rarely] = [30, 2, 60];
const [day, hour] = [86_400_000, 3_600_000];

/**
 * Closes each session when it is due: when its buyer asks, when it is idle, and before its deadline. A closing session takes
 * steps until it is over. After many steps, the next ones are rare unless the deadline is near.
 */
export class DueCloses {
  readonly #parts: DueClosesParts;
  /** the sessions that take steps to their end, with the time of the next step, and the number of those before */
  readonly #closing = new Map<string, { at: number; steps: number }>();
  /** the steps at work by their sessions */
  readonly #stepping = new Map<string, Promise<void>>();

  constructor(parts: DueClosesParts) {
    this.#parts = parts;
  }

  /** Returns the unix milliseconds after which a session takes no call. */
  lastCallAt({ terms: { endsAt, windowMs } }: ProviderSession): number {
    return endsAt - (this.#parts.marginMs ?? Math.min(hour, windowMs / 10));
  }

  /** Closes a session with the next check. */
  closeSoon(session: ProviderSession): void {
    const { escrowId, orderId } = session.terms;
    // A buyer may ask while the last step ends the session.
    if (this.#closing.has(escrowId) || !this.#parts.sessions.has(escrowId)) return;
    this.#closing.set(escrowId, { at: Date.now(), steps: 0 });
    session.close().catch((error: unknown) => this.#parts.onError?.(error, orderId));
  }

  /** Closes all sessions, and waits until they are over. */
  async closeAll(): Promise<void> {
    const { sessions, signal } = this.#parts;
    for (const session of sessions.values()) this.closeSoon(session);
    while (this.#closing.size > 0 && !signal.aborted) await pause(checkMs / 4, signal).catch(() => {});
  }

  /** Closes sessions until the run stops. */
  async run(): Promise<void> {
    const { sessions, signal, idleMs = day } = this.#parts;
    while (!signal.aborted) {
      const now = Date.now();
      for (const session of sessions.values()) {
        if (now > this.lastCallAt(session) || now > session.usedAt + idleMs) this.closeSoon(session);
      }
      this.#startSteps(now);
      await pause(checkMs, signal).catch(() => {});
    }
    await Promise.all(this.#stepping.values());
  }

  /** Starts the steps that are due, the longest due first. No step waits for another session's. */
  #startSteps(now: number): void {
    const due = [...this.#closing].filter(([escrowId, { at }]) => at <= now && !this.#stepping.has(escrowId));
    due.sort(([, one], [, other]) => one.at - other.at);
    for (const [escrowId] of due.slice(0, mostAtOnce - this.#stepping.size)) {
      this.#stepping.set(
        escrowId,
        this.#step(escrowId).finally(() => this.#stepping.delete(escrowId)),
      );
    }
  }

  async #step(escrowId: string): Promise<void> {
    const { client, signer, sessions, signal, forget, onError } = this.#parts;
    const session = sessions.get(escrowId);
    const steps = (this.#closing.get(escrowId)?.steps ?? 0) + 1;
    if (!session) {
      this.#closing.delete(escrowId);
      return;
    }
    const { endsAt } = session.terms;
    // Half of the time without calls is for the service, and half for the provider's own wallet.
    const payAloneAt = (this.lastCallAt(session) + endsAt) / 2;
    const next = Date.now() + rarely * checkMs;
    const isRare = steps >= mostSteps && (next < payAloneAt || next > endsAt + rarely * checkMs);
    let wait = (isRare ? rarely : soon) * checkMs;
    try {
      // The voucher of a call at work is newer than the one that is kept.
      if (session.isBusy && Date.now() < Math.min(payAloneAt, session.closingAt + longestCall)) {
        this.#closing.set(escrowId, { at: Date.now() + soon * checkMs, steps: 0 });
        return;
      }
      session.giveUpCall();
      await session.close();
      if (await closeStep(session, { client, signer, payAloneAt })) {
        this.#closing.delete(escrowId);
        return forget(escrowId);
      }
    } catch (error) {
      if (signal.aborted) return;
      wait = Math.max(wait, 10 * checkMs);
      onError?.(error, session.terms.orderId);
    }
    this.#closing.set(escrowId, { at: Date.now() + wait, steps });
  }
}
