import { LRUCache } from "lru-cache";
import {
  type Address,
  createPublicClient,
  decodeEventLog,
  type Hex,
  http,
  type Log,
  type PublicClient,
} from "viem";
import { anchorsAbi } from "../../abis/anchors.ts";
import { escrowAbi } from "../../abis/escrow.ts";
import { type Anchor, readAnchor } from "../../protocol/tlog/anchor.ts";
import { type ChainClient, confirmOnChain } from "../../receipts/chain-check.ts";
import type { VerifiedDocument } from "../../receipts/verified.ts";
import type { Findings } from "./findings.ts";
import { Unreachable } from "./installation.ts";
import { type KeyFile, nameKey } from "./key-file.ts";

/** The size of the cache of events. Receipts come roughly in the chain's order. */
const eventsKept = 4096;
/** The most blocks of one request. */
const widest = 2000;
/** The most events without a receipt that a round reports. */
const mostFindings = 200;

/** The events of the escrow contract that have a receipt. */
const settling = escrowAbi.filter(
  (item) => item.type === "event" && ["EscrowCreated", "Released", "Refunded"].includes(item.name),
);
const anchoring = anchorsAbi.filter((item) => item.type === "event");

/** An anchor, with its block's time in Unix milliseconds. */
export type SeenAnchor = Anchor & { at: number; transaction: string };

export type ChainOptions = {
  chainId: number;
  rpc: string;
  /** the escrow contracts whose events must have receipts */
  contracts: readonly Address[];
  /** the confirmations of an event */
  confirmations: number;
  /** the first block; by default the block of the first logged receipt */
  fromBlock?: bigint | undefined;
  /** The contract and the publisher of the log's anchors. */
  anchors?: { contract: Address; publisher: Address } | undefined;
  /** Whether other installations use the same contract. Only escrows with a logged receipt then count. */
  isShared?: boolean | undefined;
};

/** Compares receipts with the chain's events, and the events with the log. */
export class ChainCheck {
  /** receipts that agree with their events */
  agreed = 0;
  /** receipts without an answer of the node */
  unasked = 0;
  readonly chain: string;
  private readonly options: ChainOptions;
  private readonly findings: Findings;
  /** By transaction and log index: the block, and the log's entry plus one; 0 without an entry. */
  private readonly events: KeyFile;
  private readonly client: PublicClient;
  private readonly recent = new LRUCache<string, Log>({ max: eventsKept });
  private confirmed = 0n;
  private next: bigint | null;
  private width = widest;
  private unlogged = 0;
  private readonly anchors: { anchor: Anchor; block: bigint; transaction: string }[] = [];

  constructor(options: ChainOptions, findings: Findings, events: KeyFile) {
    this.options = options;
    this.findings = findings;
    this.events = events;
    this.chain = `eip155:${options.chainId}`;
    this.next = options.fromBlock ?? null;
    this.client = createPublicClient({ transport: http(options.rpc, { retryCount: 3, timeout: 20_000 }) });
  }

  /** The options by which the first contract's events confirm documents of a compromised key. */
  get vouching() {
    const { contracts, confirmations } = this.options;
    const [contract] = contracts;
    return contract ? { chain: { client: this.client, contract, confirmations } } : {};
  }

  /** Checks the node's chain, and reads its head. Throws `Unreachable`. */
  async open(): Promise<void> {
    await this.ask(async () => {
      const id = await this.client.getChainId();
      if (id !== this.options.chainId) throw new Error(`it is a node of the chain eip155:${id}`);
      const head = await this.client.getBlockNumber({ cacheTime: 0 });
      this.confirmed = head - BigInt(this.options.confirmations) + 1n;
    });
  }

  /** Compares a valid receipt, by its entry's index, with its event. */
  async check(index: number, result: VerifiedDocument): Promise<void> {
    const { document } = result;
    const block = BigInt(document.block_number);
    this.next ??= block;
    if (block <= this.confirmed) await this.readTo(block);
    const id = document.id.slice(document.id.lastIndexOf("/") + 1);
    const name = eventName(document.transaction, document.log_index);
    const known = this.recent.get(name);
    const { confirmations } = this.options;
    const answer = await confirmOnChain(result, known ? this.knowing(known) : this.client, {
      // The service may need fewer confirmations than this monitor.
      confirmations: block <= this.confirmed ? confirmations : 1,
    });
    if (!answer.checked) return void this.unasked++;
    if (!answer.agrees) {
      const detail = `The receipt is entry ${index}. ${answer.code}: ${answer.message}`;
      return this.findings.add("receipt_without_event", id, detail);
    }
    if (!this.isOurs(document.contract)) {
      const detail = `The receipt is entry ${index}, of the contract ${document.contract}.`;
      return this.findings.add("receipt_without_event", id, detail);
    }
    this.agreed++;
    this.events.set(nameKey(`escrow ${document.escrow_id}`), [1, 1]);
    const key = nameKey(name);
    if (this.events.get(key)?.[1] === 0) this.unlogged--;
    this.events.set(key, [document.block_number, index + 1]);
  }

