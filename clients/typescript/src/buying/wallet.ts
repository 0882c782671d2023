import {
  type Account,
  type Address,
  type Chain,
  getAddress,
  type Hex,
  type LocalAccount,
  type PublicClient,
  publicActions,
  type Transport,
  type WalletClient,
} from "viem";
import type { Call, TypedData } from "../../../../protocol/settlement/index.ts";
import { readSteadily, withSteadyAnswers } from "../../../../protocol/settlement/steady-reads.ts";
import { TransactionError } from "./errors.ts";
import type { OnProgress } from "./progress.ts";

/** A viem account, which signs, or a wallet client with its account, which also sends and asks its node. */
export type OrderWallet = LocalAccount | WalletClient<Transport, Chain | undefined, Account>;

/** How long earlier transactions are waited for, and how often they are asked for, in milliseconds. */
const longestQueue = 60_000;
const queuePoll = 300;

/** A wallet as this client uses it. */
export class Signer {
  readonly address: Address;
  /** What answers for the chain, asked steadily; null where the wallet is an account and no node was given. */
  readonly node: PublicClient | null;
  readonly #wallet: OrderWallet;
  readonly #onProgress: OnProgress | undefined;

  constructor(wallet: OrderWallet, node?: PublicClient, onProgress?: OnProgress) {
    this.#wallet = wallet;
    this.#onProgress = onProgress;
    this.address = getAddress(isAccount(wallet) ? wallet.address : wallet.account.address);
    this.node = nodeOf(wallet, node);
  }

  /** Whether it can send transactions. */
  get sends(): boolean {
    return !isAccount(this.#wallet);
  }

  async sign(data: TypedData): Promise<Hex> {
    const { domain, types, primaryType, message } = data;
    if (isAccount(this.#wallet)) {
      return await this.#wallet.signTypedData({ domain, types, primaryType, message });
    }
    const { account } = this.#wallet;
    return await this.#wallet.signTypedData({ account, domain, types, primaryType, message });
  }

  /**
   * Sends a call, and waits until it is mined.
   *
   * @throws TransactionError where it reverted
   */
  async send(call: Call): Promise<Hex> {
    if (isAccount(this.#wallet) || !this.node) {
      throw new TypeError(
        "An account sends nothing: give a wallet client of viem with the account and a transport.",
      );
    }
    const { to, data } = call;
    const [wallet, node] = [this.#wallet, this.node];
    const sending = readSteadily(() =>
      wallet.sendTransaction({ account: wallet.account, chain: null, to, data }),
    );
    const hash = await sending.catch(async (error: unknown) => {
      // A node may judge by what waits to be mined, as by the same call of a run before a crash: only once that is mined
      // does the chain say what became of it.
      await this.#waitForEarlier().catch(() => {});
      throw error;
    });
    const { status, blockNumber } = await node.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new TransactionError(call.function, hash);
    await this.#onProgress?.({ step: "sent", function: call.function, hash, blockNumber });
    return hash;
  }

  /** Waits until no transaction of the account waits to be mined, a minute at most. */
  async #waitForEarlier(): Promise<void> {
    const { node, address } = this;
    const end = performance.now() + longestQueue;
    while (node && performance.now() < end) {
      const mined = await node.getTransactionCount({ address, blockTag: "latest" });
      if (mined >= (await node.getTransactionCount({ address, blockTag: "pending" }))) return;
      await new Promise((resolve) => setTimeout(resolve, queuePoll));
    }
  }
}

const nodes = new WeakMap<OrderWallet | PublicClient, PublicClient>();

/** The node that was given, or what a wallet client sends through, asked as a public client would ask it; the same each time. */
function nodeOf(wallet: OrderWallet, given?: PublicClient): PublicClient | null {
  const known = nodes.get(given ?? wallet);
  if (known) return known;
  const asked =
    given ?? (isAccount(wallet) ? null : (wallet.extend(publicActions) as unknown as PublicClient));
  if (!asked) return null;
  const node = withSteadyAnswers(asked);
  nodes.set(given ?? wallet, node);
  return node;
}

function isAccount(wallet: OrderWallet): wallet is LocalAccount {
  return !("transport" in wallet);
}
