import { decodeEventLog, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, toHex } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import { eventBody } from "../../facts/events.ts";
import { presentFact } from "../../facts/trail.ts";
import type { ChainLog, Reading, Scene } from "../checker/reading.ts";
import { eventSchema } from "../checker/reading.ts";
import { escrowContract, relayer, token, type VirtualChain } from "./chain.ts";
import { type Ledger, placeOf } from "./ledger.ts";

/** Base units of the token at an address. */
export function balanceAt(chain: VirtualChain, owner: Hex): bigint {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] });
  return hexToBigInt(toHex(chain.read(token, data)));
}

/** What the checker would read of a virtual world, over the API and from the chain. */
export function viewOf(
  { chain, ledger, confirmations }: { chain: VirtualChain; ledger: Ledger; confirmations: number },
  { parties }: Pick<Scene, "parties">,
): Reading {
  const logs: ChainLog[] = [];
  const transfers: Reading["transfers"] = [];
  for (const block of chain.blocks) {
    for (const { address, topics, data, transaction, logIndex } of block.logs) {
      const log = { data, topics: topics as [Hex, ...Hex[]] };
      if (address === token) {
        const { eventName, args } = decodeEventLog({ abi: erc20Abi, ...log });
        if (eventName !== "Transfer") continue;
        transfers.push({ from: args.from.toLowerCase(), to: args.to.toLowerCase(), value: args.value });
      } else if (address === escrowContract) {
        const { eventName: name, args } = decodeEventLog({ abi: escrowAbi, ...log });
        if (!("escrowId" in args)) continue;
        const at = { block: block.number, blockHash: block.hash, transaction, logIndex };
        logs.push({ name, escrowId: args.escrowId, args: { ...args }, ...at });
      }
    }
  }
  const documentIdOf = (id: string) => `https://earnest.example/receipts/${id}`;
  const sent = chain.blocks.flatMap(({ mined }) => mined).filter(({ from }) => from === relayer);
  const feeds = new Map<string, Reading["feeds"] extends Map<string, infer Feed> ? Feed : never>();
  for (const { name } of parties) feeds.set(name, []);
  for (const { account, event } of ledger.told) feeds.get(account)?.push(eventSchema.parse(eventBody(event)));
  return {
    logs,
    blockHashes: new Map(chain.blocks.map(({ number, hash }) => [number, hash])),
    confirmed: chain.head().number - confirmations + 1,
    sent: sent.map(({ hash, to, data, succeeded }) => ({ hash, to, input: data, succeeded })),
    balances: new Map(parties.map(({ address }) => [address.toLowerCase(), balanceAt(chain, address)])),
    transfers,
    held: balanceAt(chain, escrowContract),
    orders: ledger.orders.map(({ id, escrowId, depositAddress, amount, state, people, facts, receipts }) => ({
      order: {
        ...{ id, status: state.status, total_amount_base_units: amount.toString() },
        escrow: { escrow_id: escrowId, deposit_address: depositAddress, status: "none" },
      },
      buyer: people.buyer,
      provider: people.provider,
      trail: facts.map((fact) => presentFact({ ...fact, ...placeOf(fact) })),
      receipts: receipts.map(({ id: receiptId, claim, revoked, fact: { chain: place, data } }) => ({
        ...{ id: receiptId, claim, revoked, x402_receipt: null },
        document: {
          ...{ id: documentIdOf(receiptId), order_id: id, claim, escrow_id: escrowId },
          transaction: place?.transactionHash ?? "",
          block_number: Number(place?.blockNumber),
          block_hash: place?.blockHash ?? "",
          log_index: place?.logIndex ?? -1,
          amount: String(data.amount_base_units),
        },
      })),
    })),
    feeds,
    revoked: ledger.orders.flatMap(({ receipts }) =>
      receipts.filter(({ revoked }) => revoked).map(({ id }) => documentIdOf(id)),
    ),
  };
}
