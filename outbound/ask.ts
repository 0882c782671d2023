import type { Client, Dispatcher } from "undici";

/** What came back, with as much of its body as was asked for. */
export interface Asked {
  status: number;
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL. */
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
    // Made for the first piece alone. Pieces are decoded as they come: kept, a body of single bytes would take many times its size.
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let text = "";
    let size = 0;
    let status = 0;
    let headers = {};
    const end = (truncated: boolean) => {
      // Of a body that was cut the half of a character at its end is left out.
      if (!truncated) text += decoder?.decode() ?? "";
      resolve({ status, headers, body: text.replaceAll("\0", "\ufffd"), truncated });
    };
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
        decoder ??= new TextDecoder();
        text += decoder.decode(chunk.subarray(0, limit - size), { stream: true });
        size += chunk.length;
        if (size > limit) end(true);
      },
      onResponseEnd: () => end(false),
      onResponseError: (_, error) => reject(error),
    });
  });
}

function joinHeaders(found: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
