import { ApiError, ConnectionError, EarnestError, UntrustedOrderError } from "../src/index.ts";
import { RefusedCall } from "./tool-context.ts";
import { markUntrusted, writeText } from "./untrusted-text.ts";

type Fields = Record<string, unknown>;

/** Explains an error to a model: its stable code, message and details, as text and as fields. */
export function explainFailure(error: unknown): { text: string; fields: Fields } {
  const { untrusted, ...fields } = describeFailure(error);
  const all = untrusted ? { ...fields, untrusted } : fields;
  return { text: writeText(`${fields.code}: ${fields.message}`, { error: all }), fields: all };
}

type Failure = { code: string; message: string; untrusted?: Fields } & Fields;

function describeFailure(error: unknown): Failure {
  if (error instanceof RefusedCall) return { code: error.code, message: error.message };
  if (error instanceof ApiError) {
    const body = error.body as { error?: unknown } | null;
    const envelope = typeof body === "object" && typeof body?.error === "object" ? body.error : {};
    // Further members, such as `spend_limit`, are passed on.
    const {
      code: _,
      message: serviceMessage,
      request_id: __,
      details: ___,
      ...more
    } = { ...envelope } as Fields;
    return {
      ...more,
      code: error.code,
      message: typeof serviceMessage === "string" ? serviceMessage : error.message,
      status: error.status,
      request_id: error.requestId,
      retry_after_seconds: error.retryAfter,
      // The details may have names from a user's schema.
      ...(error.details.length > 0 ? { untrusted: markUntrusted({ details: error.details }) } : {}),
    };
  }
  if (error instanceof ConnectionError) {
    return {
      code: "no_answer",
      message: `${error.message} The action may have happened. Repeat the same call.`,
    };
  }
  // Providers write the titles of services and of stages.
  if (error instanceof UntrustedOrderError && /title|stages/.test(error.field)) {
    const { code, orderId, field, expected, found } = error;
    const message = `${orderId ?? "The service"}: ${field} differs. Nothing was signed.`;
    return { code, message, untrusted: markUntrusted({ expected, found }) };
  }
  if (error instanceof EarnestError) {
    const code = error.name
      .replace(/Error$/, "")
      .replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`)
      .toLowerCase();
    return { code, message: error.message };
  }
  if (error instanceof DOMException && (error.name === "AbortError" || error.name === "TimeoutError")) {
    return { code: "ended", message: "The call ended before the answer. Repeat the call." };
  }
  if (error instanceof TypeError) return { code: "invalid_arguments", message: error.message };
  return {
    code: "internal_error",
    message: "This tool failed. Repeat the call, and report the error if it persists.",
  };
}
