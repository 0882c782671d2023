import type { Logger } from "pino";
import { createProcessSlots, type Requester } from "../../trade/fair-shares/process-concurrency.ts";
import { isEnd, openPool } from "../../untrusted/schemas/thread-pool.ts";
import { ApiError } from "../http/api-error.ts";
import { requireSlot } from "../http/request-slots.ts";
import type { PdfDocument } from "./pdf-document.ts";

/** The most documents that are read, drawn or wait: of an account, and in this process. */
export const printerBounds = { account: 1, total: 16 } as const;

/** Milliseconds after which the drawing of a document is ended. The longest document takes a few seconds. */
const hardLimit = 30_000;

/** The megabytes of the thread. A document that needs more is ended. */
const memory = 256;

export type PdfPrinter = ReturnType<typeof createPdfPrinter>;

/**
 * Draws documents in one thread, which starts at the first document and ends after a minute without one.
 *
 * @param limit milliseconds of one drawing. The documents that wait before it do not count
 */
export function createPdfPrinter(
  log: Pick<Logger, "warn">,
  isParty: (accountId: string) => Promise<boolean>,
  limit = hardLimit,
) {
  const filename = new URL("./pdf-thread.ts", import.meta.url).href;
  const pool = openPool({ filename, threads: 1, memory }, log);
  const places = createProcessSlots(printerBounds, isParty);
  let last: Promise<unknown> = Promise.resolve();

  return { print, close: () => pool.destroy() };

  /**
   * Reads a document and draws it. Its account has a place before the document is read.
   *
   * @throws ApiError `rate_limited` if too many documents wait, `dependency_unavailable` if the drawing takes too long
   */
  async function print<Read extends { document: PdfDocument }>(
    requester: Requester,
    read: () => Promise<Read>,
  ): Promise<Read & { file: Uint8Array<ArrayBuffer> }> {
    const message = "Too many documents are being drawn: at most one of an account. Wait until it has ended.";
    const place = requireSlot(await places.enter(requester), message, 2);
    try {
      const found = await read();
      const drawn = last.then(() => drawInThread(found.document));
      last = drawn.catch(() => {});
      return { ...found, file: await drawn };
    } finally {
      place.leave();
    }
  }

  async function drawInThread(document: PdfDocument): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await pool.run(document, { signal: AbortSignal.timeout(limit) });
    } catch (error) {
      if (!isEnd(error)) throw error;
      throw new ApiError("dependency_unavailable", "The document takes too long to draw. Read it as CSV.");
    }
  }
}
