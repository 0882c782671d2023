import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { openCosignature } from "./cosignature.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import {
  assertSignedBy,
  type CheckNow,
  findSignature,
  keyTypes,
  type NoteKey,
  parseNote,
  parseVerifierKey,
} from "./note.ts";
import { isQuorum, type Policy, parsePolicy } from "./policy.ts";

/** The logs that a verifier trusts: by a verifier key, by a policy, or by both, which then both have to hold. */
export interface Trust {
  /** The log's verifier key. */
  vkey?: string;
  /** A policy's text (c2sp.org/tlog-policy): logs, witnesses, and how many have to have cosigned. */
  policy?: string | Policy;
  /** The check of Ed25519 signatures; the portable one by default. */
  check?: CheckNow;
}

/** A witness's statement that it saw the checkpoint. */
export interface Cosignature {
  /** The witness's name in the policy. */
  witness: string;
  /** The name that its key has. */
  name: string;
  /** When it cosigned, Unix seconds. */
  at: number;
}

export interface VerifiedCheckpoint {
  valid: true;
  checkpoint: Checkpoint;
  /** The good cosignatures of the policy's witnesses. */
  cosignatures: Cosignature[];
}

/**
 * Checks a checkpoint: that it is well formed, that a trusted log signed it under its own name, and that the policy's
 * quorum of witnesses cosigned it. A bad signature of a trusted key refuses it all. Never throws.
 */
export function verifyCheckpoint(note: string | Uint8Array, trust: Trust): VerifiedCheckpoint | LogFailure {
  return answer(() => openCheckpoint(note, trust));
}

/** The same for this room's own functions: throws a `LogRejection`. */
export function openCheckpoint(input: string | Uint8Array, trust: Trust): VerifiedCheckpoint {
  const policy = typeof trust.policy === "string" ? parsePolicy(trust.policy) : trust.policy;
  const logs = trustedLogs(trust.vkey, policy);
  const note = parseNote(input);
  const checkpoint = parseCheckpoint(note.text);
  const signers = logs.filter((key) => findSignature(note, key));
  if (signers.length === 0)
    throw new LogRejection("unknown_log", `Its origin is ${JSON.stringify(checkpoint.origin)}.`);
  const message = utf8ToBytes(note.text);
  for (const key of signers) {
    assertSignedBy(key, findSignature(note, key)?.bytes ?? new Uint8Array(), message, trust.check);
    if (key.name !== checkpoint.origin) {
      throw new LogRejection("foreign_origin", `It is ${JSON.stringify(checkpoint.origin)}.`);
    }
  }
  const cosignatures = (policy?.witnesses ?? []).flatMap(({ name: witness, key }) => {
    const signature = findSignature(note, key);
    if (!signature) return [];
    return [{ witness, name: key.name, at: openCosignature(note.text, signature, key, trust.check) }];
  });
  if (
    policy &&
    !isQuorum(
      policy,
      cosignatures.map(({ witness }) => witness),
    )
  ) {
    throw new LogRejection("quorum_not_met", `${cosignatures.length} of them did.`);
  }
  return { valid: true, checkpoint, cosignatures };
}

/** The log of the key if it is given, which then has to be one of the policy's if it lists any; else the policy's. */
function trustedLogs(vkey: string | undefined, policy: Policy | undefined): NoteKey[] {
  const listed = policy?.logs.map(({ key }) => key) ?? [];
  if (vkey === undefined) {
    if (listed.length === 0) throw new LogRejection("no_trusted_log");
    return listed;
  }
  const key = parseVerifierKey(vkey);
  if (key.type !== keyTypes.ed25519) throw new LogRejection("unsupported_key", "A log's key is of type 1.");
  if (listed.length > 0 && !listed.some((each) => each.name === key.name && each.id === key.id)) {
    throw new LogRejection("no_trusted_log", "The policy lists other logs than the key's.");
  }
  return [key];
}
