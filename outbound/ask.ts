import type { Dispatcher } from "undici";

/** What came back, with as much of its body as was asked for. */
export interface Asked {
  status: number;
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL: text to show. */
  body: string;
  /** The same as it came. */
  bytes: Uint8Array;
  /** Whether the body went on after the limit. */
  truncated: boolean;
}

/** A request on its way. */
export interface Asking {
  answer: Promise<Asked>;
  /** Breaks the request off, and closes its connection. */
  stop(): void;
}

/**
 * One request, read as it comes. `agent.request` would wait for a connection before it hears of an abort, and make a
 * stream of each answer, of which most have no body at all.
 *
 * @param limit bytes of the body; the rest is not waited for
 * @param on.started called when the request has a connection
 * @param on.heard called when status and headers are there
 */
export function ask(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limit: number,
  on: { started(): void; heard(status: number): void },
): Asking {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Asked>();
  const reading = new Reading(limit, on, resolve, reject);
  agent.dispatch(request, reading);
  return { answer, stop: () => reading.stop() };
}

const stopped = () => new Error("The request was stopped.");

/** One answer on its way. */
class Reading implements Dispatcher.DispatchHandler {
  readonly #limit: number;
  readonly #on: { started(): void; heard(status: number): void };
  readonly #resolve: (answer: Asked) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isStopped = false;
  // Pieces are copied as they come: kept, a body of single bytes would take many times its size.
  #bytes = new Uint8Array();
  #size = 0;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(
    limit: number,
    on: { started(): void; heard(status: number): void },
    resolve: (answer: Asked) => void,
    reject: (error: Error) => void,
  ) {
    this.#limit = limit;
    this.#on = on;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  stop(): void {
    this.#isStopped = true;
    this.#reject(stopped());
    this.#controller?.abort(stopped());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isStopped) controller.abort(stopped());
    else this.#on.started();
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // An interim answer: the answer itself follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#on.heard(status);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#size > this.#limit) return;
    this.#keep(chunk.subarray(0, this.#limit - this.#size));
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.#end(true);
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error);
  }

  #keep(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(this.#size === 0 ? size : Math.min(this.#limit, 2 * size));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#size);
  }

  #end(truncated: boolean): void {
    const bytes = this.#bytes.subarray(0, Math.min(this.#size, this.#limit));
    // Of a body that was cut the half of a character at its end is left out.
    const body = new TextDecoder().decode(bytes, { stream: truncated }).replaceAll("\0", "\ufffd");
    this.#resolve({ status: this.#status, headers: this.#headers, body, bytes, truncated });
    // The rest of the body stands before the next answer of the connection.
    if (truncated) this.#controller?.abort(stopped());
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
