import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { type Address, bytesToHex, getAddress, isAddressEqual, parseAbi, zeroHash } from "viem";
import type { OrderRow } from "../db/ledger.ts";
import type { PaymentState } from "../db/payments.ts";
import { findCurrentKey } from "../receipts/key-window.ts";
import { signX402Offer } from "../receipts/sign.ts";
import type { TypedData } from "../settlement/signatures.ts";
import {
  authorizationData,
  type Payable,
  type PaymentMethod,
  type PaymentRequirements,
  permit2Address,
  permit2ProxyAddress,
  requirementsOf,
} from "../settlement/x402.ts";
import { createSignerReader, type Signer } from "../signer.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { shownAddress, timeField } from "./fields.ts";
import { basePath } from "./openapi.ts";
import { chainSilent, findOutage, isContractAnswer } from "./outages.ts";

const requirementsSchema = z
  .object({
    scheme: z.literal("exact"),
    network: z.string().openapi({ example: "eip155:8453" }),
    amount: z.string().openapi({ description: "base units", example: "2500000" }),
    asset: shownAddress,
    payTo: shownAddress.openapi({
      description: "the order's own deposit address: only the escrow contract can take money from it",
    }),
    maxTimeoutSeconds: z.int(),
    extra: z.object({
      name: z.string(),
      version: z.string(),
      assetTransferMethod: z.literal("permit2").optional(),
    }),
  })
  .openapi("PaymentRequirements");

