import { Buffer } from "node:buffer";
import type { CallAnswer, Caller } from "./caller.ts";
import { BalanceUsedError } from "./errors.ts";
import type { KeyedFile } from "./keyed-file.ts";
import { sha256 } from "./provider-session.ts";

/** The most calls that wait for the calls before them. */
const longestQueue = 1_000;

/** The dependencies of a session. */
export interface SessionParts {
  file: KeyedFile;
  caller: Caller;
  /** Opens the next session once the balance is used; null if no more may be opened. */
  openNext: (() => Promise<Caller | null>) | null;
  /** Seconds since 1970 until which a close request is good. */
  closeDeadline: () => Promise<bigint>;
  /** Called once the provider has taken the wish to close. */
  onClosed?: () => void;
  /** Called with an answer that an earlier run paid for and did not get. */
  onLateAnswer?: ((answer: CallAnswer) => void) | undefined;
}

/** A balance at a provider. Each call pays its price by a voucher, and no transaction. */
export class Session {
  readonly #parts: SessionParts;
  #caller: Caller;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#caller = parts.caller;
  }

  get orderId(): string {
    return this.#caller.terms.orderId;
  }

  /** The base units that the calls of the present balance cost so far. */
  get spent(): bigint {
    return this.#caller.spent;
  }

  get balance(): bigint {
    return this.#caller.terms.balance;
  }

  /**
   * Calls the provider. Calls at once are sent one after the other; open further sessions for calls side by side.
   *
   * The voucher is kept before it is sent. If its answer is lost, for example by a crash, the next call first asks for that
   * answer. A call with the same input returns it, so nothing is paid twice.
   *
   * @param input bytes are sent as they are, anything else as JSON
   * @throws CallRefusedError, CallUnansweredError, UntrustedSessionError, BalanceUsedError
   */
  async call<Output = unknown>(
    input: unknown,
    { contentType }: { contentType?: string } = {},
  ): Promise<CallAnswer<Output>> {
    const [bytes, type] =
      input instanceof Uint8Array
        ? [input, contentType ?? "application/octet-stream"]
        : [Buffer.from(JSON.stringify(input ?? null)), contentType ?? "application/json"];
    return (await this.#inTurn(() => this.#call(bytes, type))) as CallAnswer<Output>;
  }

  /**
   * Gets the newest answer again, at no cost; null before the first. A program that was killed after an answer, and before it
   * kept the answer, finds it so: `spent` is then more than it kept.
   */
  async repeatLast<Output = unknown>(): Promise<CallAnswer<Output> | null> {
    return (await this.#inTurn(async () => {
      if (this.#caller.hasPending) await this.#finishPending(null);
      return await this.#caller.repeatLast();
    })) as CallAnswer<Output> | null;
  }

  /** Asks the provider to take what the calls cost and to give the rest back. The order then ends on the chain. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#caller.hasPending) await this.#finishPending(null);
      await this.#caller.close(await this.#parts.closeDeadline());
      this.#parts.onClosed?.();
    });
    this.leave();
  }

  /** Frees the file without closing the session, which the same file continues later. */
  leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.file.close();
  }

  async #call(input: Uint8Array, type: string): Promise<CallAnswer> {
    if (this.#caller.hasPending) {
      const answer = await this.#finishPending(sha256(input));
      if (answer) return answer;
    }
    if (!this.#caller.paysOneMore) await this.#topUp();
    return await this.#caller.call(input, type);
  }

  /** Gets a lost answer. Returns it if it is that of this input. */
  async #finishPending(inputHash: string | null): Promise<CallAnswer | null> {
    const finished = await this.#caller.finishPending();
    if (!finished?.answer) return null;
    if (finished.inputHash === inputHash) return finished.answer;
    this.#parts.onLateAnswer?.(finished.answer);
    return null;
  }

  async #topUp(): Promise<void> {
    const { openNext, closeDeadline } = this.#parts;
    const used = this.#caller;
    const next = await openNext?.();
    if (!next) throw new BalanceUsedError(this.orderId);
    this.#caller = next;
    // The provider ends a used session by itself, too, so a lost request costs nobody anything.
    await used.close(await closeDeadline()).catch(() => {});
  }

  async #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new TypeError("The session is closed. Open it again with its file.");
    if (this.#waiting >= longestQueue) {
      throw new RangeError(`${longestQueue} calls wait already. Await calls, or open further sessions.`);
    }
    this.#waiting += 1;
    const mine = this.#last.then(act);
    this.#last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}
