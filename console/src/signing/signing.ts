import type { AccountPayment } from "earnest-client/buying/payment-instructions";
import type { Hex } from "viem";
import type { Call, TypedData } from "../../../protocol/settlement/index.ts";

/** A labelled value of the signing dialog. It never has text that a user wrote. */
export type SigningValue = {
  label: string;
  value: string;
  /** whether the dialog folds it away, such as an address of a contract */
  isTechnical?: boolean;
};

/** One request to the wallet. */
export type SigningStep =
  | { kind: "signature"; name: string; data: TypedData }
  | { kind: "call"; name: string; call: Call }
  | { kind: "account-calls"; name: string; payment: AccountPayment };

/** The content of the signing dialog. All of it was recomputed in this page. */
export type Signing = {
  /** such as "Pay order E-4F2K" */
  title: string;
  /** the effect, in one or two sentences */
  effect: string;
  values: SigningValue[];
  /** the provider's name of the service, which is shown apart from the values */
  calledByProvider: string;
  /** the account that has to sign */
  account: string;
  chainId: number;
  steps: SigningStep[];
  /** sends the results to the service: a signature or a transaction hash for each step */
  finish?: (results: Hex[]) => Promise<void>;
  /** the notice after all steps are done */
  done: string;
};
