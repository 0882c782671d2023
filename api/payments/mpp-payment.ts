// Offers and reads payments of MPP (the HTTP scheme `Payment`), method `evm`, intent `charge`.

import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { keccak256, stringToBytes } from "viem";
import { JsonFault, readJson } from "../../protocol/json/parse.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { signedAuthorization } from "../../protocol/settlement/x402-payload.ts";
import { refusePayment } from "../../trade/payments/payment-refusal.ts";
import type { SealedPayment } from "../../trade/purchases/purchase.ts";
import type { PurchaseOffer } from "../../trade/purchases/purchase-offer.ts";
import type { Context } from "../context.ts";
import { ApiError, parseAs } from "../http/api-error.ts";
import { checkSize } from "./submitted-payment.ts";

/** The method and the intent that the service offers. */
const offered = { method: "evm", intent: "charge" } as const;

const request = z.object({
  amount: z.string(),
  currency: z.string(),
  recipient: z.string(),
  methodDetails: z.object({ chainId: z.int().min(1) }),
});

const credential = z.object({
  challenge: z.object({
    id: z.string(),
    realm: z.string(),
    method: z.literal(offered.method),
    intent: z.literal(offered.intent),
    request: z.string(),
  }),
  payload: z
    .object({ type: z.literal("authorization"), ...signedAuthorization.shape.authorization.shape })
    .extend({ signature: signedAuthorization.shape.signature }),
});

/** Whether a request asks for a challenge of MPP. Its header would be too long beside x402's for all others. */
export function asksForMpp(c: HonoContext): boolean {
  const accepted = (c.req.header("accept-payment") ?? "").slice(0, 1000).split(",");
  return accepted.some((one) => /^\s*(evm|\*)\/(charge|\*)\s*(;\s*q=(?!0(\.0*)?\s*$)[\d.]+\s*)?$/i.test(one));
}

/** Writes the challenge of the first terms that an EIP-3009 signature pays; null if there are none. */
export function writeChallenge(
  { config }: Pick<Context, "config">,
  offers: readonly PurchaseOffer[],
): string | null {
  for (const { draft, requirements } of offers) {
    const payable = requirements.find(
      ({ scheme, extra }) => scheme === "exact" && extra.assetTransferMethod === undefined,
    );
    const seal = payable?.extra.terms;
    if (!payable || seal === undefined) continue;
    const asked = {
      amount: payable.amount,
      currency: payable.asset,
      methodDetails: {
        chainId: draft.chainId,
        credentialTypes: ["authorization"],
        decimals: draft.tokenDecimals,
      },
      recipient: payable.payTo,
    };
    const expires = new Date(Date.now() + payable.maxTimeoutSeconds * 1000).toISOString();
    const fields = { id: seal, realm: realmOf(config), ...offered, request: encode(asked), expires };
    const parts = Object.entries(fields).map(([name, value]) => `${name}="${value}"`);
    return `Payment ${parts.join(", ")}`;
  }
  return null;
}

const realmOf = ({ publicUrl }: Context["config"]) => new URL(publicUrl).host;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * Reads a payment of MPP from the header `Authorization`; null if there is none. Its challenge names the sealed terms.
 *
 * @throws ApiError `invalid_request`; PaymentRefusal if the nonce is not that of the challenge
 */
export function readMppPayment({ config }: Pick<Context, "config">, c: HonoContext): SealedPayment | null {
  const [, encoded] = /^Payment +([\w-]+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  if (encoded === undefined) return null;
  checkSize(encoded);
  const { challenge, payload } = parse(credential, decode(encoded));
  const { amount, currency, recipient, methodDetails } = parse(request, decode(challenge.request));
  const { type: _, signature, ...authorization } = payload;
  const isBound = authorization.nonce === keccak256(stringToBytes(`${challenge.id}${challenge.realm}`));
  if (!isBound || challenge.realm !== realmOf(config))
    throw refusePayment("invalid_exact_evm_nonce_mismatch");
  const network: PaymentRequirements["network"] = `eip155:${methodDetails.chainId}`;
  return {
    signed: { signature, authorization },
    accepted: { scheme: "exact", network, amount, asset: currency, payTo: recipient },
    seal: challenge.id,
  };
}

function decode(text: string): unknown {
  try {
    return readJson(Buffer.from(text, "base64url"));
  } catch (error) {
    if (error instanceof JsonFault) throw new ApiError("invalid_request", invalid);
    throw error;
  }
}

const invalid = "Header Authorization: send a credential of MPP, with the method evm and the intent charge.";

const parse = <Schema extends z.ZodType>(schema: Schema, value: unknown) => parseAs(schema, value, invalid);

/** Writes the receipt of a settled payment, for the header `Payment-Receipt`. */
export const writeReceipt = (reference: string, at: Date) =>
  encode({ ...offered, status: "success", reference, timestamp: at.toISOString() });
