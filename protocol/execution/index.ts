/** The public interface for a provider's endpoint. Signing is not exported. */
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
