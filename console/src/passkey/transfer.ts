import type { Earnest } from "earnest-client";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { parseAmount, passkeyExecuteHash } from "../../../protocol/settlement/index.ts";
import { WalletProblem } from "../problems/problem.ts";
import type { ServedToken } from "../settings.ts";
import { signChallenge } from "./ceremony.ts";
import type { Passkey } from "./stored-passkeys.ts";

/**
 * Moves tokens out of a passkey's account. The passkey signs a call that this page computes; the service sends it and pays
 * the gas.
 *
 * @param transfer.amount a decimal, such as "2.5"
 * @throws WalletProblem `refused` if the service asks for a signature of something else
 */
export async function transferOut(
  client: Earnest,
  passkey: Passkey,
  transfer: { walletId: string; chainId: number; token: ServedToken; to: Address; amount: string },
) {
  const { walletId, chainId, to, amount } = transfer;
  const { address: token, decimals } = transfer.token;
  const units = parseAmount(amount, decimals);
  if (units === null) throw new WalletProblem("input");
  const shown = await client.wallets.getTransferToSign(walletId, { to, amount, token });
  const [nonce, deadline] = [BigInt(shown.nonce), BigInt(shown.deadline)];
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, units] });
  const challenge = passkeyExecuteHash(
    { account: passkey.address as Address, chainId },
    { calls: [{ to: token as Address, value: 0n, data }], nonce, deadline },
  );
  if (challenge !== shown.challenge) throw new WalletProblem("refused");
  const signature = await signChallenge(passkey, challenge);
  return client.wallets.transfer(walletId, {
    to,
    amount,
    token,
    nonce: shown.nonce,
    deadline: shown.deadline,
    signature,
  });
}
