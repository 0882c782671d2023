import type { Logger } from "pino";
import { createClient, http } from "viem";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Chain } from "../config.ts";
import { createLookTimes } from "./look-times.ts";

const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const hash = z.string().regex(/^0x[0-9a-f]{64}$/i);
/** A block's header as a node says it: what Ponder needs of it, and whatever else there is. */
const header = z
  .looseObject({
    ...{ hash, parentHash: hash, number: hex, timestamp: hex, logsBloom: hex },
    ...{ transactionsRoot: hash.optional(), receiptsRoot: hash.optional() },
  })
  // With its transactions, or none of them, Ponder would take it for a whole block.
  .transform(({ transactions: _, ...head }) => head);
export type Head = z.infer<typeof header>;

/** What a node says on a socket: the answer to our one request, or a head. */
const message = z.union([
  z.object({ id: z.literal(1), result: z.string() }),
  z.object({
    method: z.literal("eth_subscription"),
    params: z.object({ subscription: z.string(), result: header }),
  }),
]);

/** Milliseconds of silence of the socket until there is a look: it finds a socket that lies still. */
const lookEvery = 2000;
/** Milliseconds for an answer of the node. */
const patience = 10_000;
/** Milliseconds until a socket is tried again, at first and at most. */
const firstRest = 500;
const longestRest = 30_000;
/** Milliseconds for which a node has to say that its chain is shorter than it was. */
const shorterFor = 1000;
/** The longest message that a node may send, in bytes: a header has at most a few thousand. */
const longestMessage = 256 * 1024;

export type Following = Pick<Chain, "chain_id" | "rpc_url" | "ws_url" | "polling_interval">;

/**
 * Follows the newest block of a chain until the signal: by the node's WebSocket, where it has one, and by looking once in
 * each polling interval where it has none, or while that socket is down or lies still. A socket that was lost is opened
 * again and again.
 *
 * @param tell is given each new head once; also one of the same height or, where the chain has grown shorter, below
 */
export function followHead(
  chain: Following,
  tell: (head: Head) => void,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const { chain_id, rpc_url, ws_url, polling_interval } = chain;
  const about = { chain_id, part: "heads" };
  const node = createClient({ transport: http(rpc_url, { retryCount: 0, timeout: patience }) });
  let told: Head | undefined;
  /** the socket that tells of heads, if one does */
  let live: WebSocket | undefined;
  /** after one that lay still, another has to tell of a head first */
  let isTrusted = true;
  /** how many heads came by sockets */
  let pushed = 0;
  /** how many of them were new: one that says what is known, again and again, is no better than one that lies still */
  let taken = 0;
  let shorterSince: number | undefined;
  const lookTimes = createLookTimes(polling_interval);
  let look = () => {};
  let mustLook = true;

  /** @returns whether it was new */
  function take(head: Head): boolean {
    shorterSince = undefined;
    if (head.hash === told?.hash) return false;
    told = head;
    tell(head);
    return true;
  }

  const isShorter = (head: Head) => told !== undefined && BigInt(head.number) < BigInt(told.number);

  /** Looks by HTTP. An answer that a socket overtook says nothing. */
  async function readHead(): Promise<void> {
    const before = taken;
    const head = header.parse(
      await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] } as never),
    );
    if (taken !== before || signal.aborted || head.hash === told?.hash) return;
    if (isShorter(head)) {
      // One of several nodes behind one name may lag: what it does not know yet is not undone for that.
      shorterSince ??= performance.now();
      if (performance.now() - shorterSince < shorterFor) return;
    }
    // The socket says nothing of what is there.
    const silent = live && told ? live : undefined;
    take(head);
    lookTimes.find({ number: BigInt(head.number), timestamp: BigInt(head.timestamp) });
    if (silent) await giveUpIfStill(silent);
  }

  /** A socket that has not told of a head by the next look is no use. */
  async function giveUpIfStill(socket: WebSocket): Promise<void> {
    const before = pushed;
    await wait(lookEvery / 2);
    if (pushed !== before || live !== socket || signal.aborted) return;
    log.warn(about, "the node's WebSocket says nothing of new blocks: it is opened anew");
    isTrusted = false;
    socket.terminate();
  }

  async function keepLooking(): Promise<void> {
    let failures = 0;
    let known = 0;
    while (!signal.aborted) {
      const began = performance.now();
      // A socket that told of a head since the last time does not lie still.
      const isTold = live !== undefined && taken > known;
      known = taken;
      try {
        if (mustLook || !isTold) {
          mustLook = false;
          lookTimes.look(began);
          await readHead();
        }
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn({ ...about, err: error }, "the node does not say its newest block");
      }
      const next = live ? began + Math.max(lookEvery, polling_interval) : lookTimes.next();
      await wait(next - performance.now(), (end) => {
        look = () => {
          mustLook = true;
          end();
        };
      });
    }
  }

  async function keepSubscribed(url: string): Promise<void> {
    let rest = firstRest;
    while (!signal.aborted) {
      const before = pushed;
      await subscribe(url);
      if (signal.aborted) return;
      look();
      rest = pushed > before ? firstRest : Math.min(2 * rest, longestRest);
      await wait(rest);
    }
  }

  /** Ends with the socket. */
  function subscribe(url: string): Promise<void> {
    const socket = new WebSocket(url, {
      handshakeTimeout: patience,
      maxPayload: longestMessage,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const end = () => socket.terminate();
    signal.addEventListener("abort", end, { once: true });
    const late = setTimeout(end, patience);
    let subscription: string | undefined;
    socket.on("open", () =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })),
    );
    socket.on("message", (data) => {
      const said = readMessage(String(data));
      if (!said) {
        log.warn(about, "the node's WebSocket says what is no head: it is opened anew");
        return end();
      }
      if ("result" in said) {
        clearTimeout(late);
        subscription = said.result;
        if (isTrusted) live = socket;
        // What came before it was subscribed to.
        look();
      } else if (said.params.subscription === subscription) {
        pushed += 1;
        isTrusted = true;
        live = socket;
        // The blocks of another branch come one by one: the last of them counts.
        if (isShorter(said.params.result)) return;
        if (take(said.params.result)) taken += 1;
      }
    });
    return new Promise((resolve) => {
      socket.on("error", (error) => log.warn({ ...about, err: error }, "the node's WebSocket is lost"));
      socket.on("close", () => {
        clearTimeout(late);
        signal.removeEventListener("abort", end);
        if (live === socket) live = undefined;
        resolve();
      });
    });
  }

  /** @param keep is given what ends the wait early */
  async function wait(milliseconds: number, keep?: (end: () => void) => void): Promise<void> {
    if (signal.aborted || milliseconds <= 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      // A part of a millisecond would be left out, and a look that is early finds nothing.
      const timer = setTimeout(end, Math.ceil(milliseconds));
      signal.addEventListener("abort", end, { once: true });
      keep?.(end);
    });
  }

  return Promise.all([keepLooking(), ws_url ? keepSubscribed(ws_url) : null]).then(() => undefined);
}

function readMessage(text: string): z.infer<typeof message> | null {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
