import type { KeyObject } from "node:crypto";
import { createHash, sign } from "node:crypto";
import type { Hex } from "viem";
import {
  type CallVoucher,
  type CloseRequest,
  KeySignatures,
  statementHeader,
  statementOf,
  voucherDigests,
  workHashOf,
} from "../../../../protocol/sessions/index.ts";
import { CallRefusal, type Reply } from "./call-refusal.ts";
import type { KeyedFile } from "./keyed-file.ts";
import { nativeRecovery } from "./native-keys.ts";
import type { SessionTerms } from "./session-terms.ts";

/** An output with its media type. */
export type Output = { bytes: Buffer; contentType: string };

/** Runs the work of a call. */
export type Work = (input: Buffer) => Promise<Output>;

/** A session in the file: the newest answered voucher with its answer. */
type Kept = {
  order: string;
  amount: string;
  work: Hex | null;
  signature: Hex | null;
  output?: string;
  type?: string;
  statement?: string;
  /** no more calls are taken, because the rest is given back */
  closing?: true;
  /** the buyer's signed wish to close */
  close?: { amount: string; deadline: string; signature: Hex };
};

/** The longest wait of a request for the answer of a call at work; the same request then waits again. */
const longestWait = 30_000;
/** The most signed requests of a session at once. A buyer sends one, and sends it again if it gets no answer. */
const mostRequests = 8;

const notStored = "The answer cannot be stored, so it is not given. Send the call again.";

/** A session at its provider. Its calls are answered one after the other. */
export class ProviderSession {
  readonly terms: SessionTerms;
  readonly #file: KeyedFile;
  readonly #key: KeyObject;
  readonly #signatures: KeySignatures;
  readonly #digest: ReturnType<typeof voucherDigests>;
  /** the newest answered voucher; an amount of zero before the first */
  #newest: { amount: bigint; work: Hex | null; signature: Hex | null };
  #running: { voucher: CallVoucher; reply: Promise<Reply> } | null = null;
  #isClosing: boolean;
  #closeRequest: CloseRequest | null;
  #requests = 0;
  #hasGivenUp = false;
  /** unix milliseconds from which the session takes no calls, or of this run's start */
  closingAt = Date.now();
  /** unix milliseconds of the buyer's wish to close, or of this run's start */
  closedAt = Date.now();
  /** unix milliseconds of the last signed call */
  usedAt = Date.now();

  constructor(terms: SessionTerms, file: KeyedFile, key: KeyObject) {
    this.terms = terms;
    this.#file = file;
    this.#key = key;
    this.#signatures = new KeySignatures(terms.buyer, nativeRecovery());
    this.#digest = voucherDigests(terms);
    const kept = file.get(terms.escrowId) as Kept | undefined;
    this.#newest = kept
      ? { amount: BigInt(kept.amount), work: kept.work, signature: kept.signature }
      : { amount: 0n, work: null, signature: null };
    this.#isClosing = kept?.closing ?? false;
    this.#closeRequest = kept?.close ? readClose(kept.close) : null;
  }

  /** The buyer's signed wish to close, which ends the session with the provider's signature; null without one. */
  get closeRequest(): CloseRequest | null {
    return this.#closeRequest;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** The newest answered voucher, which pays all calls; null before the first. */
  get newest(): CallVoucher | null {
    const { amount, work, signature } = this.#newest;
    return work && signature ? { cumulativeAmount: amount, workHash: work, signature } : null;
  }

  /**
   * Answers a call: the stored answer for the newest voucher again, or the answer of the work.
   *
   * @param readInput reads the body, which a repeated call does not need before the session closes
   * @throws CallRefusal
   */
  async answer(
    voucher: CallVoucher,
    readInput: () => Promise<Buffer>,
    work: Work,
    lastCallAt: number,
  ): Promise<Reply> {
    // Once the session closes, the chain shows everybody the newest voucher. From then on only the input proves the buyer.
    if (!this.#isClosing && isSame(voucher, this.newest)) return this.#storedReply();
    // The signature comes before the input: the chain shows each session's id, and nobody else may occupy the endpoint by it.
    const signature = await this.#signatures.read(this.#digest(voucher), voucher.signature);
    if (!signature) {
      throw new CallRefusal(
        "wrong_signature",
        `The voucher is not signed by the key of ${this.terms.buyer}. A contract wallet cannot be the buyer of a session.`,
      );
    }
    if (this.#requests >= mostRequests) {
      throw new CallRefusal("busy", "Too many requests of this session are at work. Send the call again.");
    }
    this.#requests += 1;
    this.usedAt = Date.now();
    try {
      return await this.#answerSigned({ ...voucher, signature }, await readInput(), work, lastCallAt);
    } finally {
      this.#requests -= 1;
    }
  }

  /** Answers a call that the buyer signed. */
  async #answerSigned(voucher: CallVoucher, input: Buffer, work: Work, lastCallAt: number): Promise<Reply> {
    const { escrowId } = this.terms;
    const inputHash = sha256(input);
    if (
      voucher.workHash !== workHashOf({ escrowId, cumulativeAmount: voucher.cumulativeAmount, inputHash })
    ) {
      throw new CallRefusal(
        "wrong_work_hash",
        "The work hash is not the SHA-256 of this session, amount and input.",
      );
    }
    // From here to the start of the work nothing waits, so two calls cannot both start.
    if (this.#running && isSame(voucher, this.#running.voucher)) return await this.#runningReply();
    if (isSame(voucher, this.newest)) return this.#storedReply();
    this.#requireNext(voucher.cumulativeAmount, lastCallAt);
    const reply = this.#work(voucher, input, work).finally(() => {
      this.#running = null;
    });
    this.#running = { voucher, reply };
    return await this.#runningReply();
  }

