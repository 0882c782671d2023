/** The findings of a monitor. The codes are stable: programs may branch on them. docs/monitor.md explains each. */
export const findingCodes = {
  // The log's checkpoint.
  log_unreachable: "The log's checkpoint cannot be fetched.",
  checkpoint_invalid: "What is served as checkpoint is not one that the log's key signed.",
  vkey_changed: "The log publishes another key than the one that was pinned or seen first.",
  checkpoint_unwitnessed: "Too few of the policy's witnesses cosigned the checkpoint.",
  // The log's history.
  rolled_back: "The log is smaller than it was.",
  forked: "The log signed two trees, of which neither continues the other.",
  witness_disagrees: "A witness holds a checkpoint of the log that this tree does not continue.",
  anchor_differs: "A root on the chain is not the tree's root at that size.",
  anchor_ahead: "A tree on the chain is larger than the log.",
  // The tree.
  tile_missing: "A tile is not served.",
  tile_changed: "A tile's hashes are not those of the entries.",
  entries_missing: "A bundle of entries is not served, or not whole.",
  entry_changed: "An entry does not hash to its leaf.",
  entry_malformed: "An entry is none of the forms that this log has.",
  entry_repeated: "The same fact is logged twice.",
  root_differs: "The entries do not make the checkpoint's root.",
  // Receipts, against what is served and what is on the chain.
  receipt_missing: "A logged receipt is not served.",
  receipt_changed: "A served receipt is not the one that was logged.",
  receipt_invalid: "A logged receipt's signature or form is bad.",
  receipt_without_event: "A logged receipt names an event that the chain does not bear out.",
  receipt_not_logged: "An event of the escrow contract has no receipt in the log.",
  receipt_late: "A receipt was logged long after it was issued, or after its event.",
  // Revocations.
  revocation_not_logged: "A receipt is served as revoked, and the log has no revocation.",
  revocation_not_served: "A revocation is logged, and the receipt is served as standing.",
  revocation_changed: "A revocation's time is not the one that is served.",
  revocation_without_receipt: "A revocation is logged of a receipt that is not.",
  // Keys.
  key_log_invalid: "The issuer's key log cannot be had, or is not consistent in itself.",
  key_not_logged: "An entry of the key log is not in this log.",
  key_changed: "An entry of the key log is not the one that was logged.",
} as const;

export type FindingCode = keyof typeof findingCodes;

export type Finding = {
  code: FindingCode;
  /** what it is about, as programs compare it: an entry's index, a receipt's id, a tile's path, a transaction */
  subject: string;
  message: string;
  /** what proves it to others, where something does: signed checkpoints */
  evidence?: string[];
};

/** Findings of a code that are told one by one; more are counted. */
const toldOfCode = 100;

/** Gathers findings, each once. It holds a bounded number of them. */
export class Findings {
  readonly counts = new Map<FindingCode, number>();
  private readonly known = new Set<string>();
  private readonly tell: (finding: Finding) => void;

  constructor(tell: (finding: Finding) => void) {
    this.tell = tell;
  }

  add(code: FindingCode, subject: string | number, detail = "", evidence?: string[]): void {
    const name = `${code} ${subject}`;
    const count = this.counts.get(code) ?? 0;
    if (this.known.has(name)) return;
    this.counts.set(code, count + 1);
    if (count >= toldOfCode) return;
    this.known.add(name);
    const message = detail ? `${findingCodes[code]} ${detail}` : findingCodes[code];
    this.tell({ code, subject: String(subject), message, ...(evidence ? { evidence } : {}) });
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
