import type { Logger } from "pino";
import { isEnd, openPool } from "../../untrusted/schemas/thread-pool.ts";
import { ApiError } from "../http/api-error.ts";
import type { PrintedPaper } from "./printed-paper.ts";

/** The most papers that are drawn or wait: of an account, and in this process. */
export const printerBounds = { account: 2, process: 16 } as const;

/** Milliseconds after which the drawing of a paper is ended. The longest paper takes a few seconds. */
const hardLimit = 30_000;

/** The megabytes of the thread. A paper that needs more is ended. */
const memory = 256;

export type PaperPrinter = ReturnType<typeof createPaperPrinter>;

/** Draws papers in one thread, which starts at the first paper and ends after a minute without one. */
export function createPaperPrinter(log: Pick<Logger, "warn">) {
  const filename = new URL("./paper-thread.ts", import.meta.url).href;
  const pool = openPool({ filename, threads: 1, memory }, log);
  const waiting = new Map<string, number>();
  let total = 0;

  return { print, close: () => pool.destroy() };

  /** @throws ApiError `rate_limited` if too many papers wait, `dependency_unavailable` if the drawing takes too long */
  async function print(accountId: string, paper: PrintedPaper): Promise<Uint8Array<ArrayBuffer>> {
    const own = waiting.get(accountId) ?? 0;
    if (own >= printerBounds.account || total >= printerBounds.process) {
      throw new ApiError(
        "rate_limited",
        `Too many papers are being drawn: at most ${printerBounds.account} of an account. Wait until one has ended.`,
        undefined,
        2,
      );
    }
    waiting.set(accountId, own + 1);
    total += 1;
    try {
      return await pool.run(paper, { signal: AbortSignal.timeout(hardLimit) });
    } catch (error) {
      if (!isEnd(error)) throw error;
      throw new ApiError("dependency_unavailable", "The paper takes too long to draw. Read it as CSV.");
    } finally {
      total -= 1;
      const left = (waiting.get(accountId) ?? 1) - 1;
      if (left > 0) waiting.set(accountId, left);
      else waiting.delete(accountId);
    }
  }
}
