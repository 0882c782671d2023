import { BaseError, type PublicClient } from "viem";
import { isContractAnswer } from "../../../../protocol/settlement/contract-answers.ts";
import type { BaseClient } from "../base-client.ts";
import { type AgreedOrder, compareKnown, type Known } from "../buying/agreed.ts";
import { UntrustedOrderError } from "../buying/errors.ts";
import { hasEscrow } from "../buying/paying.ts";
import { type OrderWallet, Signer } from "../buying/wallet.ts";
import { ConnectionError } from "../core/errors.ts";
import { path } from "../core/path.ts";
import { passes, pause } from "../core/retry.ts";
import type { FollowOptions } from "../follow-options.ts";
import type { Agent, EventType } from "../generated/types.ts";
import { Queue } from "./order-queue.ts";
import { type Handler, type HandlerContext, workOn } from "./order-work.ts";

/** What each service of the agent does, by its slug. The input is as its `input_schema` says. */
export type Handlers<Inputs> = { [Service in keyof Inputs]: Handler<Inputs[Service]> };

export interface ServeOptions extends Known {
  /** The agent's payout wallet, which signs that it delivered. Without it no delivery is recorded on the chain. */
  wallet?: OrderWallet;
  /** A public client of viem, where the wallet is an account: whether the money is there is asked of the chain then. */
  node?: PublicClient;
  /** How many orders are worked on at once; 4 unless given. */
  concurrency?: number;
  /** How often a handler is called for an order before it is given up in this run; 3 unless given. */
  attempts?: number;
  /** Stops: nothing more is taken, and what was begun is finished. */
  signal?: AbortSignal;
  /** Where the feed was left, for an account with many events; nothing is lost without it. */
  cursor?: FollowOptions["cursor"];
  onCursor?: FollowOptions["onCursor"];
  /** Is told what a handler threw, what was refused of its output, and what else went wrong with an order. */
  onError?: (error: unknown, about: { orderId: string; context: HandlerContext | null }) => void;
  /** Is told of each delivery. */
  onDelivered?: (orderId: string) => void;
}

const types: EventType[] = ["order.funded", "order.revision_requested"];

/** All that is open is listed so often, in milliseconds, whatever the feed told. */
const sweepMs = 60_000;

/**
 * Runs a provider until its signal stops it: takes the agent's funded orders from the feed, starts them, has them done,
 * delivers, and signs the delivery's record. What an earlier run began is done first. Run one process for each agent.
 *
 * @throws what waiting does not mend, as a key that was revoked
 */
export async function serve<Inputs>(
  client: BaseClient,
  agentSlug: string,
  handlers: Handlers<Inputs>,
  options: ServeOptions,
): Promise<void> {
  const { wallet, concurrency = 4, onError } = options;
  const signer = wallet ? new Signer(wallet, options.node) : null;
  const { id: agentId } = await client.request<Agent>({
    verb: "GET",
    path: path`/agents/${agentSlug}`,
    open: true,
  });
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const queue = new Queue(concurrency, async (orderId) => {
    try {
      return await workOn(orderId, {
        client,
        agentId,
        handlers: handlers as Record<string, Handler<unknown>>,
        signer,
        signal,
        attempts: options.attempts ?? 3,
        check: (agreed) => checkFunded(agreed, signer, options, signal),
        onError: (error, context) => onError?.(error, { orderId, context }),
        onDelivered: () => options.onDelivered?.(orderId),
      });
    } catch (error) {
      if (!signal.aborted) onError?.(error, { orderId, context: null });
      // What waiting mends is tried again.
      return !passes(error);
    }
  });

  /** What waits for this agent, whatever the feed told of it. */
  async function sweep(): Promise<void> {
    for (const status of ["started", "funded", "delivered"] as const) {
      for await (const order of client.orders.listReceived({ status, limit: 100 }, { signal })) {
        if (order.agent_id !== agentId) continue;
        if (status !== "delivered" || (signer && order.delivery_record === "none")) queue.add(order.id);
      }
    }
  }

  async function sweepOn(): Promise<void> {
    while (!signal.aborted) {
      try {
        await sweep();
      } catch (error) {
        if (!signal.aborted && !passes(error)) throw error;
      }
      await pause(sweepMs, signal).catch(() => {});
    }
  }

  async function follow(cursor: string | undefined): Promise<void> {
    const stream = client.events.follow({ cursor, onCursor: options.onCursor, types, signal });
    for await (const event of stream) {
      if (!("order" in event.data) || event.data.order.agent_id !== agentId) continue;
      queue.add(event.data.order.id, event.type === "order.revision_requested");
    }
  }

  try {
    // Before the orders are listed: what is funded meanwhile is then an event after it.
    const cursor = options.cursor ?? (await findEnd(client, signal));
    await Promise.all([sweepOn(), follow(cursor)]);
  } finally {
    stop.abort();
    await queue.drain();
  }
}

/** The present end of the feed; undefined where it is empty or the run was stopped. */
async function findEnd(client: BaseClient, signal: AbortSignal): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let more = true; more && !signal.aborted; ) {
    const page = await client.events.list({ cursor, type: types, limit: 100 }, { signal });
    cursor = page.next_cursor;
    more = page.has_more;
  }
  return cursor;
}

/** After so many milliseconds a node is asked once more whether an order has its money. */
const againMs = [1_000, 2_000, 4_000];

/**
 * Work is done for money that the chain has: with a node that is asked, else the service is believed.
 *
 * @throws ConnectionError where the node does not say
 */
async function checkFunded(
  agreed: AgreedOrder,
  signer: Signer | null,
  known: Known,
  signal: AbortSignal,
): Promise<void> {
  if (!signer) return;
  const { orderId, terms } = agreed;
  if (terms.provider !== signer.address) {
    throw new UntrustedOrderError(orderId, "agreement.provider", signer.address, terms.provider);
  }
  if (!signer.node) return;
  // A node may be away for a moment, or behind the service's.
  for (const wait of againMs) {
    if (signal.aborted) break;
    if (await hasMoney(agreed, signer, known).catch(passOver)) return;
    await pause(wait, signal).catch(() => {});
  }
  if (!(await hasMoney(agreed, signer, known))) {
    throw new UntrustedOrderError(orderId, "order.escrow.status", "an escrow on the chain", "none");
  }
}

async function hasMoney(agreed: AgreedOrder, signer: Signer, known: Known): Promise<boolean> {
  try {
    await compareKnown(agreed, signer.node, known);
    return await hasEscrow(agreed, signer);
  } catch (cause) {
    if (!(cause instanceof BaseError) || isContractAnswer(cause)) throw cause;
    const message = `The chain's node does not say whether ${agreed.orderId} is funded: ${cause.shortMessage}`;
    throw new ConnectionError(message, { idempotencyKey: null, attempts: 1, cause });
  }
}

function passOver(error: unknown): false {
  if (!passes(error)) throw error;
  return false;
}
