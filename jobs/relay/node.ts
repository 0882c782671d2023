import {
  type Address,
  BaseError,
  BlockNotFoundError,
  erc20Abi,
  type Hex,
  InsufficientFundsError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain } from "../../config.ts";
import { isOutOfGas } from "../../settlement/contract-answers.ts";
import { isNodeAway } from "../../trade/chain-answers.ts";
import { clientOf } from "../chain-client.ts";
import type { Fees, GasPrice } from "./fees.ts";
import { revertReasonOf } from "./revert-reason.ts";

/** A chain's newest block: its number, and what its gas costs. */
export type Head = GasPrice & { number: bigint };

/** A call that is to be sent. */
type Call = { to: Address; data: Hex };

/** How a call is to be sent: it is tried with just that, since a wallet's code may look at any of it. */
type Sending = { fees: Fees; gas: bigint };

/**
 * What a transfer to an account that has none of the token takes more than one to an account that has: a slot is written
 * for the first time (EIP-2929, EIP-2200). The estimate may count on another payment that is only pending.
 */
const firstBalance = 20_000n;

/** What became of trying a call at a node. */
export type Estimate =
  | { gas: bigint }
  /** the contract refuses the call, in the words of its error, or it takes more gas than was given */
  | { refused: string }
  | { unpayable: true }
  /** the node cannot run this call; it may be fine with others */
  | { broken: string };

/** What a node said to a signed transaction. It stands in the database, so only the saying differs. */
export type Broadcast = "taken" | "unpayable" | { refused: string };

export type RelayNode = ReturnType<typeof createRelayNode>;

/** One chain's node, as the relayer asks it. Throws where it cannot be reached. */
export function createRelayNode(chain: Chain) {
  const client = clientOf(chain);

  return {
    async readHead(): Promise<Head> {
      const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()]);
      if (block.baseFeePerGas === null)
        throw new Error(`Chain ${chain.chain_id} has no base fee (EIP-1559), which the relayer needs.`);
      return { number: block.number, baseFee: block.baseFeePerGas, tip };
    },

    /** Wei of an account. */
    readBalance: (address: Address) => client.getBalance({ address }),

    /** Base units of the chain's token. */
    readTokenBalance: (holder: Address) =>
      client.readContract({
        ...{ abi: erc20Abi, address: chain.token.address, functionName: "balanceOf", args: [holder] },
      }),

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

    /** Whether an account's signatures are checked by code: a contract's, or what a key delegates to (EIP-7702). */
    async hasCode(address: Address): Promise<boolean> {
      return (await client.getCode({ address })) !== undefined;
    },

    /** How many deliveries of an escrow were recorded by the end of a block; by now, of a node that keeps no state of it. */
    async readDeliveryCount(escrowId: Hex, blockNumber: bigint): Promise<number> {
      const address = chain.escrow_contract;
      const call = { abi: escrowAbi, address, functionName: "getEscrow", args: [escrowId] } as const;
      const state = client.readContract({ ...call, blockNumber }).catch(() => client.readContract(call));
      return (await state).deliveryCount;
    },

    /**
     * The gas to allow, with room for a state that moves on before the call is mined. The call is tried once more with
     * exactly that much, as it will be sent.
     *
     * @param sending.gas the most that it may take
     */
    async estimate(account: Address, { to, data }: Call, { fees, gas: most }: Sending): Promise<Estimate> {
      let gas = most;
      try {
        const call = { account, to, data, ...fees };
        const taken = await client.estimateGas({ ...call, gas });
        // Some nodes do not mind the bound.
        if (taken > most) return { refused: tooMuchGas(most, most) };
        const roomy = taken + taken / 4n + firstBalance;
        if (roomy < most) gas = roomy;
        await client.call({ ...call, gas });
        return { gas };
      } catch (error) {
        if (isUnpayable(error)) return { unpayable: true };
        // Before the reason: viem reads some nodes' word for it as a revert.
        if (error instanceof BaseError && isOutOfGas(error)) return { refused: tooMuchGas(gas, most) };
        const reason = revertReasonOf(error);
        if (reason !== null) return { refused: maybeForGas(reason, gas) };
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

    /** Runs a call that did nothing once more at its block. Returns its error, or null if the call is fine there. */
    async readRevertReason(
      { to, data }: Call,
      { fees, gas }: Sending,
      receipt: TransactionReceipt,
    ): Promise<string | null> {
      try {
        await client.call({
          account: receipt.from,
          to,
          data,
          gas,
          ...fees,
          blockNumber: receipt.blockNumber,
        });
      } catch (error) {
        return revertReasonOf(error);
      }
      return null;
    },
  };
}

function isUnpayable(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => cause instanceof InsufficientFundsError) !== null
  );
}

function tooMuchGas(gas: bigint, most: bigint): string {
  const given = gas < most ? "of its estimate" : "that the service pays for";
  return `It takes more gas than the ${gas} ${given}.`;
}

/** What the contract says when a wallet's check of a signature, or a token's payout, had too little gas. */
function maybeForGas(reason: string, gas: bigint): string {
  if (!/^(InvalidSignature|NotEnoughGas)\(/.test(reason)) return reason;
  return `${reason}, with ${gas} gas`;
}

function isOutage(error: unknown): boolean {
  return !(error instanceof BaseError) || isNodeAway(error);
}

function textOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
}
