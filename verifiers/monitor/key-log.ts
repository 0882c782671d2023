import { hashDocument, type KeyEntry } from "../../protocol/tlog/entry.ts";
import { keyLogPath } from "../../receipts/issuer.ts";
import { parseJson } from "../../receipts/json.ts";
import { keyLogSchema, verifyKeyLog } from "../../receipts/key-log.ts";
import type { Findings } from "./findings.ts";
import type { Installation } from "./installation.ts";
import type { Logged } from "./served-receipts.ts";

const maxKeyLogBytes = 1_048_576;
/** An upper bound of the changes in a key log of that size. */
const maxKept = 20_000;

/** Compares the logged key changes with the issuer's key log. */
export class KeyCheck {
  private readonly logged = new Map<number, Logged<KeyEntry>>();
  private readonly installation: Installation;
  private readonly issuer: string;
  private readonly findings: Findings;
  private readonly grace: number;

  /** `graceMs`: the time within which a change must be logged. */
  constructor(parts: { installation: Installation; issuer: string; findings: Findings; graceMs: number }) {
    this.installation = parts.installation;
    this.issuer = parts.issuer;
    this.findings = parts.findings;
    this.grace = parts.graceMs;
  }

  take(logged: Logged<KeyEntry>): void {
    if (this.logged.size < maxKept) this.logged.set(logged.entry.seq, logged);
  }

  /**
   * @param at the time at which the log was read, Unix milliseconds
   * @param isWhole whether all entries were read
   */
  async check(at: number, isWhole: boolean): Promise<void> {
    const { installation, issuer } = this;
    const { text, reason } = await installation.readText(keyLogPath, maxKeyLogBytes);
    if (text === null) return this.findings.add("key_log_invalid", issuer, `${keyLogPath}: ${reason}.`);
    const result = await verifyKeyLog(text, { issuer });
    if (!result.valid) {
      this.findings.add("key_log_invalid", issuer, `${result.code}: ${result.message}`);
    }
    const read = keyLogSchema.safeParse(parseOrNull(text));
    if (!read.success) return;
    const { entries } = read.data;
    for (const entry of entries) {
      const logged = this.logged.get(entry.seq);
      if (!logged) {
        if (isWhole && Date.parse(entry.at) + this.grace < at)
          this.findings.add(
            "key_not_logged",
            entry.seq,
            `The entry is ${entry.action} ${entry.kid}, at ${entry.at}.`,
          );
      } else if (logged.entry.entry !== hashDocument(entry)) {
        this.findings.add("key_changed", entry.seq, `The change is entry ${logged.index} of the log.`);
      }
    }
    for (const [seq, { index }] of this.logged) {
      if (!entries.some((entry) => entry.seq === seq))
        this.findings.add(
          "key_changed",
          seq,
          `The change is entry ${index} of the log, but is not in the key log.`,
        );
    }
  }
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
