/** Longer than this no check takes, in milliseconds; the service checks as well. */
const longestMs = 1_500;

/** Chromium's word for what may become a script (Trusted Types); other browsers take the address itself. */
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
    if (!addresses.has(url)) throw new TypeError("This page runs its own threads, and not this one.");
    return url;
  },
});

type Question<Asked> = { id: number; asked: Asked };
type Reply<Told> = { id: number; told: Told };

/**
 * A thread that answers questions. What a stranger wrote may take it for ever: it is ended then, and begun anew.
 *
 * @param path as `?worker&url` gives it
 * @returns asks one question; the answer is null where it took too long
 */
export function createThread<Asked, Told>(path: string): (asked: Asked) => Promise<Told | null> {
  const address = new URL(path, import.meta.url).href;
  addresses.add(address);
  let worker: Worker | undefined;
  let last = 0;
  return (asked) => {
    worker ??= new Worker(policy ? policy.createScriptURL(address) : address, { type: "module" });
    const thread = worker;
    const id = ++last;
    return new Promise((resolve) => {
      const end = (told: Told | null) => {
        clearTimeout(timer);
        thread.removeEventListener("message", hear);
        resolve(told);
      };
      const hear = ({ data }: MessageEvent<Reply<Told>>) => data.id === id && end(data.told);
      const timer = setTimeout(() => {
        thread.terminate();
        if (worker === thread) worker = undefined;
        end(null);
      }, longestMs);
      thread.addEventListener("message", hear);
      thread.postMessage({ id, asked } satisfies Question<Asked>);
    });
  };
}

/** Answers in a thread, one question after the other. */
export function answerAll<Asked, Told>(answer: (asked: Asked) => Told): void {
  self.onmessage = ({ data: { id, asked } }: MessageEvent<Question<Asked>>) => {
    self.postMessage({ id, told: answer(asked) } satisfies Reply<Told>);
  };
}
