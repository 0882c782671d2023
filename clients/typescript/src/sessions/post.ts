import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isPrivateHost, lookupPublic, PrivateAddressError } from "./public-addresses.ts";

export type Posted = { status: number; header: (name: string) => string; bytes: Buffer };

/** The response has more bytes than allowed. */
export class ResponseTooLarge extends Error {}

export interface PostLimits {
  maxBytes: number;
  timeoutMs: number;
  /** Whether the URL may lead into a private network. */
  allowPrivate: boolean;
  signal?: AbortSignal | undefined;
}

/** Connections are kept between calls. Each address is checked when it is connected to. */
const publicAgents = {
  "http:": new http.Agent({ keepAlive: true, lookup: lookupPublic }),
  "https:": new https.Agent({ keepAlive: true, lookup: lookupPublic }),
};
const anyAgents = {
  "http:": new http.Agent({ keepAlive: true }),
  "https:": new https.Agent({ keepAlive: true }),
};

/**
 * Posts a body and reads the response. Follows no redirect. Node's `http` takes a third of the processor time of `fetch`, which
 * is much of a call.
 *
 * @throws ResponseTooLarge, PrivateAddressError, or an error of the connection, also after `timeoutMs`
 */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: Uint8Array,
  { maxBytes, timeoutMs, allowPrivate, signal }: PostLimits,
): Promise<Posted> {
  if (!allowPrivate && isPrivateHost(url.hostname)) throw new PrivateAddressError(url.hostname);
  const protocol = url.protocol === "https:" ? "https:" : "http:";
  return await new Promise((resolve, reject) => {
    const request = (protocol === "https:" ? https : http).request(
      url,
      {
        method: "POST",
        agent: (allowPrivate ? anyAgents : publicAgents)[protocol],
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
