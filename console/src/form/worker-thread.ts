/** The most milliseconds of a check. The service checks everything again. */
const longestMs = 1_500;

/** Trusted Types, which Chromium requires for script URLs. Other browsers take the plain URL. */
type Policies = {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string };
  };
};
const addresses = new Set<string>();
const policy = (globalThis as Policies).trustedTypes?.createPolicy("earnest", {
  createScriptURL: (url) => {
    // The URL is none of the page's own workers.
    if (!addresses.has(url)) throw new TypeError(url);
    return url;
  },
});

type RequestMessage<Request> = { id: number; request: Request };
type ReplyMessage<Reply> = { id: number; reply: Reply };

/**
 * Creates a Web Worker that answers requests. Untrusted input may make it run forever: it is then terminated and replaced.
 *
 * @param path the path that Vite's `?worker&url` import returns
 * @returns sends one request; the reply is null if it takes too long
 */
export function createThread<Request, Reply>(path: string): (request: Request) => Promise<Reply | null> {
  const address = new URL(path, import.meta.url).href;
  addresses.add(address);
  let worker: Worker | undefined;
  let last = 0;
  return (request) => {
    worker ??= new Worker(policy ? policy.createScriptURL(address) : address, { type: "module" });
    const thread = worker;
    const id = ++last;
    return new Promise((resolve) => {
      const settle = (reply: Reply | null) => {
        clearTimeout(timer);
        thread.removeEventListener("message", onMessage);
        resolve(reply);
      };
      const onMessage = ({ data }: MessageEvent<ReplyMessage<Reply>>) => data.id === id && settle(data.reply);
      const timer = setTimeout(() => {
        thread.terminate();
        if (worker === thread) worker = undefined;
        settle(null);
      }, longestMs);
      thread.addEventListener("message", onMessage);
      thread.postMessage({ id, request } satisfies RequestMessage<Request>);
    });
  };
}

/** Answers all requests of a Web Worker, one after another. */
export function answerAll<Request, Reply>(answer: (request: Request) => Reply): void {
  self.onmessage = ({ data: { id, request } }: MessageEvent<RequestMessage<Request>>) => {
    self.postMessage({ id, reply: answer(request) } satisfies ReplyMessage<Reply>);
  };
}
