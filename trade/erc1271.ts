import { type Address, createPublicClient, custom, type Hex, type PublicClient, parseAbi, toHex } from "viem";

/**
 * The gas limit of a wallet's signature check on the service's node (ERC-1271, ERC-6492). The wallet's code is
 * untrusted.
 */
export const checkGas = 2_000_000n;

/** Returns the client with a gas limit of `checkGas` on each call, for calls to untrusted contracts. */
export function withCappedGas(client: PublicClient): PublicClient {
  const capped = cappedClients.get(client) ?? capGas(client);
  cappedClients.set(client, capped);
  return capped;
}
const cappedClients = new WeakMap<PublicClient, PublicClient>();

function capGas(client: PublicClient): PublicClient {
  return createPublicClient({
    transport: custom(
      {
        request: ({ method, params }) => {
          if (method !== "eth_call") return client.request({ method, params } as never);
          const [call, ...rest] = params;
          const capped = [{ ...call, gas: toHex(checkGas) }, ...rest];
          // Some nodes report a contract that halts as an error of the node. More retries would run untrusted code
          // again.
          return client.request({ method, params: capped } as never, { retryCount: 1 });
        },
      },
      // The inner client retries.
      { retryCount: 0 },
    ),
  });
}

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const erc1271Valid = "0x1626ba7e";

/**
 * Asks a contract wallet whether it accepts a signature (ERC-1271). Returns false if the address has no contract.
 *
 * @throws viem's error if the node fails or the wallet reverts
 */
export async function isWalletSignature(
  client: PublicClient,
  { signer, digest, signature }: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  if (!(await client.getCode({ address: signer }))) return false;
  const answered = await withCappedGas(client).readContract({
    abi: erc1271Abi,
    address: signer,
    functionName: "isValidSignature",
    args: [digest, signature],
  });
  return answered === erc1271Valid;
}

/** The prefix of the code of a key's account that delegates to a contract (EIP-7702). */
export const delegationPrefix = "0xef0100";
