import { randomUUID } from "node:crypto";
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { checkJsonBody } from "./body.ts";
import type { App, Context, Variables } from "./context.ts";
import { ApiError, errorStatus } from "./errors.ts";

/** The largest request body, in bytes. */
const largestBody = 256 * 1024;

/** Builds the REST API over a context; nothing here knows of Ponder. */
export function createApp(context: Context): App {
  const app = newApp(context);
  return app;
}

/** An app with the envelope, request ids, body rules and validation answers, and no routes yet. */
function newApp(context: Context): App {
  const app: App = new OpenAPIHono<{ Variables: Variables }>({
    defaultHook: (result) => {
      if (result.success) return;
      const where = result.target === "json" ? "body" : result.target;
      throw new ApiError(
        "invalid_request",
        `The request's ${where} is not as this operation takes it.`,
        result.error.issues.map((issue) => ({
          path: `/${issue.path.map(String).join("/")}`,
          keyword: issue.code ?? "invalid",
          message: issue.message,
        })),
      );
    },
  });

  app.use(async (c, next) => {
    c.set("requestId", `req_${randomUUID().replaceAll("-", "")}`);
    c.header("X-Request-ID", c.get("requestId"));
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: () => {
        throw new ApiError("payload_too_large", `The request body is over ${largestBody} bytes.`);
      },
    }),
  );
  app.use(checkJsonBody);

  app.notFound(() => {
    throw new ApiError("not_found", "There is nothing at this path and method.");
  });
  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const known = error instanceof ApiError ? error : fromHttpException(error);
    if (!known)
      context.log.error({ err: error, request_id: requestId, path: c.req.path }, "unexpected error");
    const code = known?.code ?? "internal_error";
    c.header("X-Request-ID", requestId);
    return c.json(
      {
        error: {
          code,
          message:
            known?.message ?? "Something went wrong on our side. Quote the request id when you report it.",
          request_id: requestId,
          ...(known?.details ? { details: known.details } : {}),
        },
      },
      errorStatus[code] as ContentfulStatusCode,
    );
  });
  return app;
}

function fromHttpException(error: unknown): ApiError | null {
  if (!(error instanceof HTTPException)) return null;
  if (error.status === 400) return new ApiError("invalid_request", error.message);
  return null;
}
