import { type LogErrorCode, LogRejection } from "./errors.ts";

/**
 * Fetches the bytes at a path below a log's prefix, such as `tile/0/000`. Throws any error if they are not available or
 * exceed `maxBytes`.
 */
export type FetchBytes = (path: string, maxBytes: number) => Promise<Uint8Array>;

export interface FetchOptions {
  fetch?: typeof fetch;
  /** Time limit of each response; 5 seconds by default. */
  timeoutMs?: number;
}

/** Returns a reader of a log over HTTP. It follows no redirect and bounds time and size. Throws `tile_unavailable`. */
export function fetchFrom(prefix: string, options: FetchOptions = {}): FetchBytes {
  const base = prefix.replace(/\/*$/, "/");
  return async (path, maxBytes) => {
    const url = base + path;
    const { status, bytes } = await fetchAnswer(url, maxBytes, options, "tile_unavailable");
    if (status !== 200) throw new LogRejection("tile_unavailable", `${url}: the status is ${status}.`);
    return bytes;
  };
}

/** Fetches one bounded response of any status. Throws a `LogRejection` if there is no response, or a redirect. */
export async function fetchAnswer(
  url: string,
  maxBytes: number,
  { timeoutMs = 5000, fetch: load = fetch }: FetchOptions,
  code: LogErrorCode = "log_unavailable",
): Promise<{ status: number; bytes: Uint8Array }> {
  try {
    // "manual" reports a redirect as such; "error" would report a network error.
    const response = await load(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return { status: 200, bytes: await readBytes(response, maxBytes) };
    response.body?.cancel().catch(() => {});
    if (response.type === "opaqueredirect") throw new Error("redirects are not followed");
    return { status: response.status, bytes: new Uint8Array() };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const reason = late
      ? `no response within ${timeoutMs} ms`
      : error instanceof Error
        ? error.message
        : error;
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
      throw new Error(`the response exceeds ${maxBytes} bytes`);
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
