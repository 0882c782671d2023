import { Readable, Transform } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import type { Context as HonoContext } from "hono";
import { refuseStoreUnavailable } from "../../trade/files/open-store.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { originOf } from "./client-address.ts";
import { createRequestSlots, requireSlot } from "./request-slots.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/** Stored bytes that are to be sent. */
type Download = {
  /** the account that the bytes count for */
  accountId: string;
  size: number;
  status: 200 | 206;
  headers: Record<string, string>;
  open: () => Promise<Readable>;
};

/**
 * Sends stored bytes.
 *
 * @throws ApiError `rate_limited` if too many downloads run, or too many bytes were sent; Refusal `dependency_unavailable`
 */
export type SendBytes = (c: RequestContext, download: Download) => Promise<Response>;

/** Seconds after which a download without a free slot may be tried again. */
const retrySeconds = 5;

/**
 * Makes the function that sends the bytes of files. All downloads share the slots of the process. The bytes are counted
 * before the first is sent, and a reader that takes them too slowly is cut.
 */
export function createByteSender(
  { db, config, log }: Pick<Context, "db" | "config" | "log">,
  countDownload: (c: RequestContext, accountId: string, bytes: number) => Promise<void>,
): SendBytes {
  const bounds = config.files.downloads;
  const slots = createRequestSlots(db, bounds);

  return async (c, { accountId, size, status, headers: own, open }) => {
    const headers = { ...own, "Content-Length": String(size) };
    // Hono answers HEAD by the route of GET, and drops the body.
    if (c.req.raw.method === "HEAD") return c.body(null, status, headers);
    const message = "Too many downloads run at once. Wait until one has ended.";
    const slot = requireSlot(await slots.enter({ accountId, ...originOf(c) }), message, retrySeconds);
    try {
      await countDownload(c, accountId, size);
      const source = await open().catch((error: unknown) => {
        log.warn({ err: error }, "the store of files failed");
        throw refuseStoreUnavailable();
      });
      const sent = watch(c, source).once("close", () => slot.leave());
      c.set("isCharged", true);
      return c.body(Readable.toWeb(sent) as ReadableStream<Uint8Array>, status, headers);
    } catch (error) {
      slot.leave();
      throw error;
    }
  };

  /** Passes bytes on while the reader takes them fast enough. The connection is cut otherwise, and when the store fails. */
  function watch(c: RequestContext, source: Readable): Transform {
    let passed = 0;
    const sent = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        passed += chunk.length;
        done(null, chunk);
      },
    });
    const cut = (why: string, error?: unknown) => {
      log.info({ why, err: error }, "download ended");
      const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
      if (outgoing) outgoing.destroy();
      else sent.destroy();
    };
    let before = 0;
    const pace = setInterval(() => {
      if (passed - before < bounds.least) cut("the reader was too slow");
      before = passed;
    }, bounds.seconds * 1000);
    const end = setTimeout(() => cut("it took too long"), bounds.lifetime * 1000);
    sent.once("close", () => {
      clearInterval(pace);
      clearTimeout(end);
      source.destroy();
    });
    source.once("error", (error) => cut("the store failed", error));
    return source.pipe(sent);
  }
}
