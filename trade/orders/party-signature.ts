import { type Address, type Hex, parseErc6492Signature } from "viem";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { digestToSign, readKeySignature, type TypedData } from "../../protocol/settlement/signatures.ts";
import type { Context } from "../context.ts";
import { isWalletSignature } from "../erc1271.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { recoverSigner } from "../signer-recovery.ts";

/** The latest deadline of a submitted signature, in seconds from now: a forgotten signature must not stay valid. */
const longestDeadline = 172_800n;

/** @throws Refusal `invalid_request` if the signed deadline (unix seconds) has passed or is too far away */
export function requireDeadline(deadline: bigint, now: bigint): void {
  if (deadline >= now && deadline <= now + longestDeadline) return;
  const wrong = deadline < now ? "has passed" : "is more than two days away";
  throw refuseField(
    "deadline",
    "deadline",
    `The signed deadline ${wrong}: read the typed data again and sign it.`,
  );
}

/**
 * Checks that a party signed typed data: by its key, or by its contract wallet (ERC-1271), as the escrow contract
 * does.
 *
 * @param field the request's field with the signature
 * @returns the signature in the contract's form
 * @throws Refusal `invalid_request` for another signature, `dependency_unavailable` if the wallet cannot be called
 */
export async function checkPartySignature(
  context: Pick<Context, "chain" | "log">,
  typedData: TypedData,
  signer: Address,
  signature: Hex,
  field = "signature",
): Promise<Hex> {
  const digest = digestToSign(typedData);
  const byKey = await readKeySignature(digest, signature, signer, recoverSigner);
  if (byKey) return byKey;
  const inner = withoutDeployment(signature);
  if (await checkWalletSignature(context, typedData.domain.chainId, { signer, digest, signature: inner }))
    return inner;
  throw refuseSignature(signer, field);
}

/**
 * Checks that a party's key signed typed data. The escrow contract runs no code of the party for a voucher of its key.
 *
 * @returns the signature in the contract's form
 * @throws Refusal `invalid_request` for another signature, also that of a contract wallet
 */
export async function checkKeySignature(typedData: TypedData, signer: Address, signature: Hex): Promise<Hex> {
  const byKey = await readKeySignature(digestToSign(typedData), signature, signer, recoverSigner);
  if (byKey) return byKey;
  throw refuseSignature(signer, "signature", " A contract wallet cannot sign it.");
}

function refuseSignature(signer: Address, field: string, hint = ""): Refusal {
  const message = `This is not the signature of ${signer} for the current typed data. Read the typed data again, and sign it unchanged with that wallet.${hint}`;
  return new Refusal("invalid_request", message, [{ path: `/${field}`, keyword: "signature", message }]);
}

/** The escrow knows no ERC-6492: a wallet that sends its deployment along must be deployed before. */
function withoutDeployment(signature: Hex): Hex {
  try {
    return parseErc6492Signature(signature).signature;
  } catch {
    return signature;
  }
}

async function checkWalletSignature(
  context: Pick<Context, "chain" | "log">,
  chainId: number,
  signed: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  const client = context.chain(chainId)?.client;
  try {
    if (!client) throw new Error(`Chain ${chainId} is not configured.`);
    return await isWalletSignature(client, signed);
  } catch (error) {
    if (isContractAnswer(error)) return false;
    context.log.warn({ err: error, chain_id: chainId }, "cannot check the signature of a contract wallet");
    throw new Refusal(
      "dependency_unavailable",
      "The chain cannot be reached to check this wallet's signature. Try again.",
    );
  }
}
