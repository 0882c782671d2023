import type { Address, Hex } from "viem";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { digestToSign, readKeySignature, type TypedData } from "../../protocol/settlement/signatures.ts";
import type { Context } from "../context.ts";
import { isWalletSignature } from "../erc1271.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { recoverSigner } from "../signer-recovery.ts";

/** The longest that a signature handed in may still be good, in seconds: one nobody remembers must not be sent. */
const longestDeadline = 172_800n;

/** @throws Refusal `invalid_request` when the deadline that was signed is over, or far away; both in unix seconds */
export function requireDeadline(deadline: bigint, now: bigint): void {
  if (deadline >= now && deadline <= now + longestDeadline) return;
  const wrong = deadline < now ? "over" : "more than two days away";
  throw refuseField(
    "deadline",
    "deadline",
    `The deadline that was signed is ${wrong}: read the typed data again and sign it.`,
  );
}

/**
 * Checks that a party signed typed data: with its own key, or, for a contract wallet, by asking the wallet (ERC-1271),
 * as the escrow contract will.
 *
 * @returns the signature as the contract takes it
 * @throws Refusal `invalid_request` when it is not the party's, `dependency_unavailable` when its wallet could not be asked
 */
export async function checkPartySignature(
  context: Pick<Context, "chain" | "log">,
  typedData: TypedData,
  signer: Address,
  signature: Hex,
): Promise<Hex> {
  const digest = digestToSign(typedData);
  const byKey = await readKeySignature(digest, signature, signer, recoverSigner);
  if (byKey) return byKey;
  if (await checkWalletSignature(context, typedData.domain.chainId, { signer, digest, signature }))
    return signature;
  const message = `This is not ${signer}'s signature of the typed data as it stands now: read it again and sign it unchanged, with that wallet.`;
  throw new Refusal("invalid_request", message, [{ path: "/signature", keyword: "signature", message }]);
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
    context.log.warn({ err: error, chain_id: chainId }, "a wallet's signature could not be checked");
    throw new Refusal(
      "dependency_unavailable",
      "The chain could not be asked whether this wallet accepts the signature. Try again.",
    );
  }
}
