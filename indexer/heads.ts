import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { type Following, followHead, type Head } from "./follow-head.ts";

/** Where the heads of each chain are told, by its id. */
const places = new Map<number, string>();

/** Readers of one chain at once: there is one, and one that it has left. */
const mostReaders = 4;

/** The root of a trie that holds nothing. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
/** A filter that holds no event of ours in likelihood, and is not the one of zeros: of that Ponder believes nothing. */
const noBloom = `0x${"0".repeat(511)}1`;

/**
 * A head as Ponder is told of it. Some chains give each block a filter of zeros, so Ponder reads the whole block and its logs
 * where it sees one. Where a block has no transactions, nothing is to be read.
 */
export function headForPonder(head: Head): Head {
  const isEmpty =
    /^0x0*$/.test(head.logsBloom) && head.transactionsRoot === emptyRoot && head.receiptsRoot === emptyRoot;
  return isEmpty ? { ...head, logsBloom: noBloom } : head;
}

/** Where this process tells Ponder of a chain's new blocks; undefined where it does not. */
export function headsUrl(chainId: number): string | undefined {
  return places.get(chainId);
}

const request = z.object({ id: z.number(), method: z.string() });

/**
 * Tells Ponder of each chain's new blocks, on this machine alone, in the way in which a node's own WebSocket would.
 *
 * Ponder gives a node's socket up for good after a few errors, waits for ever at one that lies still, and does not see
 * what is there before the next block comes. The one that it has here lives as long as this process.
 */
export async function serveHeads(chains: readonly Following[], log: Logger): Promise<void> {
  // Until the process ends.
  const { signal } = new AbortController();
  for (const chain of chains) {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: 16_384 });
    await once(server, "listening");
    const readers = new Set<WebSocket>();
    let newest: Head | undefined;
    const send = (reader: WebSocket, head: Head) =>
      reader.send(
        JSON.stringify({
          jsonrpc: "2.0",
          method: "eth_subscription",
          params: { subscription: "0x1", result: head },
        }),
      );
    server.on("connection", (reader) => {
      reader.on("error", () => reader.terminate());
      reader.on("close", () => readers.delete(reader));
      if (readers.size >= mostReaders) return reader.close();
      reader.on("message", (data) => {
        const id = readSubscription(String(data));
        if (id === null) return reader.close();
        reader.send(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
        readers.add(reader);
        if (newest) send(reader, newest);
      });
    });
    const tell = (told: Head) => {
      const head = headForPonder(told);
      newest = head;
      for (const reader of readers) send(reader, head);
    };
    followHead(chain, tell, { log, signal }).catch((error: unknown) =>
      log.error({ err: error, chain_id: chain.chain_id }, "the chain's newest block is not followed"),
    );
    places.set(chain.chain_id, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
}

/** The number of a request to subscribe; null where it is anything else. */
function readSubscription(text: string): number | null {
  try {
    const { id, method } = request.parse(JSON.parse(text));
    return method === "eth_subscribe" ? id : null;
  } catch {
    return null;
  }
}
