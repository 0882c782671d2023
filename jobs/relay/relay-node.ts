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
import { passkeyAccountAbi } from "../../abis/passkeyAccount.ts";
import type { Chain } from "../../config/config.ts";
import { isOutOfGas } from "../../protocol/settlement/contract-answers.ts";
import { isNodeUnreachable } from "../../trade/node-breaker.ts";
import { clientOf } from "../chain-client.ts";
import { createDataFees } from "./data-fees.ts";
import type { Fees, GasPrice } from "./fees.ts";
import { revertReasonOf } from "./revert-reason.ts";

/** A chain's newest block: its number, and what its gas costs. */
export type Head = GasPrice & { number: bigint };

/** A call to send. */
type Call = { to: Address; data: Hex };

/** The fees and gas of a call. The simulation uses exactly these values, because a wallet's code can read them. */
type Sending = { fees: Fees; gas: bigint };

/**
 * The gas for a recipient's first balance, which writes a new slot (EIP-2929, EIP-2200). An estimate that counts a pending
 * payment to the recipient leaves this gas out.
 */
const newSlotGas = 20_000n;

/** The result of a call's simulation at a node. */
export type Estimate =
  | { gas: bigint }
  /** the contract's error, or the call needs more gas than it was given */
  | { refused: string }
  | { unpayable: true }
  /** this node cannot run this call; it may run other calls */
  | { broken: string };

/** A node's answer to a signed transaction. The transaction is stored whatever the answer is. */
export type Broadcast = "taken" | "unpayable" | { refused: string };

export type RelayNode = ReturnType<typeof createRelayNode>;

/** The relayer's requests to one chain's node. They throw if the node cannot be reached. */
export function createRelayNode(chain: Chain) {
  const client = clientOf(chain);

  return {
    /** Reads what the chain charges for a call's data on its parent chain. */
    readDataFee: createDataFees(client, chain),

    async readHead(): Promise<Head> {
      const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()]);
      if (block.baseFeePerGas === null)
        throw new Error(`Chain ${chain.chain_id} has no base fee (EIP-1559), which the relayer needs.`);
      return { number: block.number, baseFee: block.baseFeePerGas, tip };
    },

    /** Reads an account's balance in wei. */
    readBalance: (address: Address) => client.getBalance({ address }),

    /** Reads an account's balance of a token, in base units. */
    readTokenBalance: (token: Address, holder: Address) =>
      client.readContract({
        abi: erc20Abi,
        address: token,
        functionName: "balanceOf",
        args: [holder],
      }),

    /** Reads the nonce of an account's next transaction, as of a block or the mempool. */
    readNonce: (address: Address, at: bigint | "latest" | "pending") =>
      typeof at === "bigint"
        ? client.getTransactionCount({ address, blockNumber: at })
        : client.getTransactionCount({ address, blockTag: at }),

    /** Reads the hash of the chain's block at a height, or null if there is none. */
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

    /**
     * Reads the number of deliveries recorded by the end of a block; the present number if the node keeps no old state.
     */
    async readDeliveryCount(escrowId: Hex, blockNumber: bigint): Promise<number> {
      const address = chain.escrow_contract;
      const call = { abi: escrowAbi, address, functionName: "getEscrow", args: [escrowId] } as const;
      const state = client.readContract({ ...call, blockNumber }).catch(() => client.readContract(call));
      return (await state).deliveryCount;
    },

    /** Reads the nonce of a passkey account, as of the end of a block or now: 0 before its deployment. */
    async readAccountNonce(address: Address, blockNumber?: bigint): Promise<bigint> {
      const at = blockNumber === undefined ? {} : { blockNumber };
      if (!(await client.getCode({ address, ...at }))) return 0n;
      return client.readContract({ abi: passkeyAccountAbi, address, functionName: "nonce", ...at });
    },

    /**
     * Reads the transfers of the chain's token with these parties and this amount, oldest first. Empty if the node refuses a
     * range of so many blocks.
     */
    async readTransfers(
      { from, to, amount }: { from: Address; to: Address; amount: bigint },
      fromBlock: bigint,
      toBlock: bigint,
    ): Promise<{ transactionHash: Hex; blockNumber: bigint }[]> {
      const event = { abi: erc20Abi, address: chain.token.address, eventName: "Transfer" } as const;
      const args = { from, to };
      try {
        const logs = await client.getContractEvents({ ...event, args, fromBlock, toBlock, strict: true });
        return logs.filter(({ args: { value } }) => value === amount);
      } catch (error) {
        if (isOutage(error)) throw error;
        return [];
      }
    },

    /**
     * Estimates the gas limit, with room for a state that changes before the call is mined. Simulates the call again
     * with exactly this limit.
     *
     * @param sending.gas the highest limit
     */
    async estimate(account: Address, { to, data }: Call, { fees, gas: most }: Sending): Promise<Estimate> {
      let gas = most;
      try {
        const call = { account, to, data, ...fees };
        const taken = await client.estimateGas({ ...call, gas });
        // Some nodes ignore the limit.
        if (taken > most) return { refused: tooMuchGas(most, most) };
        const withMargin = taken + taken / 4n + newSlotGas;
        if (withMargin < most) gas = withMargin;
        await client.call({ ...call, gas });
        return { gas };
      } catch (error) {
        if (isUnpayable(error)) return { unpayable: true };
        // This check comes before `revertReasonOf`: for some nodes, viem reports a lack of gas as a revert.
        if (error instanceof BaseError && isOutOfGas(error)) return { refused: tooMuchGas(gas, most) };
        const reason = revertReasonOf(error);
        if (reason !== null) return { refused: maybeForGas(reason, gas) };
        if (isOutage(error)) throw error;
        return { broken: textOf(error) };
      }
    },

    /** Broadcasts a signed transaction. Does not throw, because a lost answer proves nothing. */
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

    /** Simulates a call that had no effect, at its block. Returns its error, or null if the call succeeds there. */
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
  return `The call needs more gas than the ${gas} ${given}.`;
}

/** Adds the gas to errors that too little gas causes: of a wallet's signature check, or of a token's payout. */
function maybeForGas(reason: string, gas: bigint): string {
  if (!/^(InvalidSignature|NotEnoughGas)\(/.test(reason)) return reason;
  return `${reason}, with ${gas} gas`;
}

function isOutage(error: unknown): boolean {
  return !(error instanceof BaseError) || isNodeUnreachable(error);
}

function textOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
}
