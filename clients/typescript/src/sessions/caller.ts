import type { Hex } from "viem";
import {
  closeHeader,
  KeySignatures,
  voucherDigests,
  voucherHeader,
  workHashOf,
  writeCloseRequest,
  writeVoucher,
} from "../../../../protocol/sessions/index.ts";
import { type TypedData, typedDataOf, voucherData } from "../../../../protocol/settlement/index.ts";
import { CallSender, type Outcome, type SendOptions, type SentCall } from "./call-sender.ts";
import { CallRefusedError, UntrustedSessionError } from "./errors.ts";
import type { KeyedFile } from "./keyed-file.ts";
import { nativeRecovery } from "./native-keys.ts";
import { sha256 } from "./provider-session.ts";
import type { SessionTerms } from "./session-terms.ts";

/** The answer of a call. */
export interface CallAnswer<Output = unknown> {
  /** The parsed output if it is JSON, otherwise its bytes. */
  output: Output;
  bytes: Uint8Array;
  contentType: string;
  /** The base units that all calls of the session cost so far. */
  spent: bigint;
  workHash: Hex;
  /** The provider's signature over amount, call and output, by the session's key. */
  statement: string;
}

/** Signs a voucher's digest, or its typed data if the wallet signs no digest. */
export type VoucherSigner = {
  signDigest: ((digest: Hex) => Promise<Hex>) | null;
  signData: (data: TypedData) => Promise<Hex>;
};

/** A call whose answer is not known. */
type Pending = { amount: string; work: Hex; voucher: string; input: string; type: string };

/** A session in its file, as one value so that one write decides: the answered calls' amount, and the call at work. */
type State = {
  amount: string;
  work?: Hex;
  /** the header of the newest answered voucher */
  voucher?: string;
  /** why nothing more is signed */
  stopped?: string;
  /** whether the first call's end is not known, so that the provider's newest voucher tells more */
  fresh?: true;
  pending?: Pending;
};

/** One session at its buyer. Its calls are sent one after the other by its owner. */
export class Caller {
  readonly terms: SessionTerms;
  readonly #file: KeyedFile;
  readonly #sender: CallSender;
  readonly #signer: VoucherSigner;
  readonly #digest: ReturnType<typeof voucherDigests>;
  readonly #own: KeySignatures;
  #state: State;

  constructor(terms: SessionTerms, file: KeyedFile, signer: VoucherSigner, options: SendOptions) {
    this.terms = terms;
    this.#file = file;
    this.#signer = signer;
    this.#sender = new CallSender(terms, options);
    this.#digest = voucherDigests(terms);
    this.#own = new KeySignatures(terms.buyer, nativeRecovery());
    const kept = file.get(terms.escrowId) as State | undefined;
    this.#state = kept ?? { amount: "0", fresh: true };
  }

