import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { cosign } from "../../../protocol/tlog/cosignature.ts";
import {
  encodeEntry,
  keyEntry,
  type LogEntry,
  receiptEntry,
  revocationEntry,
} from "../../../protocol/tlog/entry.ts";
import type { LogErrorCode } from "../../../protocol/tlog/errors.ts";
import { hashLeaf, rootOf } from "../../../protocol/tlog/merkle.ts";
import {
  formatSignature,
  formatVerifierKey,
  keyTypes,
  type NoteSigner,
  parseNote,
} from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";

export type Answer = { valid: true; [field: string]: unknown } | { valid: false; code: LogErrorCode };
export interface Case {
  /** The verifying function that the case is for. */
  kind: string;
  name: string;
  [input: string]: unknown;
  expected: Answer;
  /** Whether other implementations of the standard may accept the input that this one refuses. */
  strict?: true;
}

export const utf8 = (text: string) => new TextEncoder().encode(text);
export const seed = (byte: number) => new Uint8Array(32).fill(byte);
export const refused = (code: LogErrorCode): Answer => ({ valid: false, code });

export const log = createSigner("log.example/log", keyTypes.ed25519, seed(1));
export const stranger = createSigner("log.example/log", keyTypes.ed25519, seed(9));
export const witnesses = [2, 3, 4].map((byte) =>
  createSigner(`witness.example/w${byte - 1}`, keyTypes.cosignature, seed(byte)),
) as [NoteSigner, NoteSigner, NoteSigner];
export const [w1, w2, w3] = witnesses;
export const vkey = formatVerifierKey(log.key);
export const witnessLines = witnesses
  .map(({ key }, i) => `witness W${i + 1} ${formatVerifierKey(key)}\n`)
  .join("");
export const twoOfThree = `log ${vkey}\n${witnessLines}group two 2 W1 W2 W3\nquorum two\n`;

/** The trusted parties of the cases, by name. */
export const trusts = {
  vkey: { vkey },
  two_of_three: { policy: twoOfThree },
  all_three: { policy: `log ${vkey}\n${witnessLines}group all all W1 W2 W3\nquorum all\n` },
  nested: {
    policy: `# W1, and any of the others\nlog ${vkey} https://log.example/log/\n${witnessLines}group others any W2 W3\ngroup both all W1 others\nquorum both\n`,
  },
  /** The verifier key is given apart; the policy has only the quorum. */
  both: { vkey, policy: `${witnessLines}group two 2 W1 W2 W3\nquorum two\n` },
  other_log: { vkey: formatVerifierKey(stranger.key) },
  nobody: { policy: "quorum none\n" },
};

export const document = {
  id: "https://market.example/api/v1/receipts/rcp_1",
  type: "SettlementDocument",
  amount: "2500000",
  proof: { type: "DataIntegrityProof", proofValue: "z1" },
};
export const jws = "eyJhbGciOiJFZERTQSJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl";
export const logged: LogEntry[] = [
  keyEntry({ seq: 1 }),
  receiptEntry("rcp_1", document, jws),
  receiptEntry("rcp_2", { ...document, id: "https://market.example/api/v1/receipts/rcp_2" }),
  revocationEntry("rcp_1", new Date("2026-11-23T12:00:00Z")),
  keyEntry({ seq: 2 }),
];
export const entries = logged.map(encodeEntry);
export const entryText = (index: number) => new TextDecoder().decode(entries[index]);
export const leaves = entries.map(hashLeaf);
export const signed = signCheckpoint({ size: leaves.length, root: rootOf(leaves) }, log);
export const { text } = parseNote(signed);
export const at = 1_800_000_000;
export const cosignedBy = (...signers: NoteSigner[]) =>
  signed + signers.map((signer, i) => formatSignature(cosign(text, signer, at + i))).join("");
export const cosigned = cosignedBy(w1, w2);
