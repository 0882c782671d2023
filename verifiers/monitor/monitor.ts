import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeEntry, type LogEntry } from "../../protocol/tlog/entry.ts";
import { LogRejection } from "../../protocol/tlog/errors.ts";
import type { Policy } from "../../protocol/tlog/policy.ts";
import { LogReader } from "../../protocol/tlog/reader.ts";
import { tileWidth } from "../../protocol/tlog/tiles.ts";
import { ChainCheck, type ChainOptions, type SeenAnchor } from "./anchors-on-chain.ts";
import type { Findings } from "./findings.ts";
import { Installation, Unreachable } from "./installation.ts";
import { KeyFile, nameKey } from "./key-file.ts";
import { KeyCheck } from "./key-log.ts";
import { LogCheck, sizeOf } from "./log-check.ts";
import { type Logged, ReceiptCheck } from "./served-receipts.ts";
import { type Memory, readMemoryFile, writeMemoryFile } from "./state-file.ts";

export type MonitorOptions = {
  /** where the installation is, as in `https://earnest.example` */
  address: string;
  /** the did:web name that its receipts come from */
  issuer: string;
  /** the log's verifier key; the one that was seen first, unless told */
  vkey?: string | undefined;
  /** whose cosignatures are demanded; witnesses with a URL are asked for what they hold */
  policy?: Policy | undefined;
  /** where it keeps from run to run what it saw */
  memoryFile: string;
  chain?: ChainOptions | undefined;
  /** milliseconds that a fact may take into the log */
  graceMs: number;
  /** milliseconds that a witness may be ahead of what the log shows */
  patienceMs: number;
  /** Looks at the tree alone, and asks for no receipt. */
  isTreeOnly?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** A monitor's progress. */
export type Progress = {
  vkey: string | null;
  entries: number;
  /** of these, the ones whose bundle could not be had */
  unread: number;
  /** receipts that are served as they were logged */
  receipts: number;
  /** receipts that the chain bears out */
  confirmed: number;
  /** receipts that could not be compared with a chain */
  unconfirmed: number;
  requests: number;
};

/** Bundles that are read ahead. */
const ahead = 4;

/**
 * Follows the log of an installation. Each round reads new entries and compares them with the served documents and with
 * the chain. The first round reads everything. Memory does not grow with the log: the compared data is in two files.
 */
export class Monitor {
  private readonly options: MonitorOptions;
  private readonly findings: Findings;
  private readonly installation: Installation;
  private readonly folder = mkdtempSync(join(tmpdir(), "earnest-monitor-"));
  /** By the name of a fact, its entry. */
  private readonly facts = new KeyFile(join(this.folder, "facts"));
  private readonly events = new KeyFile(join(this.folder, "events"));
  private readonly log: LogCheck;
  private readonly chain: ChainCheck | null;
  private readonly receipts: ReceiptCheck;
  private readonly keys: KeyCheck;
  private memory: Memory | null;
  private position = 0;
  private unread = 0;
  /** Trees of which it is known when they were, and that were not reached yet; the smallest first. */
  private dated: { size: number; at: number }[] = [];
  private anchors: SeenAnchor[] = [];

  /** @throws MemoryError */
  constructor(options: MonitorOptions, findings: Findings) {
    const { address, issuer, graceMs, patienceMs, policy, signal } = options;
    this.options = options;
    this.findings = findings;
    this.memory = readMemoryFile(options.memoryFile, address);
    this.installation = new Installation(address, signal);
    this.log = new LogCheck({ installation: this.installation, findings, policy, patienceMs, signal });
    this.chain = options.chain ? new ChainCheck(options.chain, findings, this.events) : null;
    const { installation, facts, chain } = this;
    this.receipts = new ReceiptCheck({ installation, issuer, findings, facts, chain, graceMs });
    this.keys = new KeyCheck({ installation, issuer, findings, graceMs });
    if (this.memory?.checkpoint) this.date(sizeOf(this.memory.checkpoint), this.memory.at);
  }

  get progress(): Progress {
    return {
      vkey: this.memory?.vkey ?? null,
      entries: this.position,
      unread: this.unread,
      receipts: this.receipts.same,
      confirmed: this.chain?.agreed ?? 0,
      unconfirmed: (this.chain?.unasked ?? 0) + this.receipts.unvouched,
      requests: this.installation.requests,
    };
  }

  close(): void {
    this.facts.close();
    this.events.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Runs one round. Every fault goes to the findings, an outage too. Throws the reason with which `signal` was aborted.
   */
  async look(): Promise<void> {
    try {
      await this.lookAtAll();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.findings.add("log_unreachable", this.options.address, error.message);
    }
  }

  private async lookAtAll(): Promise<void> {
    const { address, vkey: pinned, memoryFile, graceMs, isTreeOnly } = this.options;
    await this.chain?.open();
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
      if (isWhole) await this.chain?.checkEvents(at - graceMs);
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
        this.log.tell(read.code, read.message);
        this.unread += next - this.position;
      } else await this.checkEntries(read);
      this.position = next;
    }
  }

  private async checkEntries(read: readonly Logged<Uint8Array>[]): Promise<void> {
    const logged = read.flatMap((one) => this.admit(one));
    if (this.options.isTreeOnly) return;
    for (const { index, entry } of logged) if (entry.kind === "key") this.keys.take({ index, entry });
    // In groups, between the trees of which it is known when they were.
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

  /** An entry that is well formed, of a fact that no entry before was of. */
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
    if (known) {
      this.findings.add("entry_repeated", index, `It is of ${name}, as entry ${known[0]} is.`);
      return [];
    }
    this.facts.set(nameKey(name), [index, 0]);
    return [{ index, entry }];
  }

  /** An anchor says what a tree was, and when. */
  private async noteAnchors(): Promise<void> {
    for (const anchor of (await this.chain?.takeAnchors()) ?? []) {
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
