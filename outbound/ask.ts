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
    client.dispatch(request, new Reading(limit, heard, resolve, reject));
  });
}

/** One answer on its way. */
class Reading implements Dispatcher.DispatchHandler {
  readonly #limit: number;
  readonly #heard: (status: number) => void;
  readonly #resolve: (answer: Asked) => void;
  readonly #reject: (error: Error) => void;
  // Made for the first piece alone. Pieces are decoded as they come: kept, a body of single bytes would take many times its size.
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #text = "";
  #size = 0;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(
    limit: number,
    heard: (status: number) => void,
    resolve: (answer: Asked) => void,
    reject: (error: Error) => void,
  ) {
    this.#limit = limit;
    this.#heard = heard;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // An interim answer: the answer itself follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#heard(status);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#size > this.#limit) return;
    this.#decoder ??= new TextDecoder();
    this.#text += this.#decoder.decode(chunk.subarray(0, this.#limit - this.#size), { stream: true });
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.#end(true);
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error);
  }

  #end(truncated: boolean): void {
    // Of a body that was cut the half of a character at its end is left out.
    if (!truncated) this.#text += this.#decoder?.decode() ?? "";
    const body = this.#text.replaceAll("\0", "\ufffd");
    this.#resolve({ status: this.#status, headers: this.#headers, body, truncated });
  }
}

/** Each header as one text: most come once, and are left as they are. */
function joinHeaders(found: Record<string, string | string[] | undefined>): Record<string, string> {
  const values = Object.values(found);
  if (values.every((value) => typeof value === "string")) return found as Record<string, string>;
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
