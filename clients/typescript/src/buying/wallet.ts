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

/** A viem account, which signs, or a wallet client with its account, which also sends transactions and has a node. */
export type OrderWallet = LocalAccount | WalletClient<Transport, Chain | undefined, Account>;

/** The most milliseconds of a wait for pending transactions, and the interval of its polls. */
const longestQueue = 60_000;
const queuePoll = 300;

/** The wallet of a purchase or a provider. */
export class Signer {
  readonly address: Address;
  /** The node that reads the chain, with retries; null for an account without a node. */
  readonly node: PublicClient | null;
  readonly #wallet: OrderWallet;
  readonly #onProgress: OnProgress | undefined;

  constructor(wallet: OrderWallet, node?: PublicClient, onProgress?: OnProgress) {
    this.#wallet = wallet;
    this.#onProgress = onProgress;
    this.address = getAddress(isAccount(wallet) ? wallet.address : wallet.account.address);
    this.node = nodeOf(wallet, node);
  }

  /** Tells whether it can send transactions. */
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
   * Sends a call and waits until it is mined.
   *
   * @throws TransactionError if it reverts
   */
  async send(call: Call): Promise<Hex> {
    if (isAccount(this.#wallet) || !this.node) {
      throw new TypeError(
        "An account cannot send transactions. Pass a viem wallet client with the account and a transport.",
      );
    }
    const { to, data } = call;
    const [wallet, node] = [this.#wallet, this.node];
    const sending = readSteadily(() =>
      wallet.sendTransaction({ account: wallet.account, chain: null, to, data }),
    );
    const hash = await sending.catch(async (error: unknown) => {
      // A node may refuse because of a pending transaction, such as the same call of a run before a crash.
      // Its outcome is known only once it is mined.
      await this.#waitForPending().catch(() => {});
      throw error;
    });
    const { status, blockNumber } = await node.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new TransactionError(call.function, hash);
    await this.#onProgress?.({ step: "sent", function: call.function, hash, blockNumber });
    return hash;
  }

  /** Waits until no transaction of the account is pending, at most a minute. */
  async #waitForPending(): Promise<void> {
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

/** Returns the given node, or the transport of a wallet client as a node. Each wallet has one node, with retries. */
function nodeOf(wallet: OrderWallet, given?: PublicClient): PublicClient | null {
  const known = nodes.get(given ?? wallet);
  if (known) return known;
  const source =
    given ?? (isAccount(wallet) ? null : (wallet.extend(publicActions) as unknown as PublicClient));
  if (!source) return null;
  const node = withSteadyAnswers(source);
  nodes.set(given ?? wallet, node);
  return node;
}

function isAccount(wallet: OrderWallet): wallet is LocalAccount {
  return !("transport" in wallet);
}
