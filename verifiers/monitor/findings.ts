/** The findings of a monitor. The codes are stable: programs may branch on them. docs/monitor.md explains each. */
export const findingCodes = {
  // The log's checkpoint.
  log_unreachable: "The log's checkpoint cannot be fetched.",
  checkpoint_invalid: "The log's key did not sign the served checkpoint.",
  vkey_changed: "The log publishes another key than the pinned or first seen one.",
  checkpoint_unwitnessed: "Too few of the policy's witnesses cosigned the checkpoint.",
  // The log's history.
  rolled_back: "The log is smaller than before.",
  forked: "The log signed two trees that do not belong to one history.",
  witness_disagrees: "A witness has a checkpoint of the log that this tree does not continue.",
  anchor_differs: "An anchored root is not the tree's root at that size.",
  anchor_ahead: "An anchored tree is larger than the log.",
  // The tree.
  tile_missing: "A tile is not served.",
  tile_changed: "A tile's hashes are not those of its entries.",
  entries_missing: "A bundle of entries is not served, or is incomplete.",
  entry_changed: "An entry does not hash to its leaf.",
  entry_malformed: "An entry has none of the forms of this log.",
  entry_repeated: "The same fact is logged twice.",
  root_differs: "The entries do not hash to the checkpoint's root.",
  // Receipts, compared with the served documents and the chain.
  receipt_missing: "A logged receipt is not served.",
  receipt_changed: "A served receipt differs from the logged one.",
  receipt_invalid: "A logged receipt's signature or form is invalid.",
  receipt_without_event: "The chain does not confirm the event of a logged receipt.",
  receipt_not_logged: "An event of the escrow contract has no receipt in the log.",
  chain_unchecked: "A chain is not compared with the receipts.",
  receipt_late: "A receipt was logged long after its issue or its event.",
  // Revocations.
  revocation_not_logged: "A receipt is served as revoked, but the log has no revocation.",
  revocation_not_served: "A revocation is logged, but the receipt is served as valid.",
  revocation_changed: "A logged revocation's time differs from the served one.",
  revocation_without_receipt: "A revocation is logged, but its receipt is not.",
  // Keys.
  key_log_invalid: "The issuer's key log is unavailable or invalid.",
  key_not_logged: "An entry of the key log is not in this log.",
  key_changed: "An entry of the key log differs from the logged one.",
} as const;

export type FindingCode = keyof typeof findingCodes;

export type Finding = {
  code: FindingCode;
  /** the subject, for programs: an entry's index, a receipt's id, a tile's path, a transaction */
  subject: string;
  message: string;
  /** signed checkpoints that prove the finding to others, if there are any */
  evidence?: string[];
};

/** The most findings of a code that are reported. Further ones are counted. */
const mostOfCode = 100;

/** Collects findings, each once, with bounded memory. */
export class Findings {
  readonly counts = new Map<FindingCode, number>();
  private readonly known = new Set<string>();
  private readonly report: (finding: Finding) => void;

  constructor(report: (finding: Finding) => void) {
    this.report = report;
  }

  add(code: FindingCode, subject: string | number, detail = "", evidence?: string[]): void {
    const name = `${code} ${subject}`;
    const count = this.counts.get(code) ?? 0;
    if (this.known.has(name)) return;
    this.counts.set(code, count + 1);
    if (count >= mostOfCode) return;
    this.known.add(name);
    const message = detail ? `${findingCodes[code]} ${detail}` : findingCodes[code];
    this.report({ code, subject: String(subject), message, ...(evidence ? { evidence } : {}) });
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
