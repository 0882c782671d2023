export type { Known } from "./buying/agreement-check.ts";
export type { BuyOptions, BuyQuoteOptions, ResumeOptions } from "./buying/buy.ts";
export type { BuyWithoutAccountOptions, ResumeWithoutAccountOptions } from "./buying/buy-without-account.ts";
export type { Delivery, WaitingStage } from "./buying/delivered-work.ts";
export {
  ApprovalRequiredError,
  OrderEndedError,
  PaymentFailedError,
  RelayFailedError,
  TransactionError,
  UntrustedOrderError,
} from "./buying/errors.ts";
export type { OnProgress, Progress } from "./buying/progress.ts";
export type { Purchase, StageDecision } from "./buying/purchase.ts";
export type { ReleaseReceipt } from "./buying/receipt.ts";
export type { HeldToken, KnownToken, PayWith } from "./buying/tokens.ts";
export type { Nodes, OrderWallet } from "./buying/wallet.ts";
export { Earnest } from "./client.ts";
export type { Answer, Call, RawResponse, RequestOptions } from "./core/call.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  EarnestError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnprocessableError,
} from "./core/errors.ts";
export { fromBaseUnits, toBaseUnits } from "./core/exact-amounts.ts";
export type { Page, PagePromise } from "./core/page.ts";
export type { Hooks, RequestReport, Token, TransportOptions } from "./core/transport.ts";
export { EventStream } from "./events.ts";
export {
  type DownloadOptions,
  FileMismatchError,
  type FileProgress,
  type FileSource,
  type UploadOptions,
} from "./files.ts";
export type { FollowOptions } from "./follow-options.ts";
export { errorCodes } from "./generated/api.ts";
export type * from "./generated/types.ts";
export { LiveStream } from "./live-stream.ts";
export { DeclinedError } from "./serving/errors.ts";
export { MeteredOutput, metered } from "./serving/metered-output.ts";
export type { Handler, HandlerContext } from "./serving/order-work.ts";
export type { Handlers, ServeOptions } from "./serving/serve.ts";
export {
  checkSignInText,
  type ExpectedText,
  type SignInOptions,
  type SigningWallet,
  UntrustedTextError,
} from "./sign-in.ts";
export { version } from "./version.ts";
