import { setTimeout as sleep } from "node:timers/promises";

/** A response: its bytes, or null with the reason. */
export type Served = { bytes: Uint8Array; reason: null } | { bytes: null; reason: string };

/** Thrown if the host does not answer. This is no finding about its content. */
export class Unreachable extends Error {
  override name = "Unreachable";
}

/** Milliseconds for one response, and the attempts without a response. */
const responseMs = 20_000;
const mostAttempts = 4;
/** The longest wait after a 429, and the most consecutive 429 responses of one request. */
const longestWaitSeconds = 120;
const most429s = 60;

/** Reads from the host of an installation, with bounds on time and size. Follows no redirects. */
export class Installation {
  /** as in `https://earnest.example`, without a trailing slash */
  readonly address: string;
  requests = 0;
  private readonly signal: AbortSignal | undefined;

  constructor(address: string, signal?: AbortSignal) {
    this.address = address;
    this.signal = signal;
  }

  /** Reads the bytes at a path. Throws `Unreachable`. */
  async read(path: string, maxBytes: number): Promise<Served> {
    const url = this.address + path;
    let served: Served | null = null;
    let reason = "";
    let waited = 0;
    for (let tries = 0; tries < mostAttempts; tries++) {
      if (tries > 0) await this.pause(125 * 2 ** tries);
      this.requests++;
      try {
        const response = await fetch(url, {
          redirect: "manual",
          headers: { accept: "application/json, text/plain, application/octet-stream" },
          signal: this.signalWithTimeout(),
        });
        if (response.status === 200) return await readBounded(response, maxBytes);
        await response.body?.cancel();
        served = { bytes: null, reason: `the status is ${response.status}` };
        if (response.status === 429 && waited < most429s) {
          waited++;
          tries = -1;
          const seconds = Number(response.headers.get("retry-after"));
          await this.pause(1000 * Math.min(Math.max(seconds || 1, 1), longestWaitSeconds));
        } else if (response.status < 500) return served;
      } catch (error) {
        if (this.signal?.aborted) throw error;
        reason = describe(error);
      }
    }
    if (served) return served;
    throw new Unreachable(`${url} could not be read: ${reason}.`);
  }

  /** Reads the text at a path; null with the reason if there is none. */
  async readText(
    path: string,
    maxBytes: number,
  ): Promise<{ text: string; reason: null } | { text: null; reason: string }> {
    const { bytes, reason } = await this.read(path, maxBytes);
    return bytes === null ? { text: null, reason } : { text: new TextDecoder().decode(bytes), reason: null };
  }

  private signalWithTimeout(): AbortSignal {
    const late = AbortSignal.timeout(responseMs);
    return this.signal ? AbortSignal.any([this.signal, late]) : late;
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, this.signal ? { signal: this.signal } : {});
  }
}

function describe(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: null };
  return cause instanceof Error ? `${message}, ${cause.message}` : message;
}

async function readBounded(response: Response, maxBytes: number): Promise<Served> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      return { bytes: null, reason: `the response exceeds ${maxBytes} bytes` };
    }
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), reason: null };
}
