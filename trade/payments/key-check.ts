import { type Address, type PublicClient, parseAbi, toHex } from "viem";
import { callWriterOf } from "../../settlement/call-data.ts";
import { digestToSign, readKeySignature } from "../../settlement/signatures.ts";
import type { PaymentRequirements } from "../../settlement/x402.ts";
import { type SignedAuthorization, signedPaymentData } from "../../settlement/x402-payload.ts";
import { checkGas } from "../erc1271.ts";

const writeTransfer = callWriterOf(
  parseAbi([
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  ]),
  "transferWithAuthorization",
);

/** Seconds for which x402's verification wants an authorization to be good yet. */
const secondsToMine = 6n;

/**
 * Whether a key's authorization (EIP-3009) passes everything that x402's verification asks: the payer's signature, recipient,
 * amount and times, a payer without code, a token with code, and the transfer as the token itself would do it now. The
 * chain is asked all at once.
 *
 * @returns false also where it is anything else than such a payment, or where the chain does not answer: then x402's own
 *   verification finds out what is wrong
 */
export async function isGoodByKey(
  client: PublicClient,
  requirements: PaymentRequirements,
  { authorization, signature: handedIn }: SignedAuthorization,
): Promise<boolean> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { asset, payTo, amount, network, extra } = requirements;
  const now = BigInt(Math.floor(Date.now() / 1000));
  if (to.toLowerCase() !== payTo.toLowerCase() || BigInt(value) !== BigInt(amount)) return false;
  if (BigInt(validBefore) < now + secondsToMine || BigInt(validAfter) > now) return false;
  const payable = { chainId: Number(network.slice("eip155:".length)), token: { address: asset, ...extra } };
  const signed = { authorization, signature: handedIn };
  const signature = await readKeySignature(digestToSign(signedPaymentData(payable, signed)), handedIn, from);
  if (!signature) return false;
  const data = writeTransfer([
    from,
    to,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce,
    Number.parseInt(signature.slice(130), 16),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ]);
  try {
    const [code, stands] = await Promise.all([
      client.request({ method: "eth_getCode", params: [from, "latest"] }),
      hasCode(client, asset),
      client.request({ method: "eth_call", params: [{ to: asset, data, gas: toHex(checkGas) }, "latest"] }),
    ]);
    return stands && (!code || code === "0x");
  } catch {
    return false;
  }
}

/** How long a token's code is known to be there, in milliseconds. */
const codeKeptFor = 600_000;
const codesOf = new WeakMap<PublicClient, Map<Address, number>>();

async function hasCode(client: PublicClient, address: Address): Promise<boolean> {
  const kept = codesOf.get(client) ?? new Map<Address, number>();
  codesOf.set(client, kept);
  if ((kept.get(address) ?? 0) > Date.now()) return true;
  const code = await client.request({ method: "eth_getCode", params: [address, "latest"] });
  if (!code || code === "0x") return false;
  kept.set(address, Date.now() + codeKeptFor);
  return true;
}
