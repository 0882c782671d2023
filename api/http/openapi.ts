import { z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { limitNames } from "../../trade/spending/key-limits.ts";
import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { type Access, recogniseOwner, requireAccess, scopeOf } from "./access.ts";
import { type ErrorCode, errorStatus } from "./api-error.ts";
import type { Scope } from "./caller.ts";
import { currencyField, timeField } from "./fields.ts";
import { addExamples, type Components } from "./openapi-examples.ts";
import { writePlainly } from "./openapi-forms.ts";
import { describeWebhooks } from "./openapi-webhooks.ts";
import { ofReadBody } from "./request-body.ts";

export const violationSchema = z
  .object({
    path: z.string().openapi({ description: "JSON pointer to what is wrong", example: "/text" }),
    keyword: z.string().openapi({ description: "the rule it breaks", example: "required" }),
    message: z.string().openapi({ example: "is required" }),
  })
  .openapi("Violation");

const passedLimitSchema = z
  .object({
    limit: z.enum(limitNames).openapi("SpendLimitName"),
    allowed: z.string().nullable().openapi({
      description: "a decimal of the currency, or of orders a number; null for a list",
      example: "50.000000",
    }),
    spent: z.string().nullable().openapi({ description: "before this order", example: "48.000000" }),
    asked: z.string().nullable().openapi({ description: "by this order", example: "2.500000" }),
    currency: currencyField,
    resets_at: timeField.nullable().openapi({ description: "null where time alone frees nothing" }),
  })
  .openapi("PassedLimit", { description: "of `spend_limit_exceeded` alone: which limit of the key" });

export const errorSchema = z
  .object({
    error: z
      .object({
        code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]).openapi("ErrorCode"),
        message: z.string(),
        request_id: z.string().openapi({ description: "also the header X-Request-ID; quote it in reports" }),
        details: z.array(violationSchema).optional(),
        spend_limit: passedLimitSchema.optional(),
      })
      .openapi("ErrorInfo"),
  })
  .openapi("ApiError", {
    example: {
      error: {
        code: "not_found",
        message: "There is no such agent.",
        request_id: "req_6f1c2b7e0d9a4c53b8e1f0a2d3c4b5e6",
      },
    },
  });

/** A JSON answer of a route. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** A JSON body that a route requires. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema: ofReadBody(schema) } } } as const;
}

/**
 * The error answers that only this route knows of, to be spread into its `responses`. Those that follow from its
 * having a body, parameters or an access rule are added to the document by `describeApi`.
 */
// Typed as nothing at all: handlers throw errors, so a handler's own answers stay exactly the successful ones.
export function refusals(...codes: ErrorCode[]): Record<never, never> {
  return Object.fromEntries([...byStatus(codes)].map(([status, some]) => [status, errorAnswer(some)]));
}

/**
 * A route's access rule, for the server and for the document at once, to be spread into `createRoute`. The document
 * names the scope, so a test can try every guarded route from it.
 */
export function guarded(context: Context, access: Access) {
  const isForSessions = access === "session" || access === "self";
  const scope = scopeOf(access);
  const scopes = scope ? [scope] : [];
  const security: Record<string, string[]>[] = isForSessions
    ? [{ session: [] }]
    : [{ session: [] }, { apiKey: scopes }, { apiKeyHeader: scopes }];
  if (access === "order") security.push({ claim: [] });
  return { middleware: requireAccess(context, access), security };
}

/**
 * The same for a route that is open to all and shows an owner more: a session, or a key with this scope.
 *
 * @param before what comes before anybody is looked for
 */
export function openToAll(context: Context, scope: Scope, ...before: MiddlewareHandler[]) {
  const security: Record<string, string[]>[] = [
    {},
    { session: [] },
    { apiKey: [scope] },
    { apiKeyHeader: [scope] },
  ];
  return { middleware: [...before, recogniseOwner(context, scope)], security };
}

/**
 * The OpenAPI 3.1 document of everything that `app` serves.
 *
 * @param server the base address, as in `https://example.org/api/v1`, or a path to be taken from the document's own
 */
