import { type SpecTypeName, specTypeSchemas } from "@modelcontextprotocol/server";
import type { Context as HonoContext } from "hono";
import { readJsonBody } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";

/** The codes that JSON-RPC 2.0 gives to what it cannot take. */
const codes = { parseError: -32_700, invalidRequest: -32_600, invalidParams: -32_602 } as const;

/** A refusal in the words of JSON-RPC, with the status of its answer. */
export type RpcRefusal = { status: 200 | 400; id: string | number | null; code: number; message: string };

/** The requests of MCP whose params the SDK answers as its own failure where they are wrong. */
const requests: Readonly<Record<string, SpecTypeName>> = {
  initialize: "InitializeRequest",
  "tools/list": "ListToolsRequest",
  "resources/list": "ListResourcesRequest",
  "resources/templates/list": "ListResourceTemplatesRequest",
  "resources/read": "ReadResourceRequest",
  "prompts/list": "ListPromptsRequest",
  "prompts/get": "GetPromptRequest",
};

/**
 * Reads one message.
 *
 * @returns the refusal of a body that is no JSON, that holds what cannot be kept, or that is no single message
 * @throws ApiError `unsupported_media_type`
 */
export async function readMessage(c: HonoContext): Promise<{ message: unknown } | { refusal: RpcRefusal }> {
  const refuse = (code: number, message: string) => ({
    refusal: { status: 400 as const, id: null, code, message },
  });
  try {
    const body = await readJsonBody(c);
    if (!body) return refuse(codes.parseError, "Send a message: the body is empty.");
    // Batches left the protocol in 2025-06-18; one would hide many calls from the limits on requests.
    if (Array.isArray(body.value))
      return refuse(codes.invalidRequest, "Send one message, not a batch of messages.");
    return { message: body.value };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_request") throw error;
    const [fault] = error.details ?? [];
    return fault
      ? refuse(codes.invalidRequest, `${error.message} At ${fault.path}: ${fault.message}`)
      : refuse(codes.parseError, error.message);
  }
}

/** The refusal of a request whose params are not those of its method; null for any other message. */
export function findWrongParams(message: unknown): RpcRefusal | null {
  const { jsonrpc, id, method, params } = (message ?? {}) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || typeof method !== "string") return null;
  if (typeof id !== "string" && !Number.isInteger(id)) return null;
  const refuse = (fault: string): RpcRefusal => ({
    status: 200,
    id: id as string | number,
    code: codes.invalidParams,
    message: `Invalid params for ${method}: ${fault}`,
  });
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return refuse("must be an object");
  const name = Object.hasOwn(requests, method) ? requests[method] : undefined;
  if (!name) return null;
  const result = specTypeSchemas[name]["~standard"].validate({ method, params });
  if (result instanceof Promise || !result.issues) return null;
  const faults = result.issues.map(({ path = [], message: fault }) => {
    const names = path.map((part) => String(typeof part === "object" ? part.key : part));
    return `${names.join(".")}: ${fault}`;
  });
  return refuse(faults.join("; "));
}