  /** The base units of the answered calls. */
  get spent(): bigint {
    return BigInt(this.#state.amount);
  }

  /** Whether the balance pays one more call. */
  get paysOneMore(): boolean {
    return this.spent + this.terms.price <= this.terms.balance;
  }

  get hasPending(): boolean {
    return this.#state.pending !== undefined;
  }

  /**
   * Gets the answer of a call that an earlier run, or an earlier try, did not get.
   *
   * @returns null if the provider refused it, so it is not paid for
   */
  async finishPending(): Promise<{ inputHash: Hex; answer: CallAnswer | null } | null> {
    const { pending } = this.#state;
    if (!pending) return null;
    const input = Buffer.from(pending.input, "base64");
    try {
      return { inputHash: sha256(input), answer: await this.#finish(pending, input) };
    } catch (error) {
      if (!(error instanceof CallRefusedError)) throw error;
      return { inputHash: sha256(input), answer: null };
    }
  }

  /**
   * Signs a voucher for one more call, keeps it, and sends it until it has an answer.
   *
   * @throws CallRefusedError, CallUnansweredError, UntrustedSessionError
   */
  async call(input: Uint8Array, contentType: string): Promise<CallAnswer> {
    const { orderId, escrowId, price } = this.terms;
    if (this.#state.stopped !== undefined) throw new UntrustedSessionError(orderId, this.#state.stopped);
    const cumulativeAmount = this.spent + price;
    const workHash = workHashOf({ escrowId, cumulativeAmount, inputHash: sha256(input) });
    const signature = await this.#sign(cumulativeAmount, workHash);
    const pending: Pending = {
      amount: String(cumulativeAmount),
      work: workHash,
      voucher: writeVoucher({ cumulativeAmount, workHash, signature }),
      input: Buffer.from(input).toString("base64"),
      type: contentType,
    };
    this.#keep({ ...this.#state, pending });
    return await this.#finish(pending, input);
  }

  /** Asks the provider to close: it takes what the calls cost, and gives the rest back. */
  async close(deadline: bigint): Promise<void> {
    const { escrowId, orderId } = this.terms;
    const providerAmount = this.spent;
    const data = typedDataOf(this.terms, "Close", { escrowId, providerAmount, deadline });
    const signature = lower(await this.#signer.signData(data));
    const headers = { [closeHeader]: writeCloseRequest({ providerAmount, deadline, signature }) };
    const call: SentCall = { amount: providerAmount, workHash: "0x", headers, body: new Uint8Array() };
    const outcome = await this.#sender.send(call);
    if (outcome.kind === "refused") {
      throw new CallRefusedError(orderId, outcome.code, outcome.status, outcome.message);
    }
  }

  async #finish(pending: Pending, input: Uint8Array): Promise<CallAnswer> {
    const amount = BigInt(pending.amount);
    const headers = { "content-type": pending.type, [voucherHeader]: pending.voucher };
    let outcome: Outcome;
    try {
      outcome = await this.#sender.send({ amount, workHash: pending.work, headers, body: input });
    } catch (error) {
      // The provider has the voucher, so its amount counts as spent.
      if (error instanceof UntrustedSessionError)
        this.#keep({ amount: pending.amount, stopped: reasonOf(error) });
      throw error;
    }
    if (outcome.kind === "refused") return await this.#refuse(pending, input, outcome);
    this.#keep({ amount: pending.amount, work: pending.work, voucher: pending.voucher });
    return answerOf(outcome, amount, pending.work);
  }

  /** Gets the newest answer again, which the provider keeps; null before the first. It costs nothing. */
  async repeatLast(): Promise<CallAnswer | null> {
    const { work, voucher } = this.#state;
    if (!work || !voucher) return null;
    const headers = { [voucherHeader]: voucher };
    const outcome = await this.#sender.send({
      amount: this.spent,
      workHash: work,
      headers,
      body: new Uint8Array(),
    });
    if (outcome.kind === "answered") return answerOf(outcome, this.spent, work);
    throw new CallRefusedError(this.terms.orderId, outcome.code, outcome.status, outcome.message);
  }

  async #refuse(
    pending: Pending,
    input: Uint8Array,
    { code, status, message, newest, expected }: Outcome & { kind: "refused" },
  ): Promise<CallAnswer> {
    const { orderId } = this.terms;
    const refusal = new CallRefusedError(orderId, code, status, message);
    if (code !== "wrong_amount") {
      const { pending: _, fresh: __, ...state } = this.#state;
      this.#keep(state);
      throw refusal;
    }
    if (!newest || !(await this.#isOwn(newest))) {
      throw this.#stop("The provider asks for another amount than this session's next.", pending.amount);
    }
    // A lost file is made up for by one's own newest voucher, which only the buyer can have signed.
    const isUnknown = newest.workHash !== pending.work && newest.cumulativeAmount >= BigInt(pending.amount);
    if (this.#state.fresh && isUnknown) {
      const voucher = writeVoucher(newest);
      this.#keep({ amount: String(newest.cumulativeAmount), work: newest.workHash, voucher });
      if (expected !== newest.cumulativeAmount + this.terms.price || !this.paysOneMore) throw refusal;
      return await this.call(input, pending.type);
    }
    throw this.#stop("The provider counts calls that it did not answer.", pending.amount);
  }

  async #isOwn(voucher: { cumulativeAmount: bigint; workHash: Hex; signature: Hex }): Promise<boolean> {
    return (await this.#own.read(this.#digest(voucher), voucher.signature)) !== null;
  }

  #stop(reason: string, amount: string): UntrustedSessionError {
    this.#keep({ amount, stopped: reason });
    return new UntrustedSessionError(this.terms.orderId, reason);
  }

  #keep(state: State): void {
    this.#state = state;
    this.#file.put(this.terms.escrowId, state);
  }

  async #sign(cumulativeAmount: bigint, workHash: Hex): Promise<Hex> {
    const { signDigest, signData } = this.#signer;
    const voucher = { cumulativeAmount, workHash };
    const signature = lower(
      signDigest ? await signDigest(this.#digest(voucher)) : await signData(voucherData(this.terms, voucher)),
    );
    if (signature.length !== 132) {
      throw new TypeError(
        "A session needs the signatures of a plain key. A contract wallet cannot be its buyer: order the service with another wallet.",
      );
    }
    return signature;
  }
}

function answerOf(
  { bytes, contentType, statement }: Outcome & { kind: "answered" },
  spent: bigint,
  workHash: Hex,
): CallAnswer {
  const output = /^application\/([a-z.+-]+\+)?json\s*(;|$)/i.test(contentType)
    ? (JSON.parse(bytes.toString("utf8")) as unknown)
    : bytes;
  return { output, bytes, contentType, spent, workHash, statement };
}

const lower = (signature: Hex): Hex => signature.toLowerCase() as Hex;

function reasonOf(error: UntrustedSessionError): string {
  return error.message
    .replace(`${error.orderId}: `, "")
    .replace(" No more calls are signed. Close the session.", "");
}
