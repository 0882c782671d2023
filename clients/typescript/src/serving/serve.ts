import { BaseError } from "viem";
import { isContractAnswer } from "../../../../protocol/settlement/contract-answers.ts";
import type { BaseClient } from "../base-client.ts";
import { type AgreedOrder, compareKnown, type Known } from "../buying/agreement-check.ts";
import { UntrustedOrderError } from "../buying/errors.ts";
import { hasEscrow } from "../buying/escrow-on-chain.ts";
import { type Nodes, type OrderWallet, Signer } from "../buying/wallet.ts";
import { ConnectionError } from "../core/errors.ts";
import { path } from "../core/path.ts";
import { isTemporary, pause } from "../core/retry.ts";
import type { FollowOptions } from "../follow-options.ts";
import type { Agent, EventType } from "../generated/types.ts";
import { Queue } from "./order-queue.ts";
import { type Handler, type HandlerContext, workOn } from "./order-work.ts";

/** The handler of each service of the agent, by slug. The input matches the service's `input_schema`. */
export type Handlers<Inputs> = { [Service in keyof Inputs]: Handler<Inputs[Service]> };

export interface ServeOptions extends Known {
  /** The agent's payout wallet, which signs the delivery records. Without it, no delivery is recorded on the chain. */
  wallet?: OrderWallet;
  /**
   * A viem public client, for a wallet that is only an account. It checks on the chain that orders are funded. A list has a
   * node of each chain.
   */
  node?: Nodes;
  /** The most orders at once. Default: 4. */
  concurrency?: number;
  /** The most calls of a handler for an order in this run. Default: 3. */
  attempts?: number;
  /** Stops the run. It takes no more orders and finishes those it has started. */
  signal?: AbortSignal;
  /** The cursor of an earlier run, which saves reads for an account with many events. Nothing is lost without it. */
  cursor?: FollowOptions["cursor"];
  onCursor?: FollowOptions["onCursor"];
  /** A callback for errors of a handler, of its output, or of an order. */
  onError?: (error: unknown, about: { orderId: string; context: HandlerContext | null }) => void;
  /** A callback for each delivery. */
  onDelivered?: (orderId: string) => void;
}

const types: EventType[] = ["order.funded", "order.revision_requested", "order.part_released"];

/** Milliseconds between two listings of all open orders, independent of the feed. */
const sweepMs = 60_000;

/**
 * Runs a provider until its signal aborts: takes the agent's funded orders from the feed, starts them, calls their handlers,
 * delivers, and signs the delivery records. Orders of an earlier run come first. Run one process for each agent.
 *
 * @throws permanent errors, such as a revoked key
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
        check: async (agreed) => checkFunded(agreed, await signer?.on(agreed.chainId), options, signal),
        onError: (error, context) => onError?.(error, { orderId, context }),
        onDelivered: () => options.onDelivered?.(orderId),
      });
    } catch (error) {
      if (!signal.aborted) onError?.(error, { orderId, context: null });
      // A temporary error is retried.
      return !isTemporary(error);
    }
  });

  /** Adds all open orders of the agent, independent of the feed. */
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
        if (!signal.aborted && !isTemporary(error)) throw error;
      }
      await pause(sweepMs, signal).catch(() => {});
    }
  }

  async function follow(cursor: string | undefined): Promise<void> {
    const stream = client.events.follow({ cursor, onCursor: options.onCursor, types, signal });
    for await (const event of stream) {
      if (!("order" in event.data) || event.data.order.agent_id !== agentId) continue;
      queue.add(event.data.order.id, event.type !== "order.funded");
    }
  }

  try {
    // Read before the orders are listed, so that an order that is funded meanwhile has a later event.
    const cursor = options.cursor ?? (await findEnd(client, signal));
    await Promise.all([sweepOn(), follow(cursor)]);
  } finally {
    stop.abort();
    await queue.drain();
  }
}

/** Returns the cursor of the feed's end; undefined if it is empty or the run was stopped. */
export async function findEnd(client: BaseClient, signal: AbortSignal): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let more = true; more && !signal.aborted; ) {
    const page = await client.events.list({ cursor, type: types, limit: 100 }, { signal });
    cursor = page.next_cursor;
    more = page.has_more;
  }
  return cursor;
}

/** The milliseconds between checks whether an order is funded on the chain. */
const recheckMs = [1_000, 2_000, 4_000];

/**
 * Checks on the chain that the order is funded. Without a node, the service's status counts.
 *
 * @throws ConnectionError if the node does not answer
 */
export async function checkFunded(
  agreed: AgreedOrder,
  signer: Signer | undefined,
  known: Known,
  signal: AbortSignal,
): Promise<void> {
  if (!signer) return;
  const { orderId, terms } = agreed;
  if (terms.provider !== signer.address) {
    throw new UntrustedOrderError(orderId, "agreement.provider", signer.address, terms.provider);
  }
  if (!signer.node) return;
  // The node may be unavailable for a moment, or behind the service's.
  for (const wait of recheckMs) {
    if (signal.aborted) break;
    if (await hasMoney(agreed, signer, known).catch(ignoreTemporary)) return;
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
    const message = `The node did not answer whether ${agreed.orderId} is funded: ${cause.shortMessage}`;
    throw new ConnectionError(message, { idempotencyKey: null, attempts: 1, cause });
  }
}

function ignoreTemporary(error: unknown): false {
  if (!isTemporary(error)) throw error;
  return false;
}
