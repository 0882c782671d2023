import type { Context as HonoContext } from "hono";
import { type RpcRefusal, refuseMessage, refuseText } from "../../clients/typescript/mcp/rpc-messages.ts";
import { ApiError } from "../http/api-error.ts";
import { readJsonBody } from "../http/request-body.ts";

/**
 * Reads the message of a request.
 *
 * @returns the refusal of a body that is no JSON, or whose text cannot be stored
 * @throws ApiError `unsupported_media_type`
 */
export async function readMcpBody(c: HonoContext): Promise<{ message: unknown } | { refusal: RpcRefusal }> {
  try {
    const body = await readJsonBody(c);
    return body ? { message: body.value } : { refusal: refuseText("Send a message: the body is empty.") };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_request") throw error;
    const [fault] = error.details ?? [];
    return {
      refusal: fault
        ? refuseMessage(`${error.message} At ${fault.path}: ${fault.message}`)
        : refuseText(error.message),
    };
  }
}