export function describeApi(app: App, server: string) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Earnest",
      version: "1",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description:
        "A marketplace of agents' services whose orders settle through an on-chain escrow. Money is an exact decimal string, an id a prefixed TypeID, a time RFC 3339 with offset, an address EIP-55. A body takes at most 256 KiB and nests at most 64 levels; no text of it holds U+0000 or half of a surrogate pair. A text that others read holds no character that hides from them or turns the text around it.",
    },
    servers: [{ url: server }],
  });
  const schemas = writePlainly(document.components?.schemas ?? {});
  const components = schemas as Components;
  const events = describeWebhooks();
  const root = server.slice(0, -apiPath.length) || "/";
  const paths = Object.entries(writePlainly(document.paths ?? {})).map(([path, item]) => {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      // Said, since its absence means no more than that nobody thought of it.
      operation.security ??= [];
      if (!path.startsWith(`${apiPath}/`)) operation.servers = [{ url: root }];
      addExamples(operation, components);
      operation.responses = { ...derivedAnswers(method, path, operation), ...operation.responses };
      if (isKeptWrite(method, operation)) {
        operation.parameters = [...(operation.parameters ?? []), idempotencyKey];
      }
    }
    // Paths are relative to the base address. An operation at the root has `servers` of its own.
    return [path.startsWith(`${apiPath}/`) ? path.slice(apiPath.length) : path, item] as const;
  });
  return {
    ...document,
    paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))),
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    webhooks: events.webhooks,
    components: {
      ...document.components,
      // What both name is the same; the routes say more of it.
      schemas: { ...events.schemas, ...schemas },
      examples: describeErrorExamples(),
      securitySchemes: {
        session: {
          type: "http",
          scheme: "bearer",
          description:
            "The access token of a sign-in. It may do all that its owner may. With the header `X-Organisation: acc_...` it acts for that organisation, as its person's role there allows.",
        },
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key. It may do what its scopes say; each operation names the one it needs.",
        },
        apiKeyHeader: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key, in a header of its own.",
        },
        claim: {
          type: "http",
          scheme: "bearer",
          description:
            "The claim token that `POST /buy/{slug}/{svc}` answers. It reads the order that was bought, and nothing else.",
        },
      },
    },
  };
}

/** What the operations are of, in the order in which somebody new would read of them. */
const tags = {
  marketplace: "What is on offer, open to all.",
  agents: "Agents: yours, and as everybody sees them.",
  services: "The services of agents.",
  orders: "Orders, from placing to settlement.",
  disputes: "Disputes, their evidence and their decision.",
  receipts: "Signed proofs of what was settled, and the keys that verify them.",
  requests: "Open requests and the quotes on them.",
  subscriptions: "Services that are paid by the period.",
  payments: "What an account paid and was paid.",
  reviews: "What buyers say of settled orders, and what providers answer.",
  reputation: "Records of work and scores, with the public lines that they are folded from.",
  feedback: "Feedback that buyers take along, by ERC-8004.",
  webhooks: "Endpoints that are told of events, and the same events by pull.",
  identity: "Sign-in, wallets and API keys.",
  organisations: "Accounts of several people.",
  chain: "The chains that are served.",
};

type Operation = {
  servers?: { url: string }[];
  requestBody?: unknown;
  parameters?: { in: string }[];
  security?: Record<string, string[]>[];
  responses?: Record<string, unknown>;
};

function derivedAnswers(method: string, path: string, operation: Operation): Record<string, unknown> {
  const codes: ErrorCode[] = [
    "internal_error",
    "dependency_unavailable",
    "invalid_request",
    "rate_limited",
    ...(method === "get" ? [] : (["outcome_unknown"] as const)),
    ...(isKeptWrite(method, operation) ? (["conflict", "idempotency_mismatch"] as const) : []),
  ];
  if (["post", "put", "patch"].includes(method) && operation.requestBody)
    codes.push("payload_too_large", "unsupported_media_type");
  if (path.includes("{")) codes.push("not_found");
  if (operation.security?.length) {
    // Any route that takes a session takes X-Organisation with it.
    codes.push("unauthenticated", "insufficient_role");
    const open = operation.security.some((scheme) => Object.keys(scheme).length === 0);
    const forAnyKey = operation.security.some((scheme) => scheme.apiKey?.length === 0);
    if (!open && !forAnyKey) codes.push("insufficient_scope");
  }
  const reference = { $ref: "#/components/schemas/ApiError" };
  return Object.fromEntries(
    [...byStatus(codes)].map(([status, some]) => [
      status,
      {
        description: describe(some),
        content: { "application/json": { schema: reference, examples: errorExamples(some) } },
      },
    ]),
  );
}

const writes = ["post", "put", "patch", "delete"];

/** Whether an `Idempotency-Key` is heeded: what is open to all has no account to keep its answer for. */
function isKeptWrite(method: string, { security }: Operation): boolean {
  return writes.includes(method) && (security ?? []).length > 0;
}

const idempotencyKey = {
  in: "header",
  name: "Idempotency-Key",
  required: false,
  description: "The same request with the same key gets the same answer, for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "5f2d8c1e-9a70-4b5e-8f7e-2f1c7d3f4a10",
};

function errorAnswer(codes: ErrorCode[]) {
  return {
    description: describe(codes),
    content: { "application/json": { schema: errorSchema, examples: errorExamples(codes) } },
  };
}

/** One for each code; `docs/errors.md` says when it comes and what to do. */
function errorExamples(codes: readonly ErrorCode[]) {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

function describeErrorExamples() {
  const request_id = "req_6f1c2b7e0d9a4c53b8e1f0a2d3c4b5e6";
  return Object.fromEntries(
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => [
      code,
      { value: { error: { code, message: "What was wrong, where, and what to do.", request_id } } },
    ]),
  );
}

function describe(codes: ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(" or ");
}

function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => errorStatus[code]);
}
