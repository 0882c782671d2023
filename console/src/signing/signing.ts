import type { Hex } from "viem";
import type { Call, TypedData } from "../../../protocol/settlement/index.ts";

/** A line of what is signed: what it is about, and what it says. Nothing in it is another party's words. */
export type Fact = { label: string; value: string };

/** One thing that the wallet is asked for. */
export type Step =
  | { kind: "signature"; name: string; data: TypedData }
  | { kind: "call"; name: string; call: Call };

/** What a person is shown before the wallet opens. All of it was recomputed in this page. */
export type Signing = {
  /** as in "Pay order EA-4F2K" */
  title: string;
  /** what comes of it, in a sentence or two */
  effect: string;
  facts: Fact[];
  /** what the provider calls the service, which is shown apart from the facts */
  calledByProvider: string;
  /** the wallet's account that it needs */
  account: string;
  chainId: number;
  steps: Step[];
  /** tells the service, with a signature or a transaction's hash for each step */
  finish?: (results: Hex[]) => Promise<void>;
  /** what is said once all is done */
  done: string;
};
