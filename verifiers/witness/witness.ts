import { createHash } from "node:crypto";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import type { Logger } from "pino";
import { type Checkpoint, parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { cosign } from "../../protocol/tlog/cosignature.ts";
import { LogRejection } from "../../protocol/tlog/errors.ts";
import { emptyRoot, isSameHash, verifyConsistency } from "../../protocol/tlog/merkle.ts";
import {
  assertSignedBy,
  type CheckSync,
  formatNote,
  formatSignature,
  type Note,
  type NoteKey,
  type NoteSignature,
  type NoteSigner,
  parseNote,
} from "../../protocol/tlog/note.ts";
import { decodeHash } from "../../protocol/tlog/note-text.ts";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { type CosignRequest, parseRequest } from "./cosign-request.ts";
import type { LogRecord, WitnessState } from "./witness-state.ts";

export type Answer = { status: number; type: string; body: string };

export type Witness = {
  /** Answers `POST /add-checkpoint`. Throws, without a signature, if the checkpoint could not be recorded. */
  addCheckpoint(body: Uint8Array): Promise<Answer>;
  /** Returns the latest cosigned checkpoint, by the lower-case hex SHA-256 of the log's origin. */
  latest(originHash: string): string | undefined;
};

/** Checks by node:crypto, in a tenth of the portable check's time. */
const checkByNode: CheckSync = (...signed) => checkSignature(...signed) === true;

/** Seconds in which a repeated checkpoint gets the same cosignature, without a write. */
const repeatedWithin = 10;

/**
 * Creates a witness (c2sp.org/tlog-witness). It cosigns a log's checkpoint only if the checkpoint continues the last
 * cosigned one. It answers after the disk has the record.
 *
 * @param logs the logs' keys; keys of one name belong to one log
 * @param signer the witness's own key, of type `cosignature`
 */
export function createWitness({
  logs,
  signer,
  state,
  log,
  now = () => Date.now(),
}: {
  logs: readonly NoteKey[];
  signer: NoteSigner;
  state: WitnessState;
  log: Logger;
  now?: () => number;
}): Witness {
  const keys = Map.groupBy(logs, ({ name }) => name);
  const origins = new Map([...keys.keys()].map((origin) => [hashOrigin(origin), origin]));
  /** The last request of each log, for which the next one waits. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(origin: string, act: () => Promise<T>): Promise<T> {
    const turn = (turns.get(origin) ?? Promise.resolve()).then(act);
    turns.set(
      origin,
      turn.catch(() => {}),
    );
    return turn;
  }

  async function cosignNote(request: CosignRequest, opened: Opened): Promise<Answer> {
    const { origin, old, proof } = request;
    const { note, checkpoint, signatures } = opened;
    const { size, root } = checkpoint;
    const record = state.read(origin);
    if (record?.size === size && !isSameHash(base64.decode(record.root), root)) {
      await keepFork(origin, record, formatNote({ text: note.text, signatures }));
    }
    if (old !== (record?.size ?? 0)) {
      return { status: 409, type: "text/x.tlog.size", body: `${record?.size ?? 0}\n` };
    }
    if (size === 0 && !isSameHash(root, emptyRoot))
      return refuse(422, "The root of an empty tree is another one.");
    const oldRoot = record ? base64.decode(record.root) : emptyRoot;
    if (!verifyConsistency({ oldSize: old, oldRoot, size, root, proof })) {
      return refuse(422, `The proof does not show that the tree continues the one of ${old} entries.`);
    }
    const seconds = Math.floor(now() / 1000);
    const known = record && parseNote(record.checkpoint);
    const isRepeated = known?.text === note.text && record && seconds - record.at < repeatedWithin;
    if (isRepeated) return cosigned(known.signatures.at(-1) as NoteSignature);
    // If the clock goes back, the cosignature keeps the later time.
    const at = Math.max(seconds, record?.at ?? 1);
    const cosignature = cosign(note.text, signer, at);
    await state.write(origin, {
      size,
      root: base64.encode(root),
      at,
      checkpoint: formatNote({ text: note.text, signatures: [...signatures, cosignature] }),
      ...(record?.fork ? { fork: record.fork } : {}),
    });
    return cosigned(cosignature);
  }

  /** Stores the first pair of signed trees of one size. It proves that the log forked. */
  async function keepFork(origin: string, record: LogRecord, shown: string): Promise<void> {
    if (record.fork) return;
    const fork = { held: record.checkpoint, shown };
    log.error({ alert: "log_forked", origin, ...fork }, "a log signed two trees of one size");
    await state.write(origin, { ...record, fork });
  }

  return {
    async addCheckpoint(body) {
      let request: CosignRequest;
      let opened: Opened;
      try {
        request = parseRequest(body);
        const trusted = keys.get(request.origin);
        if (!trusted)
          return refuse(404, "This witness does not cosign this log. Ask its operator to list the log.");
        opened = openNote(request.note, trusted);
      } catch (error) {
        if (!(error instanceof LogRejection)) throw error;
        return refuse(isForbidden(error) ? 403 : 400, error.message);
      }
      const { size } = opened.checkpoint;
      if (request.old > size) {
        return refuse(400, `The old size, ${request.old}, is larger than the checkpoint's, ${size}.`);
      }
      return inTurn(request.origin, () => cosignNote(request, opened));
    },
    latest(originHash) {
      const origin = origins.get(originHash);
      return origin === undefined ? undefined : state.read(origin)?.checkpoint;
    },
  };
}

/** A note that trusted keys of its origin signed, with only their signatures. */
type Opened = { note: Note; checkpoint: Checkpoint; signatures: NoteSignature[] };

/** Parses a note. Throws `unknown_log` or `invalid_signature` for an untrusted signer, and other codes for a malformed note. */
function openNote(text: string, trusted: readonly NoteKey[]): Opened {
  const note = parseNote(text);
  const message = utf8ToBytes(note.text);
  const signatures = note.signatures.filter((signature) => {
    const key = trusted.find(({ name, id }) => name === signature.name && id === signature.id);
    if (key) assertSignedBy(key, signature.bytes, message, checkByNode);
    return key !== undefined;
  });
  if (signatures.length === 0) throw new LogRejection("unknown_log", "No trusted key signed the note.");
  return { note, checkpoint: readCheckpoint(note.text), signatures: signatures.slice(0, trusted.length) };
}

/** Also of an empty tree with a wrong root, which is answered in another way than what cannot be read. */
function readCheckpoint(text: string): Checkpoint {
  const [origin, size, root, ...rest] = text.split("\n");
  if (size !== "0") return parseCheckpoint(text);
  const checkpoint = parseCheckpoint([origin, size, base64.encode(emptyRoot), ...rest].join("\n"));
  return { ...checkpoint, root: decodeHash(root ?? "") };
}

const isForbidden = ({ code }: LogRejection) => code === "unknown_log" || code === "invalid_signature";

const refuse = (status: number, message: string): Answer => ({
  status,
  type: "text/plain; charset=utf-8",
  body: `${message}\n`,
});

const cosigned = (signature: NoteSignature): Answer => ({
  status: 200,
  type: "text/plain; charset=utf-8",
  body: formatSignature(signature),
});

/** How the protocol's paths name a log. */
export function hashOrigin(origin: string): string {
  return createHash("sha256").update(origin).digest("hex");
}
