import { createRoute, z } from "@hono/zod-openapi";
import { issuerOf } from "../../receipts/issuer.ts";
import { checkSignature } from "../../receipts/native.ts";
import { verifyOffer, verifyReceipt, verifyX402Receipt } from "../../receipts/verify.ts";
import { largestBody } from "../../trade/storable-json.ts";
import type { Context } from "../context.ts";
import { jsonObjectField, orNull } from "../http/fields.ts";
import { answer, jsonBody } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const notice =
  "This service checked its own signature for you, so you take its word for the answer. To depend on nobody's word, " +
  "check the receipt with a verifier of your own, and ask a node of the chain whether the money moved: docs/receipts.md.";

const checkSchema = z
  .strictObject({
    receipt: z.union([z.string().max(largestBody), jsonObjectField]).openapi("ReceiptToCheck", {
      description:
        "A settlement document, as its text (better: members named twice are seen then) or as an object; or an x402 receipt or offer, as a compact JWS or in its envelope.",
    }),
  })
  .openapi("ReceiptCheck");

const resultSchema = z
  .object({
    convenience: z.literal(true),
    notice: z.string().openapi({ description: "whose word the answer is", example: notice }),
    issuer: z.string().openapi({ description: "whose receipt it had to be: this service's" }),
    kind: orNull(
      z.enum(["settlement_document", "x402_receipt", "x402_offer"]).openapi("ReceiptKind"),
    ).openapi({ description: "what was found good; null where nothing was" }),
    valid: z.boolean(),
    code: z.string().nullable().openapi({ description: "why it is not good, as docs/receipts.md lists it" }),
    message: z.string().nullable(),
    key_id: z.string().nullable().openapi({ description: "the DID URL of the key that signed" }),
    says: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "the signed fields; null where it is not good" }),
    status: orNull(z.enum(["good", "revoked", "unknown"]).openapi("ReceiptStatus")).openapi({
      description:
        "whether the service took it back; unknown where its list could not be read, null for an offer or what is not good",
    }),
    chain_checked: z.literal(false).openapi({
      description: "a good signature does not show that money moved, and no chain was asked",
    }),
  })
  .openapi("ReceiptCheckResult");

/**
 * Checks receipts of this service for those who cannot: its answer is worth as much as the service.
 *
 * @param root where the key documents are served, which are read from there as any verifier reads them
 */
export function addReceiptCheck(app: App, root: App, context: Context): void {
  const { publicUrl } = context.config;
  const issuer = issuerOf(publicUrl);
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, "");
  // Only the issuer's own documents are ever asked for, and they are here.
  const fetchOwn = (async (url: string, init?: RequestInit) =>
    root.request(new URL(url).pathname.slice(prefix.length), init)) as typeof fetch;

  app.openapi(
    createRoute({
      method: "post",
      path: "/receipts/verify",
      operationId: "verifyReceipt",
      tags: ["receipts"],
      summary: "Check a receipt, a convenience: the answer is this service's word",
      request: { body: jsonBody(checkSchema) },
      responses: {
        200: answer("What was found; a receipt that is not good is answered with 200 too", resultSchema),
      },
    }),
    async (c) => {
      const result = await check(c.req.valid("json").receipt);
      return c.json(
        {
          convenience: true as const,
          notice,
          issuer,
          kind: result.valid ? result.kind : null,
          valid: result.valid,
          code: result.valid ? null : result.code,
          message: result.valid ? null : result.message,
          key_id: result.valid ? result.keyId : null,
          says: result.valid ? saidBy(result) : null,
          status: "status" in result ? (result.status ?? null) : null,
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

function saidBy(result: Valid): Record<string, unknown> {
  if (result.kind === "settlement_document") return { ...result.document };
  return result.kind === "x402_receipt" ? { ...result.receipt } : { ...result.offer };
}
