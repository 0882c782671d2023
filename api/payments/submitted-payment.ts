import type { z } from "@hono/zod-openapi";
import { decodePaymentSignatureHeader } from "@x402/core/http";
import type { Context as HonoContext } from "hono";
import { JsonFault, parseJson, readJson } from "../../protocol/json/parse.ts";
import {
  paymentPayload,
  signedAuthorization,
  signedPermit,
  signedReceiveAuthorization,
} from "../../protocol/settlement/x402-payload.ts";
import type { HandedIn, HandedInReceive } from "../../trade/payments/pay-order.ts";
import { ApiError, pointerOf } from "../http/api-error.ts";

/** The largest payment, in bytes: contract wallets' signatures are long, but not longer. */
export const largestPayment = 64 * 1024;

/**
 * The payment in a request: from the header, else the body; null when there is none.
 *
 * @throws ApiError `invalid_request` with each fault, or `payload_too_large`
 */
export async function readHandedIn(c: HonoContext): Promise<HandedIn | HandedInReceive | null> {
  const inHeader = readHeaderPayment(c);
  if (inHeader) return inHeader;
  const text = await c.req.text();
  const body: unknown = text === "" ? null : parseJson(text);
  // A stock client sends whatever body its caller gave it along with each request.
  if (!isObject(body) || !["x402Version", "payload", "signature"].some((name) => name in body)) return null;
  checkSize(text);
  if ("receiveAuthorization" in body) {
    return { accepted: null, signed: parse(signedReceiveAuthorization, body) };
  }
  return parsePayment(body);
}

/** The same where the body says something else: from the header alone. */
export function readHeaderPayment(c: HonoContext): HandedIn | null {
  const header = c.req.header("payment-signature");
  if (header === undefined) return null;
  checkSize(header);
  return parsePayment(decodeHeader(header));
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) <= largestPayment) return;
  throw new ApiError("payload_too_large", `The payment is over ${largestPayment} bytes.`);
}

function decodeHeader(header: string): unknown {
  try {
    decodePaymentSignatureHeader(header);
    return readJson(Buffer.from(header, "base64"));
  } catch (error) {
    const detail =
      error instanceof JsonFault
        ? { path: error.path, keyword: error.keyword, message: error.message }
        : { path: "", keyword: "base64", message: "must be base64 of JSON" };
    throw new ApiError(
      "invalid_request",
      "The header PAYMENT-SIGNATURE is not the base64 of a JSON document.",
      [detail],
    );
  }
}

/** @throws ApiError `invalid_request` with each fault */
function parsePayment(value: unknown): HandedIn {
  if (!isObject(value) || !("x402Version" in value || "payload" in value)) {
    return { accepted: null, signed: parse(shapeOf(value), value) };
  }
  // Of the two shapes the one that is meant, so that its faults are named and not the union's.
  const { accepted, payload } = parse(
    paymentPayload.extend({ payload: shapeOf((value as { payload?: unknown }).payload) }),
    value,
  );
  return { accepted, signed: payload };
}

function shapeOf(signed: unknown): typeof signedAuthorization | typeof signedPermit {
  return isObject(signed) && "permit2Authorization" in signed ? signedPermit : signedAuthorization;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    "invalid_request",
    "The payment is not as x402 (version 2, scheme exact) has it.",
    parsed.error.issues.map(({ path, code, message }) => ({ path: pointerOf(path), keyword: code, message })),
  );
}
