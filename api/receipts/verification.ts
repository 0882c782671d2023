import { createRoute, z } from "@hono/zod-openapi";
import { issuerOf } from "../../receipts/issuer.ts";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { verifyOffer, verifyReceipt, verifyX402Receipt } from "../../receipts/verify.ts";
import { largestBody } from "../../trade/storable-json.ts";
import type { Context } from "../context.ts";
import { jsonObjectField, orNull } from "../http/fields.ts";
import { jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const notice =
  "This service checked its own signature, so this answer is only as good as your trust in it. To trust nobody, check " +
  "the receipt with your own verifier, and ask a node of the chain whether the money moved: docs/receipts.md.";

const checkSchema = z
  .strictObject({
    receipt: z.union([z.string().max(largestBody), jsonObjectField]).openapi("ReceiptToCheck", {
      description:
        "A settlement document, as text or as an object; only in a text can duplicate members be found. Or an x402 receipt or offer, as a compact JWS or in its envelope.",
    }),
  })
  .openapi("ReceiptCheck");

const resultSchema = z
  .object({
    convenience: z.literal(true),
    notice: z.string().openapi({ description: "the limits of this check", example: notice }),
    issuer: z.string().openapi({ description: "the expected issuer: this service" }),
    kind: orNull(
      z.enum(["settlement_document", "x402_receipt", "x402_offer"]).openapi("ReceiptKind"),
    ).openapi({ description: "the kind of a valid receipt; null for an invalid one" }),
    valid: z.boolean(),
    code: z.string().nullable().openapi({ description: "the fault, as listed in docs/receipts.md" }),
    message: z.string().nullable(),
    key_id: z.string().nullable().openapi({ description: "the DID URL of the signing key" }),
    says: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "the signed fields; null for an invalid receipt" }),
    status: orNull(z.enum(["good", "revoked", "unknown"]).openapi("ReceiptStatus")).openapi({
      description:
        "whether the service revoked the receipt; `unknown` if its list could not be read; null for an offer and for an invalid receipt",
    }),
    chain_checked: z.literal(false).openapi({
      description: "the chain is not checked: a valid signature does not prove that money moved",
    }),
  })
  .openapi("ReceiptCheckResult");

/**
 * Adds a check of the service's own receipts, for clients that cannot verify. Its answer is only as good as the service.
 *
 * @param root the app that serves the key documents, which the check reads like any verifier
 */
export function addReceiptCheck(app: App, root: App, context: Context): void {
  const { publicUrl } = context.config;
  const issuer = issuerOf(publicUrl);
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, "");
  // The verifier requests only the issuer's own documents, which this app serves.
  const fetchOwn = (async (url: string, init?: RequestInit) =>
    root.request(new URL(url).pathname.slice(prefix.length), init)) as typeof fetch;

  app.openapi(
    createRoute({
      method: "post",
      path: "/receipts/verify",
      operationId: "verifyReceipt",
      tags: ["receipts"],
      summary: "Check a receipt, if you trust this service's answer",
      request: { body: jsonBody(checkSchema) },
      responses: {
        200: jsonResponse("The result, also for an invalid receipt", resultSchema),
      },
    }),
    async (c) => {
      const verified = await check(c.req.valid("json").receipt);
      return c.json(
        {
          convenience: true as const,
          notice,
          issuer,
          kind: verified.valid ? verified.kind : null,
          valid: verified.valid,
          code: verified.valid ? null : verified.code,
          message: verified.valid ? null : verified.message,
          key_id: verified.valid ? verified.keyId : null,
          says: verified.valid ? signedFieldsOf(verified) : null,
          status: "status" in verified ? (verified.status ?? null) : null,
          chain_checked: false as const,
        },
        200,
      );
    },
  );

  async function check(receipt: string | Record<string, unknown>) {
    const options = { issuer, fetch: fetchOwn, checkSignature };
    const isJws = typeof receipt === "string" ? !receipt.trimStart().startsWith("{") : "signature" in receipt;
    if (!isJws) return verifyReceipt(receipt, options);
    const asReceipt = await verifyX402Receipt(receipt, options);
    if (asReceipt.valid || asReceipt.code !== "wrong_kind") return asReceipt;
    return verifyOffer(receipt, options);
  }
}

type Valid = Extract<
  Awaited<ReturnType<typeof verifyReceipt | typeof verifyX402Receipt | typeof verifyOffer>>,
  { valid: true }
>;

function signedFieldsOf(result: Valid): Record<string, unknown> {
  if (result.kind === "settlement_document") return { ...result.document };
  return result.kind === "x402_receipt" ? { ...result.receipt } : { ...result.offer };
}
