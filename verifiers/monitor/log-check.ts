import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogErrorCode } from "../../protocol/tlog/errors.ts";
import { LogRejection } from "../../protocol/tlog/errors.ts";
import { checkMemory } from "../../protocol/tlog/memory.ts";
import { isSameHash } from "../../protocol/tlog/merkle.ts";
import { isQuorum, type Policy } from "../../protocol/tlog/policy.ts";
import type { LogReader } from "../../protocol/tlog/reader.ts";
import { type VerifiedCheckpoint, verifyCheckpoint } from "../../protocol/tlog/verify.ts";
import type { Findings } from "./findings.ts";
import { Installation, Unreachable } from "./installation.ts";
import type { Memory } from "./state-file.ts";

/** A verified checkpoint with its note. */
export type Shown = VerifiedCheckpoint & { note: string };

const maxCheckpointBytes = 131_072;
/** Milliseconds between two reads of a log that is behind a witness. */
const pause = 1000;

/** Reads the log of an installation, and reports contradictions with itself, its witnesses and its anchors. */
export class LogCheck {
  private readonly installation: Installation;
  private readonly findings: Findings;
  private readonly policy: Policy | undefined;
  /** Milliseconds for which a witness may be ahead of the log. */
  private readonly aheadMs: number;
  private readonly signal: AbortSignal | undefined;
  private outage: Unreachable | null = null;

  constructor(parts: {
    installation: Installation;
    findings: Findings;
    policy?: Policy | undefined;
    aheadMs: number;
    signal?: AbortSignal | undefined;
  }) {
    this.installation = parts.installation;
    this.findings = parts.findings;
    this.policy = parts.policy;
    this.aheadMs = parts.aheadMs;
    this.signal = parts.signal;
  }

  /** Reads the log's verifier key: the pinned one, else the first seen one, else the served one; null without any. */
  async readKey(pinned: string | undefined, seen: string | undefined): Promise<string | null> {
    const { text, reason } = await this.installation.readText("/log/vkey", 1024);
    const served = text?.trim();
    const vkey = pinned ?? seen ?? served;
    if (vkey === undefined) {
      this.findings.add("log_unreachable", this.installation.address, `/log/vkey: ${reason}.`);
      return null;
    }
    for (const other of new Set([served, seen])) {
      if (other !== undefined && other !== vkey)
        this.findings.add("vkey_changed", other, `It is not ${vkey}.`);
    }
    return vkey;
  }

  /** Reads the log's checkpoint, and remembers it if it is signed and continues the remembered one; else null. */
  async readCheckpoint(memory: Memory): Promise<Shown | null> {
    const { text: note, reason } = await this.installation.readText("/log/checkpoint", maxCheckpointBytes);
    if (note === null) {
      this.findings.add("log_unreachable", this.installation.address, `/log/checkpoint: ${reason}.`);
      return null;
    }
    const result = await checkMemory(
      note,
      { vkey: memory.vkey },
      {
        isNewest: true,
        fetch: this.fetchTile,
        memory: {
          get: () => memory.checkpoint,
          set: (_, checkpoint) => {
            memory.checkpoint = checkpoint;
          },
        },
      },
    );
    this.rethrowOutage();
    if (!result.valid) {
      const { code, message, evidence } = result;
      const signed = verifyCheckpoint(note, { vkey: memory.vkey });
      const before = memory.checkpoint;
      if (before !== null && signed.valid && sizeOf(before) > signed.checkpoint.size && code !== "forked") {
        // Even if the log does not serve the earlier tiles.
        const detail = `The log had ${sizeOf(before)} entries, and has ${signed.checkpoint.size}.`;
        this.findings.add("rolled_back", this.installation.address, detail, [before, note]);
      } else if (code === "forked" && evidence) {
        this.findings.add(code, this.installation.address, message, [evidence.remembered, evidence.given]);
      } else this.reportRejection(code, message, note);
      return null;
    }
    this.checkQuorum(note, memory.vkey);
    return { ...result, note };
  }

  private checkQuorum(note: string, vkey: string): void {
    const { policy } = this;
    if (!policy) return;
    const cosigned = verifyCheckpoint(note, { vkey, policy: { ...policy, logs: [], quorum: "none" } });
    const names = cosigned.valid ? cosigned.cosignatures.map(({ witness }) => witness) : [];
    if (isQuorum(policy, names)) return;
    const detail = cosigned.valid ? `The cosigners are ${names.join(", ") || "none"}.` : cosigned.message;
    this.findings.add("checkpoint_unwitnessed", this.installation.address, detail, [note]);
  }

