import { LogRejection } from "./errors.ts";

/**
 * Gives the bytes below a log's prefix, such as `tile/0/000`, up to a size that is then the whole answer's bound. Throws
 * anything where there are none.
 */
export type FetchBytes = (path: string, maxBytes: number) => Promise<Uint8Array>;

export interface FetchOptions {
  fetch?: typeof fetch;
  /** Time for each answer; 5 seconds unless told. */
  timeoutMs?: number;
}

/** Reads a log over HTTP: no redirects, a bounded time and size. Failures are `tile_unavailable`. */
export function fetchFrom(prefix: string, options: FetchOptions = {}): FetchBytes {
  const { timeoutMs = 5000, fetch: load = fetch } = options;
  const base = prefix.replace(/\/*$/, "/");
  return async (path, maxBytes) => {
    const url = base + path;
    try {
      // "manual" and not "error": the answer then says that it was a redirect.
      const response = await load(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      if (response.status !== 200) {
        response.body?.cancel().catch(() => {});
        const what = response.type === "opaqueredirect" ? "redirects" : `answers ${response.status}`;
        throw new Error(`it ${what}`);
      }
      return await readBytes(response, maxBytes);
    } catch (error) {
      const late = error instanceof Error && error.name === "TimeoutError";
      const reason = late
        ? `no answer within ${timeoutMs} ms`
        : error instanceof Error
          ? error.message
          : error;
      throw new LogRejection("tile_unavailable", `${url}: ${reason}.`);
    }
  };
}

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength;
    if (size > maxBytes) {
      reader?.cancel().catch(() => {});
      throw new Error(`it is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
