import type { Client, Dispatcher } from "undici";

/** What came back, with as much of its body as was asked for. */
export interface Asked {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether the body went on after the limit; the connection has the rest of it before it, and is of no more use. */
  truncated: boolean;
}

/**
 * One request on a connection, read as it comes. `client.request` would make a stream of each answer, of which most have no
 * body at all.
 *
 * @param limit bytes of the body; the rest is not waited for
 * @param heard called when status and headers are there
 */
export function ask(
  client: Client,
  request: Dispatcher.DispatchOptions,
  limit: number,
  heard: (status: number) => void,
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let status = 0;
    let headers = {};
    const end = (truncated: boolean) =>
      resolve({ status, headers, body: decode(chunks, truncated), truncated });
    client.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_, code, found) => {
        // An interim answer: the answer itself follows.
        if (code < 200) return;
        status = code;
        headers = joinHeaders(found);
        heard(code);
      },
      onResponseData: (_, chunk) => {
        if (size > limit) return;
        chunks.push(chunk.subarray(0, limit - size));
        size += chunk.length;
        if (size > limit) end(true);
      },
      onResponseEnd: () => end(false),
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** As UTF-8; of a body that was cut without the half of a character at its end. */
function decode(chunks: readonly Uint8Array[], isCut: boolean): string {
  if (chunks.length === 0) return "";
  return new TextDecoder().decode(Buffer.concat(chunks), { stream: isCut }).replaceAll("\0", "\ufffd");
}

function joinHeaders(found: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
