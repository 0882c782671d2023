import { type LogErrorCode, LogRejection } from "./errors.ts";

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
  const base = prefix.replace(/\/*$/, "/");
  return async (path, maxBytes) => {
    const url = base + path;
    const { status, bytes } = await fetchAnswer(url, maxBytes, options, "tile_unavailable");
    if (status !== 200) throw new LogRejection("tile_unavailable", `${url}: it answers ${status}.`);
    return bytes;
  };
}

/** One bounded answer, whatever its status; throws a `LogRejection` where there is none, and for a redirect. */
export async function fetchAnswer(
  url: string,
  maxBytes: number,
  { timeoutMs = 5000, fetch: load = fetch }: FetchOptions,
  code: LogErrorCode = "log_unavailable",
): Promise<{ status: number; bytes: Uint8Array }> {
  try {
    // "manual" and not "error": the answer then says that it was a redirect.
    const response = await load(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return { status: 200, bytes: await readBytes(response, maxBytes) };
    response.body?.cancel().catch(() => {});
    if (response.type === "opaqueredirect") throw new Error("it redirects");
    return { status: response.status, bytes: new Uint8Array() };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const reason = late ? `no answer within ${timeoutMs} ms` : error instanceof Error ? error.message : error;
    throw new LogRejection(code, `${url}: ${reason}.`);
  }
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
