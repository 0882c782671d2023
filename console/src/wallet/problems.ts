import {
  ApiError,
  ConnectionError,
  PaymentFailedError,
  PreconditionFailedError,
  UntrustedOrderError,
  UntrustedTextError,
} from "earnest-client";

/** What may stand between a person and what they wanted done, each with its sentence. Pages show these and no others. */
export const sentences = {
  no_wallet: "No wallet is connected. Connect the wallet that you signed in with.",
  rejected: "You rejected this in your wallet. Nothing was signed or sent.",
  busy: "Your wallet still asks about an earlier request. Open the wallet and answer it first.",
  wrong_chain: "Your wallet is on another chain. Switch the chain, then go on.",
  unknown_chain: "Your wallet does not know this chain. Add it to the wallet, then go on.",
  wrong_account:
    "Your wallet shows another account than the one this needs. Switch the account in the wallet.",
  no_funds: "Your wallet holds too little for this, or too little native coin for the gas.",
  reverted: "The chain refused the transaction. No money moved but the gas.",
  replaced: "Your wallet replaced the transaction by another one. What you see here follows the new one.",
  cancelled: "Your wallet cancelled the transaction. Nothing was done but the gas was spent.",
  dropped:
    "The chain's node knows the transaction no more: it was dropped. Nothing was done yet; you can send it again.",
  node_dead: "The wallet's node of the chain does not answer. Nothing was lost. Try again when it does.",
  reorganised:
    "The chain took a block back, and this step with it. It is not final until it shows as confirmed.",
  refused: "What the service shows differs from what was agreed. Nothing was signed. Do not pay this order.",
  unpaid: "The payment was refused, so the order is not paid.",
  offline: "The service does not answer. Your money does not depend on it. Try again.",
  changed:
    "Somebody changed this since you opened it, so nothing was saved. Copy what you wrote, then reload the page.",
  service: "The service refused this.",
  input: "Something that you wrote is missing or wrong. Nothing was signed.",
  unknown: "Something went wrong in this page.",
} as const;

export type ProblemState = keyof typeof sentences;

/** A state with its sentence, and where there is more to say, what. */
export type Problem = {
  state: ProblemState;
  sentence: string;
  detail: string | null;
  requestId: string | null;
};

/** Thrown by this folder for a state that it has found itself. */
export class WalletProblem extends Error {
  readonly state: ProblemState;
  constructor(state: ProblemState, detail?: string) {
    super(detail ?? sentences[state]);
    this.state = state;
  }
}

const problem = (
  state: ProblemState,
  detail: string | null = null,
  requestId: string | null = null,
): Problem => ({
  state,
  sentence: sentences[state],
  detail: detail === sentences[state] ? null : detail,
  requestId,
});

/** The errors of wallets (EIP-1193, EIP-1474) by their code. */
const codes: Record<number, ProblemState> = {
  4001: "rejected",
  4100: "wrong_account",
  4900: "node_dead",
  4901: "wrong_chain",
  4902: "unknown_chain",
  [-32002]: "busy",
  [-32003]: "no_funds",
};

/** The errors of viem and wagmi by their name; their classes would bring all of viem into the first page. */
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

/** Reads any error as one of the states. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WalletProblem) return problem(error.state, error.message);
  if (error instanceof UntrustedOrderError || error instanceof UntrustedTextError) {
    return problem("refused", error.message);
  }
  if (error instanceof PaymentFailedError) return problem("unpaid", error.message);
  if (error instanceof ConnectionError) return problem("offline");
  if (error instanceof PreconditionFailedError) return problem("changed", null, error.requestId);
  if (error instanceof ApiError) {
    const places = error.details.slice(0, 5).map(({ path, message }) => `${path || "/"}: ${message}`);
    return problem("service", [messageOf(error), ...places].join(" "), error.requestId);
  }
  for (let cause: unknown = error; cause instanceof Object; cause = (cause as { cause?: unknown }).cause) {
    const { name, code } = cause as { name?: string; code?: number };
    const state = (code !== undefined && codes[code]) || (name !== undefined && names[name]);
    if (state) return problem(state);
  }
  return problem("unknown", error instanceof Error ? error.message.slice(0, 300) : String(error));
}

/** The service's own sentence, without the code and the request id that the client's message has. */
function messageOf({ body, message }: ApiError): string {
  const said = (body as { error?: { message?: string } } | null)?.error?.message;
  return said ?? message;
}
