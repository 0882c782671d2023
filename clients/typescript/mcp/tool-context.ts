import type { Earnest, OrderWallet, Scope } from "../src/index.ts";

/** What the tools of one caller work with. */
export interface ToolContext {
  /** Sends the caller's key. */
  earnest: Earnest;
  /** What the key may do; null where there is no key. */
  scopes: readonly Scope[] | null;
  /** The wallet that this program signs with; null where it holds none, as over HTTP. */
  wallet: HeldWallet | null;
  /** Where a person makes a key. */
  keysUrl: string;
  /** Checks a receipt, and says who checked it. */
  verify(receipt: string | Record<string, unknown>): Promise<Verdict>;
  waits: {
    /** The longest wait of one call, in seconds. */
    longest: number;
    /**
     * Takes a place among those who wait.
     *
     * @returns gives the place back
     * @throws RefusedCall `too_many_waits` where there is none
     */
    enter(): Promise<() => void>;
  };
}

/** A wallet in this program's hands, with what the program lets it pay. */
export interface HeldWallet {
  wallet: OrderWallet;
  address: string;
  /** Decimals of the token. */
  limits: { perOrder: string; perDay: string };
  /** What was paid within 24 hours, a decimal. */
  spent(): Promise<string>;
  /**
   * Books a payment before it is signed; the same order counts once. What is booked counts, paid or not.
   *
   * @throws RefusedCall `local_limit_exceeded`
   */
  book(orderId: string, amount: string): Promise<void>;
}

export interface Verdict {
  valid: boolean;
  /** Who checked: `this program`, or `the service`, which is the issuer itself. */
  checked_by: "this program" | "the service";
  issuer: string;
  code: string | null;
  message: string | null;
  /** What the receipt says, where it is good. */
  says: Record<string, unknown> | null;
  /** Whether it was taken back, where that is known. */
  status: string | null;
}

/** A refusal of this program, before the service was asked. */
export class RefusedCall extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
