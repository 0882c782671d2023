import {
  ApiError,
  ConnectionError,
  PaymentFailedError,
  PreconditionFailedError,
  UntrustedOrderError,
  UntrustedTextError,
} from "earnest-client";
import { i18n } from "../text/i18n.ts";
import { refusalText } from "./refusal-texts.ts";

/** The states that stop an action. */
export type ProblemState = keyof ReturnType<typeof readSentences>;

/** The message of each state. Pages show only these messages. */
const readSentences = () => ({
  no_wallet: i18n.t("No wallet connected. Connect the wallet that you signed in with."),
  rejected: i18n.t("You rejected the request in your wallet. Nothing was signed or sent."),
  busy: i18n.t("Your wallet has another open request. Answer it first."),
  wrong_chain: i18n.t("Your wallet is on a different network. Switch networks to continue."),
  unknown_chain: i18n.t("Your wallet doesn't have this network. Add it to your wallet to continue."),
  wrong_account: i18n.t("Your wallet is on a different account. Switch accounts in your wallet."),
  no_funds: i18n.t("Your wallet has too little money for the amount or for gas. Add funds, then try again."),
  reverted: i18n.t("The transaction failed on-chain. Only the gas was spent."),
  replaced: i18n.t("Your wallet replaced the transaction. This page follows the new one."),
  cancelled: i18n.t("You cancelled the transaction in your wallet. Only the gas was spent."),
  dropped: i18n.t("Transaction dropped. Nothing was charged. You can send it again."),
  node_dead: i18n.t("Your wallet can't reach the network. Nothing was lost. Try again later."),
  reorganised: i18n.t("A blockchain reorganisation reversed this step. Wait until it shows as confirmed."),
  refused: i18n.t("This order doesn't match its signed agreement. Nothing was signed. Do not pay it."),
  no_passkeys: i18n.t("This browser or network has no passkeys that Earnest can use. Sign in with a wallet."),
  unknown_passkey: i18n.t(
    "This passkey has not signed in here before. Create a passkey, or use another one.",
  ),
  passkey_exists: i18n.t("This device already has a passkey for Earnest. Use that passkey."),
  no_transactions: i18n.t(
    "A passkey signs, but sends no transactions. Choose a payment by signature (x402).",
  ),
  unpaid: i18n.t("The payment was declined. The order is not paid."),
  offline: i18n.t("Can't reach Earnest. Funds in escrow are safe. Please try again."),
  changed: i18n.t(
    "This was edited elsewhere, so nothing was saved. Copy your changes, then reload to see the latest version.",
  ),
  service: i18n.t("Couldn't do that."),
  missing: i18n.t("Not found."),
  input: i18n.t("Some input is missing or invalid. Nothing was signed."),
  unknown: i18n.t("Something went wrong."),
});

/** Returns the message of a state. */
export const sentenceOf = (state: ProblemState): string => readSentences()[state];

/** A problem with its message. */
export type Problem = {
  state: ProblemState;
  sentence: string;
  /** more about the problem, often in English */
  detail: string | null;
  requestId: string | null;
};

/** An error of one of the states. */
export class WalletProblem extends Error {
  readonly state: ProblemState;
  /** the chain that the wallet has to switch to; null for another problem */
  readonly neededChain: number | null;
  constructor(state: ProblemState, detail?: string, neededChain: number | null = null) {
    super(detail ?? sentenceOf(state));
    this.state = state;
    this.neededChain = neededChain;
  }
}

const problem = (
  state: ProblemState,
  detail: string | null = null,
  requestId: string | null = null,
): Problem => {
  const sentence = sentenceOf(state);
  return { state, sentence, detail: detail === sentence ? null : detail, requestId };
};

/** The states of wallet error codes (EIP-1193, EIP-1474). */
const codes: Record<number, ProblemState> = {
  4001: "rejected",
  4100: "wrong_account",
  4900: "node_dead",
  4901: "wrong_chain",
  4902: "unknown_chain",
  [-32002]: "busy",
  [-32003]: "no_funds",
};

/** The states of viem's and wagmi's errors, by name. Importing their classes would bundle viem into the first page. */
const names: Record<string, ProblemState> = {
  UserRejectedRequestError: "rejected",
  ConnectorNotConnectedError: "no_wallet",
  ConnectorAccountNotFoundError: "wrong_account",
  ConnectorChainMismatchError: "wrong_chain",
  ChainMismatchError: "wrong_chain",
  SwitchChainNotSupportedError: "unknown_chain",
  SwitchChainError: "unknown_chain",
  InsufficientFundsError: "no_funds",
  ExecutionRevertedError: "reverted",
  ContractFunctionRevertedError: "reverted",
  HttpRequestError: "node_dead",
  TimeoutError: "node_dead",
  InternalRpcError: "node_dead",
  ResourceUnavailableRpcError: "busy",
};

/** Converts any error to a problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WalletProblem) return problem(error.state, error.message);
  if (error instanceof UntrustedOrderError || error instanceof UntrustedTextError) {
    return problem("refused", error.message);
  }
  if (error instanceof PaymentFailedError) return problem("unpaid", error.message);
  if (error instanceof ConnectionError) return problem("offline");
  if (error instanceof PreconditionFailedError) return problem("changed", null, error.requestId);
  if (error instanceof ApiError) {
    const details = error.details.slice(0, 5).map(({ path, message }) => `${path || "/"}: ${message}`);
    const state = error.status === 404 ? "missing" : "service";
    const found = problem(state, [messageOf(error), ...details].join(" "), error.requestId);
    return { ...found, sentence: refusalText(error.code) ?? found.sentence };
  }
  for (let cause: unknown = error; cause instanceof Object; cause = (cause as { cause?: unknown }).cause) {
    const { name, code } = cause as { name?: string; code?: number };
    const state = (code !== undefined && codes[code]) || (name !== undefined && names[name]);
    if (state) return problem(state);
  }
  return problem("unknown", error instanceof Error ? error.message.slice(0, 300) : String(error));
}

/** Returns the service's message. The client's message also has the code and the request id. */
function messageOf({ body, message }: ApiError): string {
  const serviceMessage = (body as { error?: { message?: string } } | null)?.error?.message;
  return serviceMessage ?? message;
}
