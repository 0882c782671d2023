import type { PublicClient } from "viem";
import type { AgreedOrder } from "../src/buying/agreement-check.ts";
import type { Earnest, HeldToken, Order, OrderWallet, Scope, TokenName } from "../src/index.ts";
import type { CallAnswer } from "../src/sessions/caller.ts";

/** The dependencies of the tools, for one caller. */
export interface ToolContext {
  /** A client with the caller's key. */
  earnest: Earnest;
  /** The key's scopes; null without a key. */
  scopes: readonly Scope[] | null;
  /** The wallet that this program signs with; null if it holds none, as over HTTP. */
  wallet: HeldWallet | null;
  /** The sessions that this program calls with the wallet; missing over HTTP and without a wallet. */
  sessions?: HeldSessions | undefined;
  /** The page on which a user creates a key. */
  keysUrl: string;
  /** Verifies a receipt. The verdict names the verifier. */
  verify(receipt: string | Record<string, unknown>): Promise<Verdict>;
  waits: {
    /** The longest wait of one call, in seconds. */
    longest: number;
    /**
     * Acquires a slot for a waiting call.
     *
     * @returns releases the slot
     * @throws RefusedCall `too_many_waits` if no slot is free
     */
    acquire(): Promise<() => void>;
  };
}

/** A wallet that this program holds, with its spending limits. */
export interface HeldWallet {
  wallet: OrderWallet;
  address: string;
  /** Nodes of further chains. */
  nodes: readonly PublicClient[];
  /** The tokens that it pays with, each with the most for one order; undefined: the known token of each chain. */
  tokens: readonly HeldToken[] | undefined;
  /** Decimal amounts, for each token by itself. */
  limits: { perOrder: string; perDay: string };
  /** Lists the tokens of which amounts were reserved within 24 hours. */
  listSpent(): Promise<{ chain_id: number; token: string; amount: string }[]>;
  /** Returns the decimal amount of a token that was reserved within 24 hours. */
  spent(token: TokenName): Promise<string>;
  /**
   * Reserves the amount of a payment before it is signed. An order counts once. A reservation counts even if the payment fails.
   *
   * @throws RefusedCall `local_limit_exceeded`
   */
  reserve(orderId: string, amount: string, token: TokenName): Promise<void>;
}

/** An order with its recomputed agreement. */
export interface ReadOrder {
  order: Order;
  agreed: AgreedOrder;
}

/** The sessions of a program that holds a wallet. */
export interface HeldSessions {
  /**
   * Sends a call, or returns the newest answer for the intent of the newest call.
   *
   * @throws RefusedCall `invalid_state`, `wrong_wallet`; and as `Session.call`
   */
  call(read: ReadOrder, input: unknown, intent: string): Promise<{ answer: CallAnswer; balance: bigint }>;
  /** Asks the provider to close. Returns the base units that the calls cost. */
  close(read: ReadOrder): Promise<bigint>;
}

export interface Verdict {
  valid: boolean;
  /** The verifier: `this program`, or `the service`, which is the issuer. */
  checked_by: "this program" | "the service";
  issuer: string;
  code: string | null;
  message: string | null;
  /** The contents of a valid receipt. */
  says: Record<string, unknown> | null;
  /** The revocation status, if it is known. */
  status: string | null;
}

/** A refusal by this program, before any request to the service. */
export class RefusedCall extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
