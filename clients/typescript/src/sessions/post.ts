import http, { type IncomingMessage } from "node:http";
import https from "node:https";

export type Posted = { status: number; header: (name: string) => string; bytes: Buffer };

/** The response has more bytes than allowed. */
export class ResponseTooLarge extends Error {}

/** Connections are kept between calls. */
const agents = {
  "http:": new http.Agent({ keepAlive: true }),
  "https:": new https.Agent({ keepAlive: true }),
};

/**
 * Posts a body and reads the response. Follows no redirect. Node's `http` takes a third of the processor time of `fetch`, which
 * is much of a call.
 *
 * @throws ResponseTooLarge, or an error of the connection, also after `timeoutMs`
 */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: Uint8Array,
  { maxBytes, timeoutMs, signal }: { maxBytes: number; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Posted> {
  const protocol = url.protocol === "https:" ? "https:" : "http:";
  return await new Promise((resolve, reject) => {
    const request = (protocol === "https:" ? https : http).request(
      url,
      {
        method: "POST",
        agent: agents[protocol],
        headers: { ...headers, "content-length": body.length },
        ...(signal ? { signal } : {}),
      },
      read,
    );
    const timer = setTimeout(() => request.destroy(new Error(`No answer in ${timeoutMs} ms.`)), timeoutMs);
    request.on("error", fail);
    request.end(body);

    function read(response: IncomingMessage): void {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) request.destroy(new ResponseTooLarge());
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        const header = (name: string) => String(response.headers[name] ?? "");
        resolve({ status: response.statusCode ?? 0, header, bytes });
      });
    }

    function fail(error: unknown): void {
      clearTimeout(timer);
      reject(error);
    }
  });
}
