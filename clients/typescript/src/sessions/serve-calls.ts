import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Known } from "../buying/agreement-check.ts";
import { type Nodes, type OrderWallet, Signer } from "../buying/wallet.ts";
import type { Earnest } from "../client.ts";
import { toBaseUnits } from "../core/exact-amounts.ts";
import { isTemporary, pause } from "../core/retry.ts";
import { type CallHandler, type CallLimits, CallServer } from "./call-server.ts";
import { closeStep } from "./closing.ts";
import { HeldSession } from "./held-session.ts";
import { KeyedFile } from "./keyed-file.ts";
import { SessionOrders } from "./session-orders.ts";
import { readTerms, type SessionTerms, writeTerms } from "./session-terms.ts";

export interface ServeCallsOptions extends CallLimits, Omit<Known, "tokens"> {
  /** The slugs of the agent and of its `per_call` service. */
  agent: string;
  service: string;
  /** The least price of a call, a decimal of the session's token such as `"0.001"`. Cheaper sessions are refused. */
  perCall: string;
  /** The agent's payout wallet, which signs the refund of what is not used. */
  wallet: OrderWallet;
  /** A viem public client that checks on the chain that sessions are funded. A list has a node of each chain. */
  node?: Nodes;
  /** The folder of the sessions' file and of the key. One process uses it at a time. */
  folder: string;
  /** The key that signs the answers. Default: the one in the folder, which `sessionKeyOf` makes. */
  key?: KeyObject;
  /** Milliseconds before a session's deadline in which it takes no calls and is closed. Default: a tenth of its time, at most an hour. */
  marginMs?: number;
  /** Milliseconds without a call after which a session is closed. Default: a day. */
  idleMs?: number;
  onError?: (error: unknown, orderId: string) => void;
}

/** A running endpoint. */
export interface ServedCalls {
  /** Answers a request of Node's `http`, also as a handler of Express before any body parser. */
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Answers a request of the Fetch API, as of Hono. */
  fetch: (request: Request) => Promise<Response>;
  /** Closes all sessions that are open, for example before the service ends. */
  closeAll: () => Promise<void>;
  /** Stops without closing sessions. The next run continues them. */
  stop: () => Promise<void>;
}

/** Milliseconds between two checks of the sessions that have to be closed. */
const closingMs = 1_000;
/** The most sessions that take a step to their end at once. */
const mostAtOnce = 8;
/** Milliseconds after which a closing session gives up its call at work. */
const longestCall = 300_000;
/** Steps of a session's end after which they are rare unless the deadline is near, with the checks between two of them. */
const [mostSteps, soon, rarely] = [30, 2, 60];
const [day, hour] = [86_400_000, 3_600_000];
/** The start of the keys of sessions' terms in the file. */
const termsKey = "terms:";

/** Returns the public key of a folder's session key, for the service's `session_key`. Makes the key if there is none. */
export function sessionKeyOf(folder: string): string {
  return String(createPublicKey(readKey(folder)).export({ format: "jwk" }).x);
}

/**
 * Serves the sessions of one service: answers their calls, and closes them when the buyer asks, when they are idle, and before
 * their deadline.
 *
 * Each answered call is on the disk before its answer is given, so a crash loses none. If the service refuses a voucher, or is
 * gone, the wallet sends it by the node before the deadline, and needs a little native coin. The API key needs `orders:read`,
 * `orders:write` and `webhooks:read`.
 *
 * Waits for the service if it cannot be reached, and pays vouchers that are due meanwhile.
 *
 * @example
 * const calls = await serveCalls(earnest, (input: { text: string }) => translate(input.text), options);
 * createServer(calls.handle).listen(8080);
 */