  /** Compares the checkpoints of the policy's witnesses with the log. Skips a witness that does not answer. */
  async askWitnesses(vkey: string, shown: Shown): Promise<void> {
    const originHash = createHash("sha256").update(shown.checkpoint.origin).digest("hex");
    for (const { name, url } of this.policy?.witnesses ?? []) {
      if (url === null) continue;
      const witness = new Installation(url.replace(/\/+$/, ""), this.signal);
      const held = await witness.readText(`/${originHash}/checkpoint`, maxCheckpointBytes).catch((error) => {
        if (!(error instanceof Unreachable)) throw error;
        return { text: null };
      });
      if (held.text === null) continue;
      const signed = verifyCheckpoint(held.text, { vkey });
      // A note without the log's signature proves nothing about the log.
      if (signed.valid) await this.compareHeld(name, vkey, { ...signed, note: held.text }, shown);
    }
  }

  private async compareHeld(name: string, vkey: string, held: Shown, first: Shown): Promise<void> {
    const deadline = Date.now() + this.aheadMs;
    const memory = { get: () => held.note, set: () => {} };
    for (let shown: Shown = first; ; ) {
      const result = await checkMemory(
        shown.note,
        { vkey },
        { isNewest: true, fetch: this.fetchTile, memory },
      );
      this.rethrowOutage();
      if (result.valid) return;
      const isAhead = held.checkpoint.size > shown.checkpoint.size;
      // The log publishes a tree after its witnesses had the time to cosign it.
      if (isAhead && result.code !== "forked" && Date.now() < deadline) {
        await sleep(pause, undefined, this.signal ? { signal: this.signal } : {});
        const { text: note } = await this.installation.readText("/log/checkpoint", maxCheckpointBytes);
        const newer = verifyCheckpoint(note ?? "", { vkey });
        if (newer.valid) shown = { ...newer, note: note ?? "" };
      } else if (isAhead || result.code === "forked") {
        return this.findings.add("witness_disagrees", name, result.message, [held.note, shown.note]);
      } else return this.reportRejection(result.code, result.message, shown.note);
    }
  }

  /** Compares an anchored tree with the log. */
  async checkAnchor(
    reader: LogReader,
    anchor: { size: number; root: Uint8Array; transaction: string },
  ): Promise<void> {
    const { size, root, transaction } = anchor;
    if (size > reader.size) {
      return this.findings.add(
        "anchor_ahead",
        transaction,
        `The anchored tree has ${size} entries, the log ${reader.size}.`,
      );
    }
    try {
      if (isSameHash(await reader.rootAt(size), root)) return;
      this.findings.add("anchor_differs", transaction, `The anchored tree has ${size} entries.`);
    } catch (error) {
      this.rethrowOutage();
      if (!(error instanceof LogRejection)) throw error;
      this.reportRejection(error.code, error.message);
    }
  }

  /** Reports a refused tile, bundle or checkpoint. */
  reportRejection(code: LogErrorCode, message: string, note?: string): void {
    const path = /tile\/[\w/.]*\w/.exec(message)?.[0] ?? message;
    if (code === "tile_unavailable") {
      this.findings.add(path.startsWith("tile/entries") ? "entries_missing" : "tile_missing", path, message);
    } else if (code === "wrong_tile") this.findings.add("tile_changed", path, message);
    else if (code === "wrong_entries") this.findings.add("entry_changed", message, message);
    else
      this.findings.add("checkpoint_invalid", this.installation.address, message, note ? [note] : undefined);
  }

  /** Reads below the log's prefix, for callers that treat all failures alike. `rethrowOutage` reports an outage. */
  readonly fetchTile = async (path: string, maxBytes: number): Promise<Uint8Array> => {
    let served: Awaited<ReturnType<Installation["read"]>>;
    try {
      served = await this.installation.read(`/log/${path}`, maxBytes);
    } catch (error) {
      if (error instanceof Unreachable) this.outage = error;
      throw error;
    }
    if (served.bytes === null) throw new LogRejection("tile_unavailable", `${path}: ${served.reason}.`);
    return served.bytes;
  };

  /** Throws the outage since the last call, which is no finding about the log. */
  rethrowOutage(): void {
    const { outage } = this;
    this.outage = null;
    if (outage) throw outage;
    this.signal?.throwIfAborted();
  }
}

/** Reads the size in a verified checkpoint's note. */
export const sizeOf = (note: string): number => Number(note.split("\n")[1]);
