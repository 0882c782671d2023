import {
  type Address,
  BaseError,
  BlockNotFoundError,
  createPublicClient,
  defineChain,
  type Hex,
  HttpRequestError,
  http,
  InsufficientFundsError,
  TimeoutError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import type { Chain } from "../config.ts";
import type { GasPrice } from "./fees.ts";
import { revertReasonOf } from "./revert-reason.ts";

/** A chain's newest block: its number, and what its gas costs. */
export type Head = GasPrice & { number: bigint };

/** A call that is to be sent. */
type Call = { to: Address; data: Hex };

/** What became of asking a node to estimate a call. */
export type Estimate =
  | { gas: bigint }
  /** the contract refuses the call, in the words of its error */
  | { refused: string }
  | { unpayable: true }
  /** the node cannot run this call; it may be fine with others */
  | { broken: string };

/** What a node said to a signed transaction. It stands in the database, so only the saying differs. */
export type Broadcast = "taken" | "unpayable" | { refused: string };

/** The most gas that a call of ours may take. What the contract does takes a tenth; a party's wallet or token could take all. */
const mostGas = 5_000_000n;

export type RelayNode = ReturnType<typeof createRelayNode>;

/** One chain's node, as the relayer asks it. Throws where it cannot be reached. */
export function createRelayNode(chain: Chain) {
  const client = createPublicClient({
    chain: defineChain({
      id: chain.chain_id,
      name: chain.network_name,
      nativeCurrency: { name: "native coin", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [chain.rpc_url] } },
    }),
    transport: http(chain.rpc_url),
    cacheTime: 0,
  });

  return {
    async readHead(): Promise<Head> {
      const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()]);
      if (block.baseFeePerGas === null)
        throw new Error(`Chain ${chain.chain_id} has no base fee (EIP-1559), which the relayer needs.`);
      return { number: block.number, baseFee: block.baseFeePerGas, tip };
    },

    /** Wei of an account. */
    readBalance: (address: Address) => client.getBalance({ address }),

    /** The nonce of an account's next transaction, after those of this block or of the mempool. */
    readNonce: (address: Address, at: bigint | "latest" | "pending") =>
      typeof at === "bigint"
        ? client.getTransactionCount({ address, blockNumber: at })
        : client.getTransactionCount({ address, blockTag: at }),

    /** The hash of the chain's block at a height, or null where it has none. */
    async readBlockHash(blockNumber: bigint): Promise<Hex | null> {
      try {
        return (await client.getBlock({ blockNumber })).hash;
      } catch (error) {
        if (error instanceof BlockNotFoundError) return null;
        throw error;
      }
    },

    async readReceipt(hash: Hex): Promise<TransactionReceipt | null> {
      try {
        return await client.getTransactionReceipt({ hash });
      } catch (error) {
        if (error instanceof TransactionReceiptNotFoundError) return null;
        throw error;
      }
    },

    /** The gas to allow, with room for a state that moves on before the call is mined. */
    async estimate(account: Address, { to, data }: Call): Promise<Estimate> {
      try {
        const gas = await client.estimateGas({ account, to, data });
        if (gas > mostGas)
          return { refused: `It takes ${gas} gas, and the service pays for ${mostGas} at most.` };
        return { gas: (gas * 5n) / 4n };
      } catch (error) {
        if (isUnpayable(error)) return { unpayable: true };
        const reason = revertReasonOf(error);
        if (reason !== null) return { refused: reason };
        if (isOutage(error)) throw error;
        return { broken: textOf(error) };
      }
    },

    /** Hands a signed transaction to the node. Does not throw: that the answer is lost says nothing. */
    async broadcast(rawTransaction: Hex): Promise<Broadcast> {
      try {
        await client.sendRawTransaction({ serializedTransaction: rawTransaction });
        return "taken";
      } catch (error) {
        const text = textOf(error);
        if (/insufficient funds|exceeds transaction sender account balance/i.test(text)) return "unpayable";
        if (/already known|already imported|known transaction|nonce too low/i.test(text)) return "taken";
        return { refused: text };
      }
    },

    /** Why a mined transaction did nothing. */
    async reasonOfRevert({ to, data }: Call, receipt: TransactionReceipt): Promise<string> {
      try {
        await client.call({ account: receipt.from, to, data, blockNumber: receipt.blockNumber });
      } catch (error) {
        const reason = revertReasonOf(error);
        if (reason) return reason;
      }
      return "the transaction was mined and reverted";
    },
  };
}

function isUnpayable(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => cause instanceof InsufficientFundsError) !== null
  );
}

function isOutage(error: unknown): boolean {
  return (
    !(error instanceof BaseError) ||
    error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null
  );
}

function textOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
}
