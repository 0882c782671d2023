import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { openCosignature } from "./cosignature.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import {
  assertSignedBy,
  type CheckSync,
  findSignature,
  keyTypes,
  type NoteKey,
  parseNote,
  parseVerifierKey,
} from "./note.ts";
import { isQuorum, type Policy, parsePolicy } from "./policy.ts";

/** The logs that a verifier trusts, by a verifier key or a policy. If both are given, both must hold. */
export interface Trust {
  /** The log's verifier key. */
  vkey?: string;
  /** A policy (c2sp.org/tlog-policy): logs, witnesses, and the quorum of witnesses. */
  policy?: string | Policy;
  /** Checks Ed25519 signatures; the portable check by default. */
  check?: CheckSync;
}

/** A witness's statement that it saw the checkpoint. */
export interface Cosignature {
  /** The witness's name in the policy. */
  witness: string;
  /** The name of the witness's key. */
  name: string;
  /** The time of the cosignature, in Unix seconds. */
  at: number;
}

export interface VerifiedCheckpoint {
  valid: true;
  checkpoint: Checkpoint;
  /** The valid cosignatures of the policy's witnesses. */
  cosignatures: Cosignature[];
}

/**
 * Checks a checkpoint. It must be well formed. A trusted log must have signed it under its own name. The policy's quorum
 * of witnesses must have cosigned it. One bad signature of a trusted key fails the check. Never throws.
 */
export function verifyCheckpoint(note: string | Uint8Array, trust: Trust): VerifiedCheckpoint | LogFailure {
  return answer(() => openCheckpoint(note, trust));
}

/** Checks a checkpoint like `verifyCheckpoint`, but throws a `LogRejection`. */
export function openCheckpoint(input: string | Uint8Array, trust: Trust): VerifiedCheckpoint {
  const policy = typeof trust.policy === "string" ? parsePolicy(trust.policy) : trust.policy;
  const logs = trustedLogs(trust.vkey, policy);
  const note = parseNote(input);
  const checkpoint = parseCheckpoint(note.text);
  const signers = logs.filter((key) => findSignature(note, key));
  if (signers.length === 0)
    throw new LogRejection("unknown_log", `The origin is ${JSON.stringify(checkpoint.origin)}.`);
  const message = utf8ToBytes(note.text);
  for (const key of signers) {
    assertSignedBy(key, findSignature(note, key)?.bytes ?? new Uint8Array(), message, trust.check);
    if (key.name !== checkpoint.origin) {
      throw new LogRejection(
        "foreign_origin",
        `The origin is ${JSON.stringify(checkpoint.origin)}, the key is ${key.name}.`,
      );
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
    throw new LogRejection("quorum_not_met", `There are ${cosignatures.length} cosignatures.`);
  }
  return { valid: true, checkpoint, cosignatures };
}

/** Returns the given key, which must be in the policy if the policy lists logs; without a key, the policy's logs. */
function trustedLogs(vkey: string | undefined, policy: Policy | undefined): NoteKey[] {
  const listed = policy?.logs.map(({ key }) => key) ?? [];
  if (vkey === undefined) {
    if (listed.length === 0) throw new LogRejection("no_trusted_log");
    return listed;
  }
  const key = parseVerifierKey(vkey);
  if (key.type !== keyTypes.ed25519)
    throw new LogRejection("unsupported_key", "The key of a log must have type 1.");
  if (listed.length > 0 && !listed.some((each) => each.name === key.name && each.id === key.id)) {
    throw new LogRejection("no_trusted_log", "The policy does not list the log of the key.");
  }
  return [key];
}
