import {
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  type SpecTypeName,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { JsonFault, readJson } from "../../../protocol/json/parse.ts";

/** Error codes of JSON-RPC 2.0. */
const codes = { parseError: -32_700, invalidRequest: -32_600, invalidParams: -32_602 } as const;

/** A JSON-RPC error with the id of its request. */
export type RpcRefusal = { id: string | number | null; code: number; message: string };

/** The requests whose invalid params the SDK would answer with an internal error. */
const requests: Readonly<Record<string, SpecTypeName>> = {
  initialize: "InitializeRequest",
  "tools/list": "ListToolsRequest",
  "resources/list": "ListResourcesRequest",
  "resources/templates/list": "ListResourceTemplatesRequest",
  "resources/read": "ReadResourceRequest",
  "prompts/list": "ListPromptsRequest",
  "prompts/get": "GetPromptRequest",
};

/** Refuses a text that is not JSON. */
export const refuseText = (message: string): RpcRefusal => ({ id: null, code: codes.parseError, message });

/** Refuses JSON that is not a single valid message. */
export const refuseMessage = (message: string): RpcRefusal => ({
  id: null,
  code: codes.invalidRequest,
  message,
});

/** Tells whether a refusal is about the params of an otherwise valid request. */
export const isOfParams = ({ code }: RpcRefusal) => code === codes.invalidParams;

/** Converts a refusal to a JSON-RPC response. */
export const writeRefusal = ({ id, code, message }: RpcRefusal) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

/** Parses the text of one message. */
export function readMessage(bytes: Uint8Array): { message: unknown } | { refusal: RpcRefusal } {
  try {
    return { message: readJson(bytes) };
  } catch (error) {
    const { message } = error as Error;
    return {
      refusal:
        error instanceof JsonFault
          ? refuseMessage(`The message is not I-JSON (RFC 7493): ${error.path || "the text"} ${message}.`)
          : refuseText(`The message is not JSON: ${message}`),
    };
  }
}

/** Returns the refusal of an invalid message or of invalid params; null for a valid message. */
export function findRefusal(message: unknown): RpcRefusal | null {
  // The protocol has no batches since 2025-06-18, and a batch would bypass the limits on requests.
  if (Array.isArray(message)) return refuseMessage("Send one message, not a batch of messages.");
  const refusal = findInvalidParams(message);
  if (refusal) return refusal;
  try {
    parseJSONRPCMessage(message);
    return null;
  } catch {
    return refuseMessage("This is not a JSON-RPC 2.0 message.");
  }
}

function findInvalidParams(message: unknown): RpcRefusal | null {
  const { jsonrpc, id, method, params } = (message ?? {}) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || typeof method !== "string") return null;
  if (typeof id !== "string" && !Number.isInteger(id)) return null;
  const refuse = (fault: string): RpcRefusal => ({
    id: id as string | number,
    code: codes.invalidParams,
    message: `Invalid params for ${method}: ${fault}`,
  });
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return refuse("must be an object");
  const name = Object.hasOwn(requests, method) ? requests[method] : undefined;
  // The handler of `initialize` answers a request of the 2026 protocol itself.
  const { _meta: meta } = (params ?? {}) as { _meta?: Record<string, unknown> };
  if (!name || (method === "initialize" && meta?.[PROTOCOL_VERSION_META_KEY] !== undefined)) return null;
  const result = specTypeSchemas[name]["~standard"].validate({ method, params });
  if (result instanceof Promise || !result.issues) return null;
  const faults = result.issues.map(({ path = [], message: fault }) => {
    const names = path.map((part) => String(typeof part === "object" ? part.key : part));
    return `${names.join(".")}: ${fault}`;
  });
  return refuse(faults.join("; "));
}