  /**
   * Takes no more calls, also after a restart. A call at work is answered first.
   *
   * @param request the buyer's signed wish; the first one is kept
   */
  async close(request: CloseRequest | null = null): Promise<void> {
    if (!this.#isClosing) this.closingAt = Date.now();
    this.#isClosing = true;
    if (this.#running) {
      await this.#running.reply.catch(() => {});
      if (this.#hasGivenUp) return;
    }
    const kept = (this.#file.get(this.terms.escrowId) as Kept | undefined) ?? {
      order: this.terms.orderId,
      amount: "0",
      work: null,
      signature: null,
    };
    const isNew = request !== null && !kept.close;
    if (kept.closing && !isNew) return;
    const close = isNew ? { close: writeClose(request) } : {};
    await this.#file.putDurably(this.terms.escrowId, { ...kept, closing: true, ...close });
    if (!isNew) return;
    this.#closeRequest = request;
    this.closedAt = Date.now();
  }

  /** Gives up a call at work of a closing session. Its answer is not given, and its voucher not used. */
  giveUpCall(): void {
    if (this.#running) this.#hasGivenUp = true;
    this.#running = null;
  }

  #requireNext(amount: bigint, lastCallAt: number): void {
    const { price, balance } = this.terms;
    if (this.#isClosing || Date.now() > lastCallAt) {
      throw new CallRefusal(
        "session_ended",
        "The session takes no more calls: it closes, or its deadline is near.",
      );
    }
    if (this.#running) {
      throw new CallRefusal(
        "call_in_progress",
        "Another call of this session is at work. Send calls one after the other.",
      );
    }
    const expected = this.#newest.amount + price;
    if (amount !== expected) {
      const { amount: answered, work, signature } = this.#newest;
      throw new CallRefusal("wrong_amount", `The voucher's amount has to be ${expected} base units.`, {
        expected_amount: String(expected),
        newest:
          work && signature ? { cumulative_amount: String(answered), work_hash: work, signature } : null,
      });
    }
    if (amount > balance) {
      throw new CallRefusal("balance_used", `The balance of ${balance} base units pays no more calls.`);
    }
  }

  async #work(voucher: CallVoucher, input: Buffer, work: Work): Promise<Reply> {
    const { orderId, escrowId } = this.terms;
    const { cumulativeAmount, workHash, signature } = voucher;
    if (!this.#file.isWritable) throw new CallRefusal("busy", notStored);
    const { bytes, contentType } = await work(input);
    if (this.#hasGivenUp) throw new CallRefusal("session_ended", "The session ended before the answer.");
    const text = statementOf({ escrowId, cumulativeAmount, workHash, outputHash: sha256(bytes) });
    const statement = sign(null, Buffer.from(text), this.#key).toString("base64url");
    const kept: Kept = {
      order: orderId,
      amount: String(cumulativeAmount),
      work: workHash,
      signature,
      output: bytes.toString("base64"),
      type: contentType,
      statement,
    };
    try {
      await this.#file.putDurably(escrowId, kept);
    } catch (cause) {
      // The write may have reached the disk, so the buyer must not use the amount for another call.
      throw new CallRefusal("busy", notStored, {}, { cause });
    }
    this.#newest = { amount: cumulativeAmount, work: workHash, signature };
    return replyOf(bytes, contentType, statement);
  }

  async #runningReply(): Promise<Reply> {
    const running = this.#running;
    if (!running) return this.#storedReply();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const message = "The call is still at work. Send it again to get its answer.";
        reject(new CallRefusal("call_in_progress", message));
      }, longestWait);
    });
    try {
      return await Promise.race([running.reply, tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }

  #storedReply(): Reply {
    const {
      output = "",
      type = "application/octet-stream",
      statement = "",
    } = this.#file.get(this.terms.escrowId) as Kept;
    return replyOf(Buffer.from(output, "base64"), type, statement);
  }
}

function replyOf(body: Buffer, contentType: string, statement: string): Reply {
  return { status: 200, headers: { "content-type": contentType, [statementHeader]: statement }, body };
}

function writeClose({ providerAmount, deadline, signature }: CloseRequest): Required<Kept>["close"] {
  return { amount: String(providerAmount), deadline: String(deadline), signature };
}

function readClose({ amount, deadline, signature }: Required<Kept>["close"]): CloseRequest {
  return { providerAmount: BigInt(amount), deadline: BigInt(deadline), signature };
}

/** Whether two vouchers are the same. The last byte of a signature has two forms. */
function isSame(one: CallVoucher, other: CallVoucher | null): boolean {
  return (
    other !== null &&
    one.cumulativeAmount === other.cumulativeAmount &&
    one.workHash === other.workHash &&
    one.signature.slice(0, 130) === other.signature.slice(0, 130)
  );
}

export function sha256(bytes: Uint8Array): Hex {
  return `0x${createHash("sha256").update(bytes).digest("hex")}`;
}
