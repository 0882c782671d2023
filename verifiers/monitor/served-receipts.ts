import * as z from "zod";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import {
  type LogEntry,
  type ReceiptEntry,
  type RevocationEntry,
  receiptEntry,
} from "../../protocol/tlog/entry.ts";
import { statusPath } from "../../receipts/issuer.ts";
import { parseJson } from "../../receipts/json.ts";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { statusListSchema } from "../../receipts/revocation.ts";
import type { VerifiedDocument } from "../../receipts/verified.ts";
import { verifyReceipts } from "../../receipts/verify.ts";
import type { ChainChecks } from "./chain-checks.ts";
import type { Findings } from "./findings.ts";
import { type Installation, Unreachable } from "./installation.ts";
import { type KeyFile, nameKey } from "./key-file.ts";

export type Logged<T = LogEntry> = { index: number; entry: T };

const servedSchema = z.looseObject({
  id: z.string(),
  document: z.looseObject({}),
  x402_receipt: z.string().nullable(),
  revoked: z.boolean(),
});
type Served = z.infer<typeof servedSchema>;

const maxReceiptBytes = 262_144;
const maxListBytes = 1_048_576;
/** The number of simultaneous requests. */
const lanes = 8;

/** Compares logged receipts with the served ones. */
export class ReceiptCheck {
  /** receipts that are served as logged */
  same = 0;
  /** receipts that only the chain could confirm, without a node */
  unvouched = 0;
  private readonly installation: Installation;
  private readonly issuer: string;
  private readonly findings: Findings;
  private readonly facts: KeyFile;
  private readonly chains: ChainChecks;
  /** Milliseconds within which a fact must be logged. */
  private readonly grace: number;
  /** Receipts that are served as revoked and have no read revocation yet; bounded. */
  private readonly awaited = new Set<string>();
  /** The newest time at which the next entries were certainly not logged, Unix milliseconds. */
  private floor = 0;

  constructor(parts: {
    installation: Installation;
    issuer: string;
    findings: Findings;
    facts: KeyFile;
    chains: ChainChecks;
    graceMs: number;
  }) {
    this.installation = parts.installation;
    this.issuer = parts.issuer;
    this.findings = parts.findings;
    this.facts = parts.facts;
    this.chains = parts.chains;
    this.grace = parts.graceMs;
  }

  /** Records that the next entries were not in the log at a time. */
  raiseFloor(time: number): void {
    this.floor = Math.max(this.floor, time);
  }

