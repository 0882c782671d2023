import type { z } from "@hono/zod-openapi";
import { decodePaymentSignatureHeader } from "@x402/core/http";
import type { Context as HonoContext } from "hono";
import { JsonFault, parseJson, readJson } from "../../protocol/json/parse.ts";
import {
  paymentIdentifier,
  paymentPayload,
  signedAccountCalls,
  signedAuthorization,
  signedPermit,
  signedReceiveAuthorization,
} from "../../protocol/settlement/x402-payload.ts";
import type {
  SubmittedAuthorization,
  SubmittedCalls,
  SubmittedPayment,
} from "../../trade/payments/pay-order.ts";
import { ApiError, parseAs } from "../http/api-error.ts";

/** The most bytes of a payment. Signatures of contract wallets are long, but not longer. */
export const largestPayment = 64 * 1024;

/**
 * Reads the payment of a request from the header, or else from the body; null if there is none.
 *
 * @throws ApiError `invalid_request` with each fault, or `payload_too_large`
 */
export async function readSubmittedPayment(
  c: HonoContext,
): Promise<SubmittedPayment | SubmittedAuthorization | SubmittedCalls | null> {
  const inHeader = readHeaderPayment(c);
  if (inHeader) return inHeader;
  const text = await c.req.text();
  const body: unknown = text === "" ? null : parseJson(text);
  // An x402 client sends its caller's body with each request, so a body without these names is no payment.
  if (!isObject(body) || !["x402Version", "payload", "signature"].some((name) => name in body)) return null;
  checkSize(text);
  if ("accountCalls" in body) return { accepted: null, signed: parse(signedAccountCalls, body) };
  if ("receiveAuthorization" in body) {
    return { accepted: null, signed: parse(signedReceiveAuthorization, body) };
  }
  return parsePayment(body);
}

/** Reads the payment from the header, for a route whose body is something else. */
export function readHeaderPayment(c: HonoContext): SubmittedPayment | null {
  const header = c.req.header("payment-signature");
  if (header === undefined) return null;
  checkSize(header);
  return parsePayment(decodeHeader(header));
}

/** @throws ApiError `payload_too_large` */
export function checkSize(text: string): void {
  if (Buffer.byteLength(text) <= largestPayment) return;
  throw new ApiError("payload_too_large", `The payment has more than ${largestPayment} bytes.`);
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
    throw new ApiError("invalid_request", "Header PAYMENT-SIGNATURE: send the base64 of a JSON document.", [
      detail,
    ]);
  }
}

/** @throws ApiError `invalid_request` with each fault */
export function parsePayment(value: unknown): SubmittedPayment {
  if (!isObject(value) || !("x402Version" in value || "payload" in value)) {
    return { accepted: null, signed: parse(shapeOf(value), value) };
  }
  // The intended one of the two shapes is chosen first. Errors of a union would not name the fault.
  const { accepted, payload, extensions } = parse(
    paymentPayload.extend({ payload: shapeOf((value as { payload?: unknown }).payload) }),
    value,
  );
  const identifier = extensions?.[paymentIdentifier]?.info.id;
  return { accepted, signed: payload, ...(identifier === undefined ? {} : { identifier }) };
}

function shapeOf(signed: unknown): typeof signedAuthorization | typeof signedPermit {
  return isObject(signed) && "permit2Authorization" in signed ? signedPermit : signedAuthorization;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return parseAs(schema, value, "The payment does not match x402 (version 2, scheme exact or upto).");
}
