import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeEntry, type LogEntry } from "../../protocol/tlog/entry.ts";
import { LogRejection } from "../../protocol/tlog/errors.ts";
import type { Policy } from "../../protocol/tlog/policy.ts";
import { LogReader } from "../../protocol/tlog/reader.ts";
import { tileWidth } from "../../protocol/tlog/tiles.ts";
import type { ChainOptions, SeenAnchor } from "./anchors-on-chain.ts";
import { ChainChecks, type ChainProgress } from "./chain-checks.ts";
import type { Findings } from "./findings.ts";
import { Installation, Unreachable } from "./installation.ts";
import { KeyFile, nameKey } from "./key-file.ts";
import { KeyCheck } from "./key-log.ts";
import { LogCheck, sizeOf } from "./log-check.ts";
import { type Logged, ReceiptCheck } from "./served-receipts.ts";
import { type Memory, readMemoryFile, writeMemoryFile } from "./state-file.ts";

export type MonitorOptions = {
  /** the installation's URL, as in `https://earnest.example` */
  address: string;
  /** the did:web name of its receipts' issuer */
  issuer: string;
  /** the log's verifier key; the first seen one by default */
  vkey?: string | undefined;
  /** the required cosignatures; the monitor also reads the checkpoints of witnesses with a URL */
  policy?: Policy | undefined;
  /** the file with the state between runs */
  memoryFile: string;
  /** the chains that are compared; without any, no chain is */
  chains?: readonly ChainOptions[] | undefined;
  /** the served chains without a node, each with a sentence */
  unchecked?: readonly { chain: string; what: string }[] | undefined;
  /** milliseconds within which a fact must be logged */
  graceMs: number;
  /** milliseconds for which a witness may be ahead of the log */
  aheadMs: number;
  /** Checks only the tree, and reads no receipts. */
  isTreeOnly?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** A monitor's progress. */
export type Progress = {
  vkey: string | null;
  entries: number;
  /** entries of unavailable bundles */
  unread: number;
  /** receipts that are served as logged */
  receipts: number;
  /** receipts that the chain confirms */
  confirmed: number;
  /** receipts that could not be compared with a chain */
  unconfirmed: number;
  chains: ChainProgress[];
  requests: number;
};

/** The number of bundles to read ahead. */
const ahead = 4;

/**
 * Follows the log of an installation. Each round reads the new entries and compares them with the served documents
 * and the chain. The first round reads everything. Memory does not grow with the log, because the compared data is in
 * two files.
 */
export class Monitor {
  private readonly options: MonitorOptions;
  private readonly findings: Findings;
  private readonly installation: Installation;
  private readonly folder = mkdtempSync(join(tmpdir(), "earnest-monitor-"));
  /** The entry of each fact, by the fact's name. */
  private readonly facts = new KeyFile(join(this.folder, "facts"));
  private readonly events: KeyFile[] = [];
  private readonly log: LogCheck;
  private readonly chains: ChainChecks;
  private readonly receipts: ReceiptCheck;
  private readonly keys: KeyCheck;
  private memory: Memory | null;
  private position = 0;
  private unread = 0;
  /** Trees with a known time that are not reached yet; the smallest first. */
  private dated: { size: number; at: number }[] = [];
  private anchors: SeenAnchor[] = [];

  /** @throws MemoryError */
  constructor(options: MonitorOptions, findings: Findings) {
    const { address, issuer, graceMs, aheadMs, policy, signal } = options;
    this.options = options;
    this.findings = findings;
    this.memory = readMemoryFile(options.memoryFile, address);
    this.installation = new Installation(address, signal);
    this.log = new LogCheck({ installation: this.installation, findings, policy, aheadMs, signal });
    this.chains = new ChainChecks(options.chains ?? [], findings, (chainId) => {
      const events = new KeyFile(join(this.folder, `events-${chainId}`));
      this.events.push(events);
      return events;
    });
    const { installation, facts, chains } = this;
    this.receipts = new ReceiptCheck({ installation, issuer, findings, facts, chains, graceMs });
    this.keys = new KeyCheck({ installation, issuer, findings, graceMs });
    if (this.memory?.checkpoint) this.date(sizeOf(this.memory.checkpoint), this.memory.at);
  }

  get progress(): Progress {
    const { progress: chains } = this.chains;
    return {
      vkey: this.memory?.vkey ?? null,
      entries: this.position,
      unread: this.unread,
      receipts: this.receipts.same,
      confirmed: chains.reduce((sum, { confirmed }) => sum + confirmed, 0),
      unconfirmed: chains.reduce((sum, { unconfirmed }) => sum + unconfirmed, this.receipts.unvouched),
      chains,
      requests: this.installation.requests,
    };
  }

  close(): void {
    this.facts.close();
    for (const events of this.events) events.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Runs one round. Reports every fault as a finding, including an outage. Throws the reason with which `signal` was
   * aborted.
   */
  async check(): Promise<void> {
    try {
      await this.checkAll();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.findings.add("log_unreachable", this.options.address, error.message);
    }
  }

  private async checkAll(): Promise<void> {
    const { address, vkey: pinned, memoryFile, graceMs, isTreeOnly } = this.options;
    for (const { chain, what } of this.options.unchecked ?? [])
      this.findings.add("chain_unchecked", chain, what);
    await this.chains.open();
    const vkey = await this.log.readKey(pinned, this.memory?.vkey);
    if (vkey === null) return;
    const at = Date.now();
    const { checkpoint, at: before } = this.memory ?? { checkpoint: null, at: 0 };
    this.memory = { v: 1, address, vkey, checkpoint, at: before };
    const shown = await this.log.readCheckpoint(this.memory);
    if (!shown) return;
    const reader = new LogReader(shown.checkpoint, this.log.fetchTile);
    await this.log.askWitnesses(vkey, shown);
    await this.readEntries(reader);
    if (!isTreeOnly) {
      // A missing fact may be in a bundle that was not read.
      const isWhole = this.unread === 0;
      if (isWhole) await this.chains.checkEvents(at - graceMs);
      if (isWhole) await this.receipts.checkRevocations(at);
      await this.keys.check(at, isWhole);
    }
    await this.noteAnchors();
    for (const anchor of this.anchors.splice(0)) await this.log.checkAnchor(reader, anchor);
    this.memory = { ...this.memory, at };
    writeMemoryFile(memoryFile, this.memory);
    this.date(shown.checkpoint.size, at);
  }

  /** Reads all unread entries, bundle by bundle. A bundle that is not available is reported and skipped. */
  private async readEntries(reader: LogReader): Promise<void> {
    const end = Math.ceil(reader.size / tileWidth);
    const reading: Promise<Read>[] = [];
    for (let bundle = Math.floor(this.position / tileWidth); bundle < end; bundle++) {
      while (reading.length < ahead && bundle + reading.length < end) {
        reading.push(readBundle(reader, bundle + reading.length, this.position));
      }
      const read = await (reading.shift() as Promise<Read>);
      this.log.rethrowOutage();
      const next = Math.min((bundle + 1) * tileWidth, reader.size);
      if (read instanceof LogRejection) {
        this.log.reportRejection(read.code, read.message);
        this.unread += next - this.position;
      } else await this.checkEntries(read);
      this.position = next;
    }
  }

  private async checkEntries(read: readonly Logged<Uint8Array>[]): Promise<void> {
    const logged = read.flatMap((one) => this.admit(one));
    if (this.options.isTreeOnly) return;
    for (const { index, entry } of logged) if (entry.kind === "key") this.keys.take({ index, entry });
    // In groups between the trees with a known time.
    for (let from = 0; from < logged.length; ) {
      const { index: begin } = logged[from] as Logged;
      while (this.dated[0] && this.dated[0].size <= begin)
        this.receipts.raiseFloor(this.dated.shift()?.at ?? 0);
      const limit = this.dated[0]?.size ?? Number.POSITIVE_INFINITY;
      const to = logged.findIndex(({ index }) => index >= limit);
      const group = logged.slice(from, to === -1 ? logged.length : to);
      await this.receipts.check(group);
      await this.noteAnchors();
      from += group.length;
    }
  }

  /** Decodes an entry. Reports a malformed entry, and a fact that an earlier entry has. */
  private admit({ index, entry: bytes }: Logged<Uint8Array>): Logged[] {
    let entry: LogEntry;
    try {
      entry = decodeEntry(bytes);
    } catch (error) {
      this.findings.add("entry_malformed", index, (error as Error).message);
      return [];
    }
    const name = entry.kind === "key" ? `key ${entry.seq}` : `${entry.kind} ${entry.receipt}`;
    const known = this.facts.get(nameKey(name));
    // A pass that an outage ended reads its last bundle again.
    if (known && known[0] !== index) {
      this.findings.add("entry_repeated", index, `The fact is ${name}, which entry ${known[0]} has too.`);
      return [];
    }
    this.facts.set(nameKey(name), [index, 0]);
    return [{ index, entry }];
  }

  /** Takes new anchors: each has a tree and its time. */
  private async noteAnchors(): Promise<void> {
    for (const anchor of await this.chains.takeAnchors()) {
      this.anchors.push(anchor);
      this.date(anchor.size, anchor.at);
    }
  }

  private date(size: number, at: number): void {
    this.dated.push({ size, at });
    this.dated.sort((a, b) => a.size - b.size);
  }
}

type Read = Logged<Uint8Array>[] | LogRejection;

/** Reads the entries of a bundle, from an index on. Returns the reader's refusals, because bundles are read ahead. */
async function readBundle(reader: LogReader, bundle: number, from: number): Promise<Read> {
  const begin = Math.max(bundle * tileWidth, from);
  const entries: Logged<Uint8Array>[] = [];
  try {
    for await (const some of reader.entries(begin, (bundle + 1) * tileWidth)) entries.push(...some);
    return entries;
  } catch (error) {
    return error instanceof LogRejection ? error : new LogRejection("malformed", String(error));
  }
}