  /** Checks entries in their order. */
  async check(logged: readonly Logged[]): Promise<void> {
    const receipts = logged.filter((one): one is Logged<ReceiptEntry> => one.entry.kind === "receipt");
    const served = new Map<number, Served>();
    const queue = receipts.values();
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (const one of queue) {
          const found = await this.readLogged(one);
          if (found) served.set(one.index, found);
        }
      }),
    );
    const verified = await this.verify(receipts.flatMap(({ index }) => served.get(index) ?? []));
    for (const { index, entry } of logged) {
      if (entry.kind === "revocation") await this.checkRevocation({ index, entry });
      if (entry.kind !== "receipt") continue;
      const receipt = served.get(index);
      if (!receipt) continue;
      const document = verified.get(receipt.id);
      if (receipt.revoked) this.awaitRevocation(entry.receipt);
      if (!document) continue;
      this.checkTime(entry.receipt, document);
      // The event of a revoked receipt is not on the chain: that is the reason of the revocation.
      if (!receipt.revoked) await this.chains.check(index, document);
    }
  }

  /** Reads the served receipt of an entry; null if it differs from the logged one. */
  private async readLogged({ index, entry }: Logged<ReceiptEntry>): Promise<Served | null> {
    const { receipt: id } = entry;
    const { text, reason } = await this.readReceipt(id);
    if (text === null) {
      this.findings.add("receipt_missing", id, `The receipt is entry ${index}: ${reason}.`);
      return null;
    }
    let served: Served;
    let now: ReceiptEntry;
    try {
      served = servedSchema.parse(parseJson(text));
      now = receiptEntry(id, served.document, served.x402_receipt);
    } catch (error) {
      this.findings.add("receipt_invalid", id, `The receipt is entry ${index}: ${(error as Error).message}`);
      return null;
    }
    const differing = (["document", "x402"] as const).filter((part) => now[part] !== entry[part]);
    if (differing.length === 0) {
      this.same++;
      return served;
    }
    const parts = differing.map((part) => `${part} ${now[part] ?? "none"}, logged ${entry[part] ?? "none"}`);
    this.findings.add("receipt_changed", id, `The receipt is entry ${index}: ${parts.join("; ")}.`);
    return null;
  }

  private readReceipt(id: string) {
    return this.installation.readText(`${apiPath}/receipts/${id}`, maxReceiptBytes);
  }

  /** Verifies documents and their x402 receipts. Returns the valid documents by receipt. */
  private async verify(served: readonly Served[]): Promise<Map<string, VerifiedDocument>> {
    const documents = new Map<string, VerifiedDocument>();
    // The events of a document's own chain confirm it if its key is compromised.
    for (const [chain, own] of Map.groupBy(served, ({ document }) => String(document.chain))) {
      await this.verifyOf(chain, own, documents);
    }
    return documents;
  }

  private async verifyOf(
    chain: string,
    served: readonly Served[],
    documents: Map<string, VerifiedDocument>,
  ): Promise<void> {
    const signed = served.flatMap(({ id, document, x402_receipt }) => [
      { id, signed: document as unknown },
      ...(x402_receipt === null ? [] : [{ id, signed: x402_receipt as unknown }]),
    ]);
    const vouching = this.chains.vouchingOf(chain);
    const results = await verifyReceipts(
      signed.map((one) => one.signed),
      { issuer: this.issuer, status: "skip", checkSignature, ...vouching },
    );
    for (const [i, result] of results.entries()) {
      const { id } = signed[i] as { id: string };
      if (result.valid) {
        if (result.kind !== "settlement_document") continue;
        if (result.document.id.endsWith(`/${id}`)) documents.set(id, result);
        else this.findings.add("receipt_invalid", id, `The document's id is ${result.document.id}.`);
      } else if (result.code === "keys_unavailable") throw new Unreachable(result.message);
      else if (result.code === "key_compromised" && !vouching.chain) this.unvouched++;
      else this.findings.add("receipt_invalid", id, `${result.code}: ${result.message}`);
    }
  }

  /** Reports a receipt that was logged after a later receipt, or after a tree that did not contain it. */
  private checkTime(id: string, { document }: VerifiedDocument): void {
    const issued = Date.parse(document.issued_at);
    if (issued + this.grace < this.floor) {
      const since = new Date(this.floor).toISOString();
      this.findings.add(
        "receipt_late",
        id,
        `The receipt was issued at ${document.issued_at}; the log did not have it at ${since}.`,
      );
    }
    if (issued < Date.now()) this.raiseFloor(issued);
  }

  private awaitRevocation(id: string): void {
    if (this.facts.get(nameKey(`revocation ${id}`))) return;
    if (this.awaited.size < 10_000) this.awaited.add(id);
  }

  private async checkRevocation({ index, entry }: Logged<RevocationEntry>): Promise<void> {
    const { receipt: id } = entry;
    this.awaited.delete(id);
    this.facts.set(nameKey(`revocation ${id}`), [index, Date.parse(entry.revoked_at)]);
    if (!this.facts.get(nameKey(`receipt ${id}`))) {
      this.findings.add("revocation_without_receipt", id, `The revocation is entry ${index}.`);
    }
    const { text } = await this.readReceipt(id);
    const served = text === null ? null : servedSchema.safeParse(readJson(text));
    if (served?.success && !served.data.revoked) {
      this.findings.add("revocation_not_served", id, `The revocation is entry ${index}.`);
    }
  }

  /**
   * Compares the list of revoked receipts with the log.
   *
   * @param at the time at which the log was read, Unix milliseconds
   */
  async checkRevocations(at: number): Promise<void> {
    const { text } = await this.installation.readText(statusPath, maxListBytes);
    const list = text === null ? null : statusListSchema.loose().safeParse(readJson(text));
    const listed = list?.success ? list.data.revoked : [];
    for (const { id: url, revoked_at } of listed) {
      const id = url.slice(url.lastIndexOf("/") + 1);
      this.awaited.delete(id);
      const logged = this.facts.get(nameKey(`revocation ${id}`));
      if (logged && logged[1] !== Date.parse(revoked_at)) {
        const then = new Date(logged[1]).toISOString();
        this.findings.add(
          "revocation_changed",
          id,
          `The list has ${revoked_at}, entry ${logged[0]} ${then}.`,
        );
      } else if (!logged && Date.parse(revoked_at) + this.grace < at) {
        this.findings.add("revocation_not_logged", id, `The list has ${revoked_at}.`);
      }
    }
    // A receipt that is served as revoked must be on the list by now.
    for (const id of this.awaited)
      this.findings.add("revocation_not_logged", id, "The list does not contain the receipt either.");
    this.awaited.clear();
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
