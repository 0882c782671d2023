import {
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  type SpecTypeName,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { JsonFault, readJson } from "../../../protocol/json/parse.ts";

/** Error codes of JSON-RPC 2.0. */
const codes = { parseError: -32_700, invalidRequest: -32_600, invalidParams: -32_602 } as const;

/** An error of JSON-RPC, and the id of its request. */
export type RpcRefusal = { id: string | number | null; code: number; message: string };

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

/** Refuses a text that is no JSON. */
export const refuseText = (message: string): RpcRefusal => ({ id: null, code: codes.parseError, message });

/** Refuses JSON that is no single message, or that cannot be kept. */
export const refuseMessage = (message: string): RpcRefusal => ({
  id: null,
  code: codes.invalidRequest,
  message,
});

/** Whether a refusal is of a request's params: the message itself is one. */
export const isOfParams = ({ code }: RpcRefusal) => code === codes.invalidParams;

/** The refusal as it is sent. */
export const writeRefusal = ({ id, code, message }: RpcRefusal) => ({
  ...{ jsonrpc: "2.0", id },
  error: { code, message },
});

/** Reads one message from a text of its own. */
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

/** The refusal of a value that is not a message, or of a request with wrong params; null for a good message. */
export function findWrong(message: unknown): RpcRefusal | null {
  // Batches left the protocol in 2025-06-18; one would hide many calls from the limits on requests.
  if (Array.isArray(message)) return refuseMessage("Send one message, not a batch of messages.");
  const wrong = findWrongParams(message);
  if (wrong) return wrong;
  try {
    parseJSONRPCMessage(message);
    return null;
  } catch {
    return refuseMessage("This is no message of JSON-RPC 2.0.");
  }
}

function findWrongParams(message: unknown): RpcRefusal | null {
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
  // A request of 2026 with a method of 2025 is answered by its method.
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
