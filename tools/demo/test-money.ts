import {
  type Account,
  type Address,
  createPublicClient,
  custom,
  parseAbi,
  type Transport,
  type WalletClient,
} from "viem";
import { firstChain, secondChain } from "../stack/local-chains.ts";

type Dealing = {
  chainId: number;
  terms: { token: Address; amount: bigint };
  /** the wallet that gets the money, with a node of the chain */
  wallet: WalletClient<Transport, undefined, Account>;
  say: (text: string) => void;
};

/** Mints an order's amount on a local chain, whose tokens anyone may mint. On other chains, the wallet must hold the token. */
export async function dealTestToken({ chainId, terms, wallet, say }: Dealing): Promise<void> {
  if (chainId !== firstChain.chainId && chainId !== secondChain.chainId) return;
  const reader = createPublicClient({ transport: custom(wallet), pollingInterval: 100 });
  const hash = await wallet.writeContract({
    chain: null,
    address: terms.token,
    abi: parseAbi(["function mint(address to, uint256 amount)"]),
    functionName: "mint",
    args: [wallet.account.address, terms.amount],
  });
  const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error(`The transaction ${hash} (mint) reverted.`);
  say(`${"mint".padEnd(15)} ${hash}, block ${blockNumber}`);
}
