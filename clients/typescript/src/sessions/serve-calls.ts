import type { KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Known } from "../buying/agreement-check.ts";
import { type Nodes, type OrderWallet, Signer } from "../buying/wallet.ts";
import type { Earnest } from "../client.ts";
import { toBaseUnits } from "../core/exact-amounts.ts";
import { isTemporary, pause } from "../core/retry.ts";
import { type CallHandler, type CallLimits, CallServer } from "./call-server.ts";
import { type CloseTimes, DueCloses } from "./due-closes.ts";
import { KeyedFile } from "./keyed-file.ts";
import { ProviderSession } from "./provider-session.ts";
import { publicTextOf, readKey } from "./session-key.ts";
import { SessionOrders } from "./session-orders.ts";
import { readTerms, type SessionTerms, writeTerms } from "./session-terms.ts";

export interface ServeCallsOptions extends CallLimits, CloseTimes, Omit<Known, "tokens"> {
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

/** Milliseconds between two attempts to reach the service. */
const retryMs = 5_000;
/** The start of the keys of sessions' terms in the file. */
const termsKey = "terms:";

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
  const { agent, folder, perCall, onError } = options;
  const signer = new Signer(options.wallet, options.node);
  const key = options.key ?? readKey(folder);
  const sessionKey = publicTextOf(key);
  const file = await KeyedFile.open(join(folder, "calls.jsonl"));
  const stop = new AbortController();
  const sessions = new Map<string, ProviderSession>();
  const closes = new DueCloses({ ...options, client, signer, sessions, forget, signal: stop.signal });

  function addSession(terms: SessionTerms): void {
    const session = new ProviderSession(terms, file, key);
    sessions.set(terms.escrowId, session);
    if (session.isClosing) closes.closeSoon(session);
  }

  function closeNamed(escrowId: string): void {
    const session = sessions.get(escrowId);
    if (session) closes.closeSoon(session);
  }

  function forget(escrowId: string): void {
    sessions.delete(escrowId);
    for (const kept of [escrowId, termsKey + escrowId]) if (file.has(kept)) file.put(kept, undefined);
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
        await pause(retryMs, stop.signal);
      }
    }
  }

  for (const kept of file.keys().filter((one) => one.startsWith(termsKey))) {
    addSession(readTerms(file.get(kept) as Record<string, unknown>));
  }
  const isClosing = closes.run();
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
    lastCallAt: (session) => closes.lastCallAt(session),
    onClose: (session) => closes.closeSoon(session),
    onError,
  });
  return {
    handle: server.handle,
    fetch: server.fetch,
    closeAll: () => closes.closeAll(),
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
