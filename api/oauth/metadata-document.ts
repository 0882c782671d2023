import { AsyncLocalStorage } from "node:async_hooks";
import { networkShare } from "../../trade/fair-shares/capacity-shares.ts";
import { type SendOptions, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";

/** The most bytes of a document, which the provider refuses too, and the most documents that are fetched at once. */
export const largestDocument = 5 * 1024;
export const mostAtOnce = 8;
const timeoutMs = 2500;

/** The source of documents in tests: DNS, certificates and addresses of their own. */
export type DocumentSource = Partial<Pick<SendOptions, "ca" | "lookup" | "policy">>;

/** The network of the request that a document is fetched for; null if it is unknown. The provider does not pass it on. */
export const requestNetwork = new AsyncLocalStorage<string | null>();

/**
 * Returns a `fetch` for documents at clients' ids. It follows no redirect, and connects to public addresses only. One
 * network has a share of the fetches, so that its slow documents leave places to others.
 *
 * @returns a function that throws for every failure
 */
export function createDocumentFetch(
  publicUrl: string,
  source: DocumentSource = {},
): (url: string | URL | Request) => Promise<Response> {
  const policy = policyOf(publicUrl);
  const open: (string | null)[] = [];
  return async (url) => {
    const network = requestNetwork.getStore() ?? null;
    const ofNetwork = network === null ? 0 : open.filter((other) => other === network).length;
    if (open.length >= mostAtOnce || ofNetwork >= networkShare(mostAtOnce)) {
      throw new Error("Too many documents of clients are fetched.");
    }
    open.push(network);
    try {
      const headers = { Accept: "application/json", "User-Agent": `Earnest-OAuth/1 (+${publicUrl})` };
      const maxResponseBytes = largestDocument + 1;
      const answer = await sendGuarded(String(url), {
        policy,
        method: "GET",
        headers,
        timeoutMs,
        maxResponseBytes,
        ...source,
      });
      if (!answer.ok) throw new Error(answer.message);
      if (answer.status !== 200) throw new Error(`The answer has the status ${answer.status}.`);
      if (answer.isTruncated) throw new Error("The document is too large.");
      const cacheControl = answer.headers["cache-control"];
      return new Response(Uint8Array.from(answer.bytes), {
        headers: cacheControl === undefined ? {} : { "cache-control": cacheControl },
      });
    } finally {
      open.splice(open.indexOf(network), 1);
    }
  };
}
