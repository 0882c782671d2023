import {
  type Account,
  type Address,
  type Chain,
  createWalletClient,
  custom,
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
  /** Whether it can send transactions. */
  readonly sends: boolean;
  readonly #wallet: OrderWallet;
  readonly #nodes: readonly PublicClient[];
  readonly #onProgress: OnProgress | undefined;

  /** @param given one node, or a node of each chain; the transport of a wallet client is then one more */
  constructor(wallet: OrderWallet, given?: Nodes, onProgress?: OnProgress, sends = !isAccount(wallet)) {
    this.#wallet = wallet;
    this.#onProgress = onProgress;
    this.address = getAddress(isAccount(wallet) ? wallet.address : wallet.account.address);
    this.#nodes = nodesOf(wallet, given);
    this.node = this.#nodes[0] ?? null;
    this.sends = sends;
  }

  /**
   * Returns the signer of a chain, with the node of that chain. Without a node of that chain, it is this signer, whose node the
   * caller has to compare.
   */
  async on(chainId: number): Promise<Signer> {
    if (this.#nodes.length < 2) return this;
    const isThere = async (node: PublicClient) => (await node.getChainId()) === chainId;
    for (const node of this.#nodes) {
      if (!(await isThere(node))) continue;
      const own = isAccount(this.#wallet) ? null : nodeOf(this.#wallet);
      const sends = own !== null && (own === node || (await isThere(own)));
      return new Signer(this.#wallet, node, this.#onProgress, sends);
    }
    return this;
  }

  async sign(data: TypedData): Promise<Hex> {
    const { domain, types, primaryType, message } = data;
    if (isAccount(this.#wallet)) {
      return await this.#wallet.signTypedData({ domain, types, primaryType, message });
    }
    const { account } = this.#wallet;
    return await this.#wallet.signTypedData({ account, domain, types, primaryType, message });
  }

  /** Signs the text of a sign-in. */
  async signText(message: string): Promise<Hex> {
    const wallet = this.#wallet;
    if (isAccount(wallet)) return await wallet.signMessage({ message });
    return await wallet.signMessage({ account: wallet.account, message });
  }

  /**
   * Sends a call and waits until it is mined.
   *
   * @throws TransactionError if it reverts
   */
  async send(call: Call): Promise<Hex> {
    if (isAccount(this.#wallet) || !this.node || !this.sends) {
      throw new TypeError(
        "This wallet cannot send transactions here. Pass a viem wallet client with the account and a transport of this chain.",
      );
    }
    return await this.#sendBy(this.#wallet, this.node, call);
  }

  /** Sends a call like `send`. An account sends it by the node. */
  async sendByNode(call: Call): Promise<Hex> {
    const [wallet, node] = [this.#wallet, this.node];
    if (!isAccount(wallet) || !node) return await this.send(call);
    return await this.#sendBy(createWalletClient({ account: wallet, transport: custom(node) }), node, call);
  }

  async #sendBy(wallet: Exclude<OrderWallet, LocalAccount>, node: PublicClient, call: Call): Promise<Hex> {
    const { to, data } = call;
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

/** A node, or a node of each chain. */
export type Nodes = PublicClient | readonly PublicClient[];

const nodes = new WeakMap<Client, PublicClient>();

/** Returns the nodes with retries: the given ones, and the transport of a wallet client unless one node is given. */
function nodesOf(wallet: OrderWallet, given: Nodes | undefined): PublicClient[] {
  if (given && !isList(given)) return [nodeOf(given)];
  const own = isAccount(wallet) ? [] : [nodeOf(wallet)];
  return [...own, ...(given ?? []).map(nodeOf)];
}

const isList = (given: Nodes): given is readonly PublicClient[] => Array.isArray(given);

type Client = PublicClient | WalletClient<Transport, Chain | undefined, Account>;

/** Returns a node with retries: a public client, or the transport of a wallet client. Each client has one. */
function nodeOf(client: Client): PublicClient {
  const known = nodes.get(client);
  if (known) return known;
  const source = isWallet(client) ? (client.extend(publicActions) as unknown as PublicClient) : client;
  const node = withSteadyAnswers(source);
  nodes.set(client, node);
  return node;
}

const isWallet = (client: Client): client is Exclude<Client, PublicClient> => client.account !== undefined;

function isAccount(wallet: OrderWallet): wallet is LocalAccount {
  return !("transport" in wallet);
}
