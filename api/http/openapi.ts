import { z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { limitNames } from "../../trade/spending/key-limits.ts";
import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { type Access, needsSession, recogniseOwner, requireAccess, scopeOf } from "./access.ts";
import { type ErrorCode, errorStatus } from "./api-error.ts";
import type { Scope } from "./caller.ts";
import { chainIdField, currencyField, shownAddress, timeField } from "./fields.ts";
import { addExamples, type Components } from "./openapi-examples.ts";
import { simplifySchemas } from "./openapi-schemas.ts";
import { describeWebhooks } from "./openapi-webhooks.ts";
import { forParsedBody } from "./request-body.ts";

export const violationSchema = z
  .object({
    path: z.string().openapi({ description: "JSON pointer to the invalid value", example: "/text" }),
    keyword: z.string().openapi({ description: "the violated rule", example: "required" }),
    message: z.string().openapi({ example: "is required" }),
  })
  .openapi("Violation");

const passedLimitSchema = z
  .object({
    limit: z.enum(limitNames).openapi("SpendLimitName"),
    allowed: z.string().nullable().openapi({
      description: "a decimal of the currency, or a number of orders; null for a list",
      example: "50.000000",
    }),
    spent: z
      .string()
      .nullable()
      .openapi({ description: "the amount before this order", example: "48.000000" }),
    asked: z.string().nullable().openapi({ description: "the amount of this order", example: "2.500000" }),
    chain_id: chainIdField,
    token: shownAddress,
    currency: currencyField,
    resets_at: timeField
      .nullable()
      .openapi({ description: "null if the limit does not reset by time alone" }),
  })
  .openapi("PassedLimit", { description: "only with `spend_limit_exceeded`: the exceeded limit of the key" });

export const errorSchema = z
  .object({
    error: z
      .object({
        code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]).openapi("ErrorCode"),
        message: z.string(),
        request_id: z
          .string()
          .openapi({ description: "the same as in the header X-Request-ID; quote it in reports" }),
        details: z.array(violationSchema).optional(),
        spend_limit: passedLimitSchema.optional(),
      })
      .openapi("ErrorInfo"),
  })
  .openapi("ApiError", {
    example: {
      error: {
        code: "not_found",
        message: "Unknown agent.",
        request_id: "req_6f1c2b7e0d9a4c53b8e1f0a2d3c4b5e6",
      },
    },
  });

/** A JSON response for a route's `responses`. */
export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** A required JSON body for a route's `request`. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema: forParsedBody(schema) } } } as const;
}

/**
 * The error responses of one route, to be spread into its `responses`. `describeApi` adds those that follow from a
 * body, parameters or an access rule.
 */
// The type is empty: handlers throw errors, so a handler's own answers are exactly the successful ones.
export function errorResponses(...codes: ErrorCode[]): Record<never, never> {
  return Object.fromEntries([...byStatus(codes)].map(([status, some]) => [status, errorResponse(some)]));
}

/**
 * The access rule of a route, for the server and the document, to be spread into `createRoute`. The document names the
 * scope, so a test can try every route with a rule.
 */
export function accessRule(context: Context, access: Access) {
  const scope = scopeOf(access);
  const scopes = scope ? [scope] : [];
  const security: Record<string, string[]>[] = needsSession(access)
    ? [{ session: [] }]
    : [{ session: [] }, { apiKey: scopes }, { apiKeyHeader: scopes }];
  if (access === "order") security.push({ claim: [] });
  return { middleware: requireAccess(context, access), security };
}

/**
 * The access rule of a public route that shows its owner more: a session, or a key with this scope.
 *
 * @param before middleware that runs before the caller is recognised
 */
export function publicAccessRule(context: Context, scope: Scope, ...before: MiddlewareHandler[]) {
  const security: Record<string, string[]>[] = [
    {},
    { session: [] },
    { apiKey: [scope] },
    { apiKeyHeader: [scope] },
  ];
  return { middleware: [...before, recogniseOwner(context, scope)], security };
}

/**
 * Writes the OpenAPI 3.1 document of all routes of `app`.
 *
 * @param server the base URL, as in `https://example.org/api/v1`, or a path relative to the document's own URL
 */
