import type { Context as HonoContext } from "hono";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { claimTokenPrefix } from "../../trade/purchases/sealed-terms.ts";
import type { Context } from "../context.ts";
import { ApiError, type ErrorCode, errorStatus } from "../http/api-error.ts";
import { callApp } from "../http/inner-request.ts";
import type { App, Variables } from "../variables.ts";

/** The most seconds for which a message waits for the output of its order. */
export const longestWait = 20;

/** An answer of the API. */
export type InnerAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** The error of an answer, in the API's envelope. */
export type InnerError = { code: string; message: string; details?: { path: string; keyword: string }[] };

export type InnerApi = ReturnType<typeof createInnerApi>;

/**
 * Makes a caller of this app's API for one message. Each call is an ordinary request, with scopes, limits and a line in the
 * log. It has the token of the message's request; the cookie of a session does not count.
 */
export function createInnerApi(
  app: App,
  { config }: Pick<Context, "config">,
  c: HonoContext<{ Variables: Variables }>,
) {
  const authorization = c.req.header("authorization");
  const apiKey = c.req.header("x-api-key");
  const tokens = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
  };
  const isClaim = authorization?.replace(/^Bearer +/i, "").startsWith(claimTokenPrefix) ?? false;
  const until = performance.now() + (2 * config.answerSeconds + longestWait) * 1000;
  const send = callApp(app, c, until);
  const { origin } = new URL(config.publicUrl);

  return {
    /** Whether an account's token came. A claim token reads one order, and buys nothing. */
    hasAccount: Object.keys(tokens).length > 0 && !isClaim,

    /** Calls the API. Without `isAnonymous`, the call has the token. */
    async call(
      method: "GET" | "POST",
      path: string,
      {
        body,
        headers = {},
        isAnonymous = false,
      }: { body?: object; headers?: Record<string, string>; isAnonymous?: boolean } = {},
    ): Promise<InnerAnswer> {
      const response = await send(`${origin}${apiPath}${path}`, {
        method,
        headers: {
          ...(isAnonymous ? {} : tokens),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, body: answer };
    },
  };
}

/** Returns the error of an answer. */
export const errorOf = ({ body }: InnerAnswer): InnerError =>
  (body.error ?? { code: "internal_error", message: "The service did not answer." }) as InnerError;

/** The statuses of faults that lie in the message. All others are answered by HTTP, as the API does. */
const messageFaults = [400, 404, 409, 422];

/** Tells whether an answer says that the message is wrong. */
export const isMessageFault = ({ status }: InnerAnswer): boolean => messageFaults.includes(status);

/** Converts the error of an answer to one that this app answers by HTTP, with its `Retry-After`. */
export function toApiError(answer: InnerAnswer): ApiError {
  const { code, message, details } = errorOf(answer);
  const known: ErrorCode = Object.hasOwn(errorStatus, code) ? (code as ErrorCode) : "internal_error";
  const seconds = Number(answer.headers.get("retry-after"));
  return new ApiError(
    known,
    message,
    details as ApiError["details"],
    Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  );
}
