/** The interface of a provider's endpoint. Signing is the service's own. */
export {
  type ExecutionErrorCode,
  type ExecutionFailure,
  type ExecutionHeaders,
  type ExecutionOptions,
  type ExecutionOrder,
  type ExecutionRequest,
  type VerifiedExecution,
  verifyExecution,
} from "./verify.ts";
