import { type Address, createPublicClient, custom, type Hex, type PublicClient, parseAbi, toHex } from "viem";

/**
 * Gas limit of a wallet's signature check on the service's node (ERC-1271, ERC-6492): the cost of a payment by a contract
 * wallet. The owner of a wallet writes its code.
 */
export const checkGas = 2_000_000n;

/** The same client for calls to untrusted contracts: no call costs the node more than a check may. */
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
          // Some nodes call a contract that halts their own error: no stranger's code has it run four times over.
          return client.request({ method, params: capped } as never, { retryCount: 1 });
        },
      },
      // The client that asks tries again by itself.
      { retryCount: 0 },
    ),
  });
}

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const erc1271Valid = "0x1626ba7e";

/**
 * Asks a contract wallet whether it accepts a signature (ERC-1271). False where no contract stands at the address.
 *
 * @throws what the node's client throws, also where the wallet refuses the question
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
export const delegation = "0xef0100";
