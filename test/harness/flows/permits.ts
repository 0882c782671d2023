import { permit2WitnessTypes, x402ExactPermit2ProxyABI } from "@x402/evm";
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type LocalAccount,
  maxUint256,
  parseAbi,
  parseGwei,
  parseUnits,
} from "viem";
import { expect } from "vitest";
import { permit2Address, permit2ProxyAddress } from "../../../protocol/settlement/x402.ts";
import type { Answer } from "../api.ts";
import { executeCall, type Signing } from "./wallets.ts";
import type { Market } from "./x402-order.ts";

/** The signed content of a Permit2 payment of an order, in x402's form. */
export type Permit = {
  permitted: { token: Address; amount: string };
  spender: Address;
  nonce: string;
  deadline: string;
  witness: { to: Address; validAfter: string };
};
export type SignedPermit = Awaited<ReturnType<typeof signPermit>>;

/** A permit that pays an order, signed by its payer's wallet, with these differences from a valid one. */
export async function signPermit(
  { chain: { chain } }: Pick<Market, "chain">,
  order: Answer["body"],
  payer: Signing,
  change: Partial<Permit> = {},
) {
  const permit: Permit = {
    permitted: {
      token: chain.token.address,
      amount: parseUnits(order.total_amount, chain.token.decimals).toString(),
    },
    spender: permit2ProxyAddress,
    nonce: String(Math.floor(Math.random() * 2 ** 48)),
    deadline: secondsFromNow(300),
    witness: { to: getAddress(order.escrow.deposit_address), validAfter: "0" },
    ...change,
  };
  const signature = await payer.signTypedData({
    domain: { name: "Permit2", chainId: chain.chain_id, verifyingContract: permit2Address },
    types: permit2WitnessTypes,
    primaryType: "PermitWitnessTransferFrom",
    message: {
      permitted: { ...permit.permitted, amount: BigInt(permit.permitted.amount) },
      spender: permit.spender,
      nonce: BigInt(permit.nonce),
      deadline: BigInt(permit.deadline),
      witness: { ...permit.witness, validAfter: BigInt(permit.witness.validAfter) },
    },
  });
  return { signature, permit2Authorization: { from: payer.address, ...permit } };
}

/** Unix seconds, in x402's form. */
export function secondsFromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds);
}

/** Lets Permit2 spend the money of an account, or of the contract wallet that it owns. */
export async function approvePermit2(
  { chain }: Pick<Market, "chain">,
  owner: LocalAccount,
  value = maxUint256,
  wallet?: Address,
): Promise<void> {
  await chain.node.setBalance({ address: owner.address, value: 10n ** 18n });
  const to = chain.chain.token.address;
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [permit2Address, value],
  });
  const call = wallet ? executeCall(wallet, { to, data }) : { to, data };
  const hash = await chain.wallet(owner).sendTransaction(call);
  expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}

/** A fee above that of pending transactions, whatever the node estimates. */
const fast = { gas: 300_000n, maxFeePerGas: parseGwei("500"), maxPriorityFeePerGas: parseGwei("400") };

/**
 * Sends a payer's permit as anybody may who saw it.
 *
 * @param hasten before anything that is pending, and without waiting for a block
 */
export async function settlePermit(
  { chain }: Pick<Market, "chain">,
  { signature, permit2Authorization }: SignedPermit,
  { hasten = false } = {},
): Promise<void> {
  const { from, permitted, nonce, deadline, witness } = permit2Authorization;
  const hash = await (await chain.newWallet()).writeContract({
    address: permit2ProxyAddress,
    abi: x402ExactPermit2ProxyABI,
    functionName: "settle",
    args: [
      {
        permitted: { token: permitted.token, amount: BigInt(permitted.amount) },
        nonce: BigInt(nonce),
        deadline: BigInt(deadline),
      },
      from,
      { to: witness.to, validAfter: BigInt(witness.validAfter) },
      signature,
    ],
    ...(hasten ? fast : {}),
  });
  if (hasten) return;
  expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}

/** Tells whether Permit2 has used a permit. */
export async function isPermitUsed(
  { chain }: Market,
  { permit2Authorization: { from, nonce } }: SignedPermit,
): Promise<boolean> {
  const bits = await chain.publicClient.readContract({
    address: permit2Address,
    abi: parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"]),
    functionName: "nonceBitmap",
    args: [from, BigInt(nonce) / 256n],
  });
  return (bits / 2n ** (BigInt(nonce) % 256n)) % 2n === 1n;
}
