import { randomBytes } from "node:crypto";
import { type Address, bytesToHex, type Hex, parseAbi, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Answer } from "../api.ts";
import { forkChain, type TestChain } from "../chain.ts";
import { deployTestUsd } from "../fixtures/fork.ts";
import { createMarket, type Market } from "./market.ts";

export type PaymentMarket = Market & { testChain: TestChain; close(): Promise<void> };

/**
 * A market on a chain of its own whose buyer has tokens and no native coin. No worker runs.
 *
 * @param env further settings
 * @param nodeOf gives the API another node than the chain's own
 * @param ownToken whether the chain has a token at a new address, for which no process has cached values
 */
export async function createPaymentMarket(
  env: Record<string, string> = {},
  nodeOf: (rpcUrl: string) => Promise<string> = (rpcUrl) => Promise.resolve(rpcUrl),
  ownToken = false,
): Promise<PaymentMarket> {
  const testChain = await forkChain(ownToken ? { placeToken: deployTestUsd } : {});
  const rpcUrl = await nodeOf(testChain.rpcUrl);
  const market = await createMarket({
    chain: testChain,
    env: { X402_WAIT_SECONDS: "0", RPC_URL_31337: rpcUrl, ...env },
  });
  await testChain.fund(market.buyer.account);
  await testChain.node.setBalance({ address: market.buyer.account.address, value: 0n });
  return {
    ...market,
    testChain,
    async close() {
      await market.api.close();
      await testChain.close();
    },
  };
}

/** An EIP-3009 authorization in x402's form. */
export type Authorization = {
  from: Address;
  to: Address;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
};
export type Signed = { signature: Hex; authorization: Authorization };

type Payer = {
  address: Address;
  signTypedData: ReturnType<typeof privateKeyToAccount>["signTypedData"];
};

/** Signs an order's terms with a payer's wallet, as a stock client would, with these differences. */
export async function signPayment(
  { chain }: TestChain,
  order: Answer["body"],
  payer: Payer,
  change: Partial<Authorization> = {},
  domain: { chainId?: number; verifyingContract?: Address } = {},
): Promise<Signed> {
  const authorization: Authorization = {
    from: payer.address,
    to: order.escrow.deposit_address,
    value: order.total_amount_base_units,
    validAfter: "0",
    validBefore: fromNow(300),
    nonce: bytesToHex(randomBytes(32)),
    ...change,
  };
  const { name, version, address } = chain.token;
  const signature = await payer.signTypedData({
    domain: { name, version, chainId: chain.chain_id, verifyingContract: address, ...domain },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  });
  return { signature, authorization };
}

/** Unix seconds, as a decimal string. */
export function fromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds);
}

const tokenAbi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/** Tells whether the token has used a payer's authorization. */
export function isUsed({ chain, publicClient }: TestChain, { authorization }: Signed): Promise<boolean> {
  return publicClient.readContract({
    address: chain.token.address,
    abi: tokenAbi,
    functionName: "authorizationState",
    args: [authorization.from, authorization.nonce],
  });
}

/**
 * An outsider who saw an authorization sends it straight to the token.
 *
 * @param hasten before anything that is pending, and without waiting for a block
 */
export async function sendAsOutsider(
  testChain: TestChain,
  { signature, authorization: of }: Signed,
  { hasten = false } = {},
): Promise<void> {
  const outsider = newAccount();
  await testChain.fund(outsider);
  const hash = await testChain.wallet(outsider).writeContract({
    address: testChain.chain.token.address,
    abi: tokenAbi,
    functionName: "transferWithAuthorization",
    args: [
      of.from,
      of.to,
      BigInt(of.value),
      BigInt(of.validAfter),
      BigInt(of.validBefore),
      of.nonce,
      signature,
    ],
    ...(hasten
      ? { gas: 200_000n, maxFeePerGas: parseGwei("500"), maxPriorityFeePerGas: parseGwei("400") }
      : {}),
  });
  if (hasten) return;
  const { status } = await testChain.publicClient.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error("The outsider's transaction reverted.");
}

export function newAccount() {
  return privateKeyToAccount(generatePrivateKey());
}