export function describeApi(app: App, server: string) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Earnest",
      version: "1",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description:
        "A marketplace of agents' services. Orders settle through an on-chain escrow. Amounts of money are exact decimal strings, ids are prefixed TypeIDs, times are RFC 3339 with an offset, and addresses are EIP-55. A body has at most 256 KiB and 64 levels of nesting. Its texts may not contain U+0000 or lone surrogates. Texts that other people read may not contain hidden characters or characters that change the direction of the text around them.",
    },
    servers: [{ url: server }],
  });
  const schemas = simplifySchemas(document.components?.schemas ?? {});
  const components = schemas as Components;
  const events = describeWebhooks();
  const root = server.slice(0, -apiPath.length) || "/";
  const paths = Object.entries(simplifySchemas(document.paths ?? {})).map(([path, item]) => {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      // An empty list says that the operation is public. An absent one would say nothing.
      operation.security ??= [];
      if (!path.startsWith(`${apiPath}/`)) operation.servers = [{ url: root }];
      addExamples(operation, components);
      operation.responses = { ...derivedResponses(method, path, operation), ...operation.responses };
      if (takesIdempotencyKey(method, operation)) {
        operation.parameters = [...(operation.parameters ?? []), idempotencyKey];
      }
    }
    // Paths are relative to the base URL. An operation at the root has `servers` of its own.
    return [path.startsWith(`${apiPath}/`) ? path.slice(apiPath.length) : path, item] as const;
  });
  return {
    ...document,
    paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))),
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    webhooks: events.webhooks,
    components: {
      ...document.components,
      // Schemas of both have the same shape. Those of the routes have more descriptions.
      schemas: { ...events.schemas, ...schemas },
      examples: describeErrorExamples(),
      securitySchemes: {
        session: {
          type: "http",
          scheme: "bearer",
          description:
            "The access token of a sign-in. It may do everything that the account's owner may do. With the header `X-Organisation: acc_...` it acts for that organisation, within the person's role.",
        },
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key. It may do what its scopes allow. Each operation names the scope that it needs.",
        },
        apiKeyHeader: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key in its own header.",
        },
        claim: {
          type: "http",
          scheme: "bearer",
          description:
            "The claim token that `POST /buy/{slug}/{svc}` answers. It can only read the order that was bought.",
        },
      },
    },
  };
}

/** The tags of operations, in the order in which a new reader needs them. */
const tags = {
  marketplace: "The public catalogue: agents, services and categories.",
  agents: "Your agents, and the public pages of all agents.",
  services: "The services of agents.",
  orders: "Orders, from placing to settlement.",
  messages: "Messages between the parties of an order, and the arbiter of its dispute.",
  files: "Files that inputs, outputs, messages and evidence name.",
  disputes: "Disputes, their evidence and their decision.",
  receipts: "Signed proofs of what was settled, and the keys that verify them.",
  requests: "Open requests and the quotes on them.",
  subscriptions: "Services that are paid for each period.",
  payments: "Payments that an account made and received.",
  reviews: "Reviews of settled orders, and the replies of providers.",
  reports: "Reports to the operators, and their answers.",
  reputation: "Records of work and scores, with the public outcomes that they are computed from.",
  feedback: "Portable feedback by ERC-8004.",
  webhooks: "Webhook endpoints for events, and the feed of the same events.",
  notifications: "What happened to an account, with a read state for each person.",
  identity: "Sign-in, wallets and API keys.",
  organisations: "Accounts that several people share.",
  chain: "The chains of this service.",
  operator: "For operators: moderation and the state of the service. It moves no money and takes no API key.",
};

type Operation = {
  servers?: { url: string }[];
  requestBody?: unknown;
  parameters?: { in: string }[];
  security?: Record<string, string[]>[];
  responses?: Record<string, unknown>;
};

function derivedResponses(method: string, path: string, operation: Operation): Record<string, unknown> {
  const codes: ErrorCode[] = [
    "internal_error",
    "dependency_unavailable",
    "invalid_request",
    "rate_limited",
    ...(method === "get" ? [] : (["outcome_unknown"] as const)),
    ...(takesIdempotencyKey(method, operation) ? (["conflict", "idempotency_mismatch"] as const) : []),
  ];
  if (["post", "put", "patch"].includes(method) && operation.requestBody)
    codes.push("payload_too_large", "unsupported_media_type");
  if (path.includes("{")) codes.push("not_found");
  if (operation.security?.length) {
    // Every route that accepts a session accepts X-Organisation too.
    codes.push("unauthenticated", "insufficient_role", "account_banned");
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

/** Whether a write takes an `Idempotency-Key`. A public write does not: there is no account to store its answer for. */
function takesIdempotencyKey(method: string, { security }: Operation): boolean {
  return writes.includes(method) && (security ?? []).length > 0;
}

const idempotencyKey = {
  in: "header",
  name: "Idempotency-Key",
  required: false,
  description: "A repeated request with the same key gets the same answer, for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "5f2d8c1e-9a70-4b5e-8f7e-2f1c7d3f4a10",
};

function errorResponse(codes: ErrorCode[]) {
  return {
    description: describe(codes),
    content: { "application/json": { schema: errorSchema, examples: errorExamples(codes) } },
  };
}

/** One example for each code. `docs/errors.md` explains the codes. */
function errorExamples(codes: readonly ErrorCode[]) {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

function describeErrorExamples() {
  const request_id = "req_6f1c2b7e0d9a4c53b8e1f0a2d3c4b5e6";
  return Object.fromEntries(
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => [
      code,
      { value: { error: { code, message: "What is wrong, where, and what to do.", request_id } } },
    ]),
  );
}

function describe(codes: ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(" or ");
}

function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => errorStatus[code]);
}
