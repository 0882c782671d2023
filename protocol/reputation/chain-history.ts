import { type Address, type Hex, type PublicClient, parseAbiItem } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import { vouchersOnly } from "../settlement/terms.ts";

/** An escrow by its contract's events. Addresses are in lower case, amounts in base units. */
export type ChainEscrow = {
  id: string;
  contract: string;
  buyer: string;
  /** the wallet that funded it, or its deposit address */
  payer: string;
  provider: string;
  token: string;
  amount: bigint;
  deliveryWindow: number;
  /** whether only the buyer's vouchers pay it, so that its price is that of a session's calls */
  isSession: boolean;
  orderHash: string;
  /** blocks */
  funded: bigint;
  settled: bigint | null;
  released: bigint;
  refunded: bigint;
  disputed: { by: string; block: bigint } | null;
  isDecided: boolean;
};

const events = escrowAbi.filter((item) => item.type === "event");
const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
/** The most wallets in one request for transfers. */
const walletsAtOnce = 100;

/** The history of escrow contracts up to a node's head. The results are as trustworthy as the node. */
export class ChainHistory {
  readonly escrows = new Map<string, ChainEscrow>();
  readonly client: PublicClient;
  private head = 0n;
  private readonly times = new Map<bigint, Promise<number>>();

  constructor(client: PublicClient) {
    this.client = client;
  }

  /**
   * Reads all events of a contract.
   *
   * @param from the block of its deployment; null searches it, on an archive node
   */
  async read(contract: Address, from: bigint | null): Promise<void> {
    this.head = await this.client.getBlockNumber({ cacheTime: 0 });
    // Without old states, the deployment is unknown, so the whole chain is read.
    const begun = () => this.firstBlock((block) => hasCode(this.client, contract, block)).catch(() => null);
    const start = from ?? (await begun());
    await this.inRanges(start ?? 0n, async (fromBlock, toBlock) => {
      const logs = await this.client.getLogs({ address: contract, events, fromBlock, toBlock, strict: true });
      for (const log of logs) this.take(contract.toLowerCase(), log.blockNumber, log);
    });
  }

  private take(contract: string, block: bigint, log: { eventName: string; args: unknown }): void {
    const args = log.args as Record<string, unknown>;
    const id = String(args.escrowId);
    if (log.eventName === "EscrowCreated") {
      const terms = args.terms as Record<string, unknown>;
      const text = (name: string) => String(terms[name]).toLowerCase();
      this.escrows.set(id, {
        id,
        contract,
        buyer: text("buyer"),
        payer: String(args.payer).toLowerCase(),
        provider: text("provider"),
        token: text("token"),
        amount: terms.amount as bigint,
        deliveryWindow: Number(terms.deliveryWindow),
        isSession: Number(terms.acceptanceWindow) === vouchersOnly,
        orderHash: text("orderHash"),
        funded: block,
        settled: null,
        released: 0n,
        refunded: 0n,
        disputed: null,
        isDecided: false,
      });
    }
    const escrow = this.escrows.get(id);
    if (!escrow) return;
    const amount = args.amount as bigint;
    if (log.eventName === "Released") Object.assign(escrow, { released: amount, settled: block });
    if (log.eventName === "Refunded") Object.assign(escrow, { refunded: amount, settled: block });
    if (log.eventName === "Disputed") escrow.disputed = { by: String(args.party).toLowerCase(), block };
    if (log.eventName === "DisputeDecided") escrow.isDecided = true;
  }

  /** Sums the transfers from some wallets straight to others, in base units of a token, by the receiving wallet. */
  async sumTransfers(
    token: Address,
    from: Address[],
    to: Address[],
    since: bigint,
  ): Promise<Map<string, bigint>> {
    const sums = new Map<string, bigint>();
    for (let at = 0; at < to.length; at += walletsAtOnce) {
      const args = { from, to: to.slice(at, at + walletsAtOnce) };
      await this.inRanges(since, async (fromBlock, toBlock) => {
        const logs = await this.client.getLogs({
          address: token,
          event: transfer,
          args,
          fromBlock,
          toBlock,
          strict: true,
        });
        for (const { args } of logs) {
          const wallet = args.to.toLowerCase();
          sums.set(wallet, (sums.get(wallet) ?? 0n) + args.value);
        }
      });
    }
    return sums;
  }

  /** Reads a block's time in milliseconds. */
  timeOf(block: bigint): Promise<number> {
    const known = this.times.get(block);
    if (known) return known;
    const time = this.client
      .getBlock({ blockNumber: block })
      .then(({ timestamp }) => Number(timestamp) * 1000);
    this.times.set(block, time);
    return time;
  }

  /** Finds the last block up to a time, in milliseconds; null if the chain is younger. */
  async blockAt(time: number): Promise<bigint | null> {
    const later = await this.firstBlock(async (block) => (await this.timeOf(block)) > time);
    if (later === null) return this.head;
    return later === 0n ? null : later - 1n;
  }

  /** Whether a wallet had sent a transaction, or was a contract, at a block. Throws viem's errors. */
  async isUsed(wallet: Address, blockNumber: bigint): Promise<boolean> {
    return (await this.client.getTransactionCount({ address: wallet, blockNumber })) > 0;
  }

  /** Finds the first block from which a lasting condition holds; null if it does not hold at the head. */
  private async firstBlock(holds: (block: bigint) => Promise<boolean>): Promise<bigint | null> {
    if (!(await holds(this.head))) return null;
    let [not, does] = [-1n, this.head];
    while (does - not > 1n) {
      const middle = (not + does) / 2n;
      if (await holds(middle)) does = middle;
      else not = middle;
    }
    return does;
  }

  /** Reads all blocks in one request. Halves the range if the node refuses, and doubles it after a success. */
  private async inRanges(from: bigint, ask: (from: bigint, to: bigint) => Promise<void>): Promise<void> {
    let width = this.head - from + 1n;
    for (let at = from; at <= this.head; ) {
      const to = at + width - 1n < this.head ? at + width - 1n : this.head;
      try {
        await ask(at, to);
        at = to + 1n;
        width *= 2n;
      } catch (error) {
        width = (to - at + 1n) / 2n;
        if (width === 0n) throw error;
      }
    }
  }
}

async function hasCode(client: PublicClient, address: Address, blockNumber: bigint): Promise<boolean> {
  const code: Hex | undefined = await client.getCode({ address, blockNumber });
  return code !== undefined && code !== "0x";
}