export async function serveCalls<Input>(
  client: Earnest,
  handler: CallHandler<Input>,
  options: ServeCallsOptions,
): Promise<ServedCalls> {
  const { agent, folder, perCall, idleMs = day, onError } = options;
  const signer = new Signer(options.wallet, options.node);
  const key = options.key ?? readKey(folder);
  const sessionKey = String(createPublicKey(key).export({ format: "jwk" }).x);
  const file = await KeyedFile.open(join(folder, "calls.jsonl"));
  const stop = new AbortController();
  const sessions = new Map<string, HeldSession>();
  /** the sessions that take steps to their end, with the time of the next step, and the number of those before */
  const closing = new Map<string, { at: number; steps: number }>();
  /** the steps at work by their sessions */
  const stepping = new Map<string, Promise<void>>();

  const lastCallAt = ({ terms: { endsAt, windowMs } }: HeldSession) =>
    endsAt - (options.marginMs ?? Math.min(hour, windowMs / 10));

  function addSession(terms: SessionTerms): void {
    const session = new HeldSession(terms, file, key);
    sessions.set(terms.escrowId, session);
    if (session.isClosing) closing.set(terms.escrowId, { at: Date.now(), steps: 0 });
  }

  function closeNamed(escrowId: string): void {
    const session = sessions.get(escrowId);
    if (session) closeSoon(session);
  }

  function closeSoon(session: HeldSession): void {
    if (closing.has(session.terms.escrowId)) return;
    closing.set(session.terms.escrowId, { at: Date.now(), steps: 0 });
    session.close().catch((error: unknown) => onError?.(error, session.terms.orderId));
  }

  function forget(escrowId: string): void {
    sessions.delete(escrowId);
    closing.delete(escrowId);
    for (const kept of [escrowId, termsKey + escrowId]) if (file.has(kept)) file.put(kept, undefined);
  }

  async function closeDue(): Promise<void> {
    while (!stop.signal.aborted) {
      const now = Date.now();
      for (const session of sessions.values()) {
        if (now > lastCallAt(session) || now > session.usedAt + idleMs) closeSoon(session);
      }
      startSteps(now);
      await pause(closingMs, stop.signal).catch(() => {});
    }
    await Promise.all(stepping.values());
  }

  /** Starts the steps that are due, the longest due first. No step waits for another session's. */
  function startSteps(now: number): void {
    const due = [...closing].filter(([escrowId, { at }]) => at <= now && !stepping.has(escrowId));
    due.sort(([, one], [, other]) => one.at - other.at);
    for (const [escrowId] of due.slice(0, mostAtOnce - stepping.size)) {
      stepping.set(
        escrowId,
        step(escrowId).finally(() => stepping.delete(escrowId)),
      );
    }
  }

  async function step(escrowId: string): Promise<void> {
    const session = sessions.get(escrowId);
    const steps = (closing.get(escrowId)?.steps ?? 0) + 1;
    if (!session) return;
    const { endsAt } = session.terms;
    // Half of the time without calls is for the service, and half for the provider's own wallet.
    const payAloneAt = (lastCallAt(session) + endsAt) / 2;
    const next = Date.now() + rarely * closingMs;
    const isRare = steps >= mostSteps && (next < payAloneAt || next > endsAt + rarely * closingMs);
    let wait = (isRare ? rarely : soon) * closingMs;
    try {
      // The voucher of a call at work is newer than the one that is kept.
      if (session.isBusy && Date.now() < Math.min(payAloneAt, session.closingAt + longestCall)) {
        closing.set(escrowId, { at: Date.now() + soon * closingMs, steps: 0 });
        return;
      }
      session.giveUpCall();
      await session.close();
      if (await closeStep(session, { client, signer, payAloneAt })) return forget(escrowId);
    } catch (error) {
      if (stop.signal.aborted) return;
      wait = Math.max(wait, 10 * closingMs);
      onError?.(error, session.terms.orderId);
    }
    closing.set(escrowId, { at: Date.now() + wait, steps });
  }

  /** Follows the service's orders. A session of the file that is not among the open ones is closed, so its end is checked. */
  async function follow(): Promise<{ orders: SessionOrders; done: Promise<void> }> {
    const service = await client.services.get(agent, options.service);
    const notListedYet = new Set(sessions.keys());
    const orders = new SessionOrders({
      client,
      serviceId: service.id,
      signer,
      known: options,
      signal: stop.signal,
      onError,
      accepts: (terms) => refuseTerms(terms, sessionKey, perCall),
      news: {
        opened: (terms) => {
          notListedYet.delete(terms.escrowId);
          if (sessions.has(terms.escrowId)) return;
          // With its terms in the file, a session is paid after a restart without the service.
          file.put(termsKey + terms.escrowId, writeTerms(terms));
          addSession(terms);
        },
        // The service's word is not enough to forget a voucher: the next step reads the chain.
        ended: closeNamed,
      },
    });
    const { done } = await orders.start();
    for (const escrowId of notListedYet) closeNamed(escrowId);
    return { orders, done };
  }

  /** Follows once the service answers. Vouchers that are due are paid meanwhile. */
  async function followWithRetries(): Promise<{ orders: SessionOrders; done: Promise<void> }> {
    for (;;) {
      try {
        return await follow();
      } catch (error) {
        // Open vouchers are paid even if another server answers at the service's address.
        if (stop.signal.aborted || (!isTemporary(error) && sessions.size === 0)) throw error;
        onError?.(error, "");
        await pause(5 * closingMs, stop.signal);
      }
    }
  }

  for (const kept of file.keys().filter((one) => one.startsWith(termsKey))) {
    addSession(readTerms(file.get(kept) as Record<string, unknown>));
  }
  const isClosing = closeDue();
  const { orders, done } = await followWithRetries().catch(async (error: unknown) => {
    stop.abort();
    await isClosing;
    file.close();
    throw error;
  });
  const running = Promise.all([done, isClosing]).catch((error: unknown) => {
    if (!stop.signal.aborted) onError?.(error, "");
  });
  const server = new CallServer<Input>({
    ...options,
    handler,
    find: (escrowId) => sessions.get(escrowId),
    onUnknown: () => orders.readFeedNow(),
    lastCallAt,
    onClose: closeSoon,
    onError,
  });
  return {
    handle: server.handle,
    fetch: server.fetch,
    closeAll: async () => {
      for (const session of sessions.values()) closeSoon(session);
      while (closing.size > 0 && !stop.signal.aborted)
        await pause(closingMs / 4, stop.signal).catch(() => {});
    },
    stop: async () => {
      stop.abort();
      await running;
      file.close();
    },
  };
}

/** Explains why a session's agreed terms are not those that are served; null if they are. */
function refuseTerms(terms: SessionTerms, sessionKey: string, perCall: string): string | null {
  const least = toBaseUnits(perCall, terms.decimals);
  if (terms.sessionKey !== sessionKey) return `the session key ${sessionKey}`;
  return terms.price < least ? `at least ${perCall} for a call` : null;
}

function readKey(folder: string): KeyObject {
  const path = join(folder, "session-key.pem");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return createPrivateKey(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  // Another process may make the key at the same time: the first one counts.
  try {
    writeFileSync(path, privateKey.export({ format: "pem", type: "pkcs8" }), {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return createPrivateKey(readFileSync(path));
}