  /**
   * Reads all events up to the head. Reports those without a receipt that are older than a time.
   *
   * @param before Unix milliseconds
   */
  async checkEvents(before: number): Promise<void> {
    if (this.next === null) return;
    await this.readTo(this.confirmed);
    if (this.unlogged === 0) return;
    let shown = 0;
    for (const { values } of this.events.entries()) {
      if (values[1] !== 0 || shown >= mostFindings) continue;
      shown++;
      await this.tellOf(BigInt(values[0]), before);
    }
  }

  /** Takes the anchors that were read since the last call. */
  async takeAnchors(): Promise<SeenAnchor[]> {
    const seen = await Promise.all(
      this.anchors.map(async ({ anchor, block, transaction }) => ({
        ...anchor,
        transaction,
        at: await this.timeOf(block),
      })),
    );
    // Only now: if the node does not answer, the anchors wait for the next round.
    this.anchors.splice(0);
    return seen;
  }

  /** Reports the events of a block that have no receipt. */
  private async tellOf(block: bigint, before: number): Promise<void> {
    if ((await this.timeOf(block)) >= before) return;
    const logs = await this.ask(() => this.logsOf(block, block));
    for (const log of logs) {
      const name = eventName(log.transactionHash, log.logIndex);
      if (this.events.get(nameKey(name))?.[1] !== 0) continue;
      const { eventName: event, args } = decodeEventLog({
        abi: settling,
        data: log.data,
        topics: log.topics,
      });
      const { escrowId } = args as unknown as { escrowId: Hex };
      if (this.options.isShared && !this.events.get(nameKey(`escrow ${escrowId}`))) continue;
      const where = `${event} of the escrow ${escrowId}, block ${block}, log ${log.logIndex}`;
      this.findings.add("receipt_not_logged", name, `The event is ${where}.`);
    }
  }

  private async timeOf(block: bigint): Promise<number> {
    const { timestamp } = await this.ask(() => this.client.getBlock({ blockNumber: block }));
    return 1000 * Number(timestamp);
  }

  /** Reads events up to a block, in ranges as wide as the node allows. */
  private async readTo(block: bigint): Promise<void> {
    while (this.next !== null && this.next <= block) {
      const last = this.next + BigInt(this.width) - 1n;
      const to = last < this.confirmed ? last : this.confirmed;
      const from: bigint = this.next;
      let logs: Log[];
      try {
        logs = await this.logsOf(from, to);
      } catch (error) {
        if (this.width === 1)
          throw new Unreachable(
            `The node of ${this.chain} does not return the events of block ${from}: ${error}`,
          );
        this.width = Math.ceil(this.width / 4);
        continue;
      }
      for (const log of logs) this.take(log);
      await this.readAnchors(from, to);
      this.next = to + 1n;
      this.width = Math.min(widest, this.width * 2);
    }
  }

  private take(log: Log): void {
    const name = eventName(log.transactionHash, log.logIndex);
    this.recent.set(name, log);
    const key = nameKey(name);
    if (this.events.get(key)) return;
    this.events.set(key, [Number(log.blockNumber), 0]);
    this.unlogged++;
  }

  private async readAnchors(fromBlock: bigint, toBlock: bigint): Promise<void> {
    const { anchors } = this.options;
    if (!anchors) return;
    const logs = await this.ask(() =>
      this.client.getLogs({ address: anchors.contract, events: anchoring, fromBlock, toBlock }),
    );
    for (const log of logs) {
      const anchor = readAnchor(log);
      if (anchor.publisher !== anchors.publisher.toLowerCase()) continue;
      this.anchors.push({ anchor, block: log.blockNumber, transaction: log.transactionHash });
    }
  }

  private logsOf(fromBlock: bigint, toBlock: bigint): Promise<Log[]> {
    const { contracts } = this.options;
    return this.client.getLogs({ address: [...contracts], events: settling, fromBlock, toBlock });
  }

  /** Returns a client that answers from a cached event. */
  private knowing(log: Log): ChainClient {
    const receipt = {
      status: "success" as const,
      blockNumber: log.blockNumber as bigint,
      blockHash: log.blockHash as Hex,
      logs: [log],
    };
    return {
      getChainId: async () => this.options.chainId,
      getBlockNumber: async () => this.confirmed + BigInt(this.options.confirmations) - 1n,
      getTransactionReceipt: async () => receipt,
    };
  }

  private isOurs(contract: string): boolean {
    return this.options.contracts.some((one) => one.toLowerCase() === contract.toLowerCase());
  }

  private async ask<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw new Unreachable(
        `The node of ${this.chain} could not be reached: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

const eventName = (transaction: string | null, logIndex: number | null) => `${transaction} ${logIndex}`;
