import type { Logger } from "pino";
import { createProcessSlots, type Requester } from "../../trade/totals/process-slots.ts";
import { isEnd, openPool } from "../../untrusted/schemas/thread-pool.ts";
import { ApiError } from "../http/api-error.ts";
import type { PrintedPaper } from "./printed-paper.ts";

/** The most papers that are read, drawn or wait: of an account, and in this process. */
export const printerBounds = { account: 1, total: 16 } as const;

/** Milliseconds after which the drawing of a paper is ended. The longest paper takes a few seconds. */
const hardLimit = 30_000;

/** The megabytes of the thread. A paper that needs more is ended. */
const memory = 256;

export type PaperPrinter = ReturnType<typeof createPaperPrinter>;

/**
 * Draws papers in one thread, which starts at the first paper and ends after a minute without one.
 *
 * @param limit milliseconds of one drawing. The papers that wait before it do not count
 */
export function createPaperPrinter(
  log: Pick<Logger, "warn">,
  isParty: (accountId: string) => Promise<boolean>,
  limit = hardLimit,
) {
  const filename = new URL("./paper-thread.ts", import.meta.url).href;
  const pool = openPool({ filename, threads: 1, memory }, log);
  const places = createProcessSlots(printerBounds, isParty);
  let last: Promise<unknown> = Promise.resolve();

  return { print, close: () => pool.destroy() };

  /**
   * Reads a paper and draws it. Its account has a place before the paper is read.
   *
   * @throws ApiError `rate_limited` if too many papers wait, `dependency_unavailable` if the drawing takes too long
   */
  async function print<Read extends { paper: PrintedPaper }>(
    requester: Requester,
    read: () => Promise<Read>,
  ): Promise<Read & { file: Uint8Array<ArrayBuffer> }> {
    const place = await places.enter(requester);
    if ("full" in place) {
      throw new ApiError(
        "rate_limited",
        "Too many papers are being drawn: at most one of an account. Wait until it has ended.",
        undefined,
        2,
      );
    }
    try {
      const found = await read();
      const drawn = last.then(() => draw(found.paper));
      last = drawn.catch(() => {});
      return { ...found, file: await drawn };
    } finally {
      place.leave();
    }
  }

  async function draw(paper: PrintedPaper): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await pool.run(paper, { signal: AbortSignal.timeout(limit) });
    } catch (error) {
      if (!isEnd(error)) throw error;
      throw new ApiError("dependency_unavailable", "The paper takes too long to draw. Read it as CSV.");
    }
  }
}
