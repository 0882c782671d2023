import { z } from "@hono/zod-openapi";
import { type Address, BaseError, type Hex, parseAbi } from "viem";
import type { RelayRow } from "../db/relays.ts";
import { digestToSign, readKeySignature, type TypedData } from "../settlement/signatures.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";

/** Bytes of a signature; contract wallets' are longer than a key's 65. */
export const signatureSchema = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x-hex of whole bytes")
  .max(2 + 2 * 8192)
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: "string", description: "the wallet's signature of the typed data, 0x-hex" });

export const relaySchema = z
  .object({
    id: z.string(),
    status: z.enum(["queued", "signed", "mined", "failed"]).openapi({
      description:
        "`signed`: on its way; `mined`: deep enough to count; `failed`: the contract refused it, and the same request starts it again",
    }),
    transaction_hash: z.string().nullable(),
    error: z.string().nullable(),
  })
  .openapi("Relay");

/** A call that our key sends for a party. */
export function presentRelay(row: RelayRow): z.output<typeof relaySchema> {
  return { id: row.id, status: row.status, transaction_hash: row.transactionHash, error: row.error };
}

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const erc1271Valid = "0x1626ba7e";

/**
 * Checks that a party signed typed data: with its own key, or, for a contract wallet, by asking the wallet (ERC-1271),
 * as the escrow contract will.
 *
 * @returns the signature as the contract takes it
 * @throws ApiError `invalid_request` when it is not the party's
 */
export async function checkPartySignature(
  context: Context,
  typedData: TypedData,
  signer: Address,
  signature: Hex,
): Promise<Hex> {
  const digest = digestToSign(typedData);
  const byKey = await readKeySignature(digest, signature, signer);
  if (byKey) return byKey;
  if (await isWalletSignature(context, typedData.domain.chainId, { signer, digest, signature }))
    return signature;
  const message = `This is not ${signer}'s signature of the typed data as it stands now: read it again and sign it unchanged, with that wallet.`;
  throw new ApiError("invalid_request", message, [{ path: "/signature", keyword: "signature", message }]);
}

async function isWalletSignature(
  context: Context,
  chainId: number,
  { signer, digest, signature }: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  const client = context.chain(chainId)?.client;
  try {
    if (!client) throw new Error(`Chain ${chainId} is not configured.`);
    const code = await client.getCode({ address: signer });
    if (!code) return false;
    const answered = await client.readContract({
      abi: erc1271Abi,
      address: signer,
      functionName: "isValidSignature",
      args: [digest, signature],
    });
    return answered === erc1271Valid;
  } catch (error) {
    // The wallet's own refusal, or an answer that is none; anything else says nothing about the signature.
    if (error instanceof BaseError && error.walk((cause) => walletErrors.has((cause as Error).name)))
      return false;
    context.log.warn({ err: error, chain_id: chainId }, "a wallet's signature could not be checked");
    throw new ApiError(
      "dependency_unavailable",
      "The chain could not be asked whether this wallet accepts the signature. Try again.",
    );
  }
}

const walletErrors = new Set([
  "ContractFunctionRevertedError",
  "ContractFunctionZeroDataError",
  "AbiDecodingDataSizeTooSmallError",
  "AbiDecodingZeroDataError",
]);