export const paymentRequiredSchema = z
  .object({
    x402Version: z.literal(2),
    error: z.string().optional(),
    resource: z.object({
      url: z.string(),
      description: z.string(),
      mimeType: z.string(),
      serviceName: z.string(),
    }),
    accepts: z.array(requirementsSchema).min(1),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("PaymentRequired", { description: "x402's own document, version 2" });

export type PaymentRequired = z.output<typeof paymentRequiredSchema>;

export const paymentSchema = z
  .object({
    id: z.string(),
    status: z.enum(["accepted", "submitted", "confirmed", "failed"]).openapi({
      description:
        "`accepted`: written down, to be sent; `submitted`: on its way to the chain; `confirmed`: the order is funded; `failed`: see `error`, and pay anew",
    }),
    method: z.enum(["eip3009", "permit2"]),
    payer: shownAddress,
    transaction_hash: z.string().nullable(),
    error: z.string().nullable(),
    created_at: timeField,
  })
  .openapi("Payment");

/** A payment as its buyer sees it. It never says that the order is funded: the trail does. */
export function presentPayment({ payment, relay, creation }: PaymentState): z.output<typeof paymentSchema> {
  const onItsWay = relay?.status === "signed" || relay?.status === "mined";
  return {
    id: payment.id,
    status: payment.status === "accepted" && onItsWay ? "submitted" : payment.status,
    method: payment.method,
    payer: getAddress(payment.payer),
    transaction_hash: creation?.transactionHash ?? relay?.transactionHash ?? null,
    error: payment.error,
    created_at: payment.createdAt.toISOString(),
  };
}

/** Where an order is paid by x402. */
export function paymentUrl({ config }: Context, orderId: string): string {
  return `${config.publicUrl}${basePath}/orders/${orderId}/payment`;
}

/**
 * What an order asks of whoever pays it.
 *
 * @throws ApiError `dependency_unavailable` where its chain or token is not served here at the moment
 */
export function payableOf(context: Context, row: OrderRow): Payable {
  const token = context.chain(row.chainId)?.chain.token;
  if (!token || !isAddressEqual(token.address, row.token)) {
    throw new ApiError(
      "dependency_unavailable",
      `Chain ${row.chainId}, or this order's token on it, is not served here at the moment.`,
    );
  }
  const { chainId, amount, depositAddress, fundBy } = row;
  return { chainId, token, amount, depositAddress, fundBy };
}

/** What the buyer's wallet may sign to pay, with a nonce of its own each time. */
export function dataToSign(payable: Payable, payer: Address, now: bigint): TypedData {
  return authorizationData(payable, payer, bytesToHex(randomBytes(32)), now);
}

/**
 * The document that asks for an order's payment (x402 v2), with each way to pay signed as an offer where this process
 * has the signing key.
 */
export function requirePayment(
  context: Context,
  row: OrderRow,
  accepts: PaymentRequirements[],
  error?: string,
): PaymentRequired {
  const offers = signOffers(context, row, accepts);
  return {
    x402Version: 2,
    ...(error === undefined ? {} : { error }),
    resource: {
      url: paymentUrl(context, row.id),
      description: `Order ${row.reference}, into its escrow`,
      mimeType: "application/json",
      serviceName: "Earnest",
    },
    accepts,
    ...(offers.length > 0
      ? { extensions: { "offer-receipt": { info: { offers }, schema: offersSchema } } }
      : {}),
  };
}

/** JSON Schema of the extension's `info`, which x402 wants beside it. */
const offersSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["offers"],
  properties: {
    offers: {
      type: "array",
      items: {
        type: "object",
        required: ["format", "signature"],
        properties: {
          format: { const: "jws" },
          acceptIndex: { type: "integer", minimum: 0 },
          signature: { type: "string" },
        },
      },
    },
  },
};

function signOffers(context: Context, row: OrderRow, accepts: PaymentRequirements[]) {
  const signer = signerOf(context);
  // A file in which no key is in use any more was not copied here after a rotation: offers are left out then too.
  const key = signer && findCurrentKey(signer.keys, new Date());
  if (!key) return [];
  return accepts.map(({ scheme, network, asset, payTo, amount }, acceptIndex) => {
    // The order's own address, which its x402 receipt will name too: x402 matches the two by it.
    const resourceUrl = `${context.config.publicUrl}${basePath}/orders/${row.id}`;
    const offer = { resourceUrl, scheme, network, asset, payTo, amount, validUntil: row.fundBy };
    return { format: "jws" as const, acceptIndex, signature: signX402Offer(offer, key, signer.issuer) };
  });
}

const signerReaders = new WeakMap<Context, () => Signer | null>();

/** The key that signs offers; null while this process has none it can use, and then offers are left out. */
function signerOf(context: Context): Signer | null {
  const read = signerReaders.get(context) ?? createSignerReader(context.config);
  signerReaders.set(context, read);
  try {
    return read();
  } catch (error) {
    context.log.error({ err: error, alert: "signing_keys_unusable" }, "offers are left out");
    return null;
  }
}

/** How long what a chain offers is remembered, in milliseconds. */
const methodsKeptFor = 600_000;
const methodsOf = new WeakMap<Context, Map<number, { methods: PaymentMethod[]; until: number }>>();

const authorizationAbi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/**
 * How the token of a chain can be paid by signature: by its own authorizations, by Permit2 where x402's proxy stands.
 *
 * @throws when the chain cannot be asked
 */
export async function readMethods(context: Context, chainId: number): Promise<PaymentMethod[]> {
  const kept = methodsOf.get(context) ?? new Map();
  methodsOf.set(context, kept);
  const known = kept.get(chainId);
  if (known && known.until > Date.now()) return known.methods;
  const served = context.chain(chainId);
  if (!served) return [];
  const { client, chain } = served;
  const [authorizes, permit2, proxy] = await Promise.all([
    client
      .readContract({
        abi: authorizationAbi,
        address: chain.token.address,
        functionName: "authorizationState",
        args: [permit2Address, zeroHash],
      })
      .then(
        () => true,
        (error: unknown) => {
          // Remembered for a while, so only the token's own word may say that it has none.
          if (!isContractAnswer(error)) throw findOutage(error) ?? chainSilent();
          return false;
        },
      ),
    client.getCode({ address: permit2Address }),
    client.getCode({ address: permit2ProxyAddress }),
  ]);
  const methods: PaymentMethod[] = [];
  if (authorizes) methods.push("eip3009");
  if (permit2 && proxy) methods.push("permit2");
  kept.set(chainId, { methods, until: Date.now() + methodsKeptFor });
  return methods;
}

/** The ways to pay an order at this moment, as they are offered and as a payment is judged by. */
export async function readRequirements(
  context: Context,
  row: OrderRow,
  now: bigint,
): Promise<PaymentRequirements[]> {
  const methods = await readMethods(context, row.chainId);
  if (methods.length === 0) {
    throw new ApiError(
      "dependency_unavailable",
      "The order's token cannot be paid by signature on this chain; send the calls of `settlement-options` instead.",
    );
  }
  return requirementsOf(payableOf(context, row), methods, now);
}
