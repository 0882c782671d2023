import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { logHead, logWitness } from "../../db/schema.ts";
import { formatVerifierKey } from "../../protocol/tlog/note.ts";
import { isQuorum } from "../../protocol/tlog/policy.ts";
import { compareWithCheckpoint } from "./continuity.ts";
import type { Known } from "./log-head.ts";
import { type LogLease, readLogHead, writeHead } from "./log-head.ts";
import type { LogSettings } from "./log-settings.ts";
import { readWitnessed, requestCosignature, type Send } from "./witness-client.ts";

/** The fewest milliseconds between two rounds. */
const pace = 500;
/** Milliseconds to wait for further cosignatures after the quorum is reached. */
const linger = 250;
/** Milliseconds of backoff after a witness's failure, which double with each, and their maximum. */
const firstBackoff = 1000;
const longestBackoff = 300_000;

type Peer = {
  name: string;
  vkey: string;
  url: string;
  key: LogSettings["signer"]["key"];
  /** the size that it signed last, as far as we know */
  size: number;
  isPending: boolean;
  failures: number;
  failure: string | null;
  retryAt: number;
};

/**
 * Returns a function that has the policy's witnesses cosign the newest checkpoint, and shows it once the quorum is
 * reached. A slow or failing witness delays nobody: it is retried with a backoff. If the quorum is late, the sequencer
 * shows the checkpoint all the same, without cosignatures.
 *
 * A witness's answer counts only with a signature: its own, or ours under a checkpoint that the tree in the database
 * does not continue. The latter halts the log.
 */
export function createCosigning(
  db: Database,
  { signer, policy }: LogSettings,
  options: {
    state: () => { lease: LogLease; known: Known } | null;
    send: Send;
    log: Logger;
    signal: AbortSignal;
  },
): () => Promise<void> {
  const { state, send, log, signal } = options;
  const ours = formatVerifierKey(signer.key);
  const peers: Peer[] = policy.witnesses.flatMap(({ name, key, url }) => {
    const fresh = { size: 0, isPending: false, failures: 0, failure: null, retryAt: 0 };
    return url === null
      ? []
      : [{ name, key, vkey: formatVerifierKey(key), url: url.replace(/\/+$/, ""), ...fresh }];
  });
  let isLoaded = false;
  let begunAt = 0;
  /** the cosignatures of the newest checkpoint, by the witness's name */
  let cosigned: { size: number; lines: Map<string, string>; shown: number } = {
    size: 0,
    lines: new Map(),
    shown: 0,
  };

  return async () => {
    const rest = begunAt + pace - Date.now();
    if (rest > 0) await sleep(Math.min(rest, pace), undefined, { signal }).catch(() => {});
    begunAt = Date.now();
    const current = state();
    const head = current && (await readLogHead(db));
    if (!current || !head) return;
    const { known, lease } = current;
    if (head.publishedSize > known.size || (head.publishedSize === known.size && head.isWitnessed)) return;
    await loadSizes();
    if (cosigned.size !== known.size) cosigned = { size: known.size, lines: new Map(), shown: 0 };
    const { lines } = cosigned;
    const enough = Promise.withResolvers<void>();
    const requests = peers
      .filter(({ name, isPending, retryAt }) => !lines.has(name) && !isPending && retryAt <= Date.now())
      .map(async (peer) => {
        const line = await askPeer(peer, known, lease);
        if (line) lines.set(peer.name, line);
        if (isQuorum(policy, lines.keys())) enough.resolve();
      });
    const all = Promise.all(requests);
    await Promise.race([all, enough.promise]);
    await Promise.race([all, sleep(linger)]);
    const isWitnessed = isQuorum(policy, lines.keys());
    const hasMore = lines.size > cosigned.shown || head.publishedSize < known.size;
    if (!hasMore || !(isWitnessed || head.publishedSize === known.size)) return;
    cosigned.shown = lines.size;
    await publishCosigned(lease, known, lines, isWitnessed);
  };

  async function publishCosigned(
    lease: LogLease,
    { size, checkpoint }: Known,
    lines: Map<string, string>,
    isWitnessed: boolean,
  ) {
    const change = {
      published: `${checkpoint}${[...lines.values()].join("")}`,
      publishedSize: size,
      publishedAt: sql`now()`,
      isWitnessed,
      waitingSince: sql`case when ${logHead.size} = ${size} then null else ${logHead.checkpointAt} end`,
    };
    await writeHead(db, lease, change, sql`${logHead.publishedSize} <= ${size}`);
  }

  /**
   * Requests a witness's signature line; null if there is none. Never throws, because the request may outlast its
   * round.
   */
  async function askPeer(peer: Peer, known: Known, lease: LogLease): Promise<string | null> {
    peer.isPending = true;
    try {
      const answer = await requestCosignature(db, peer, known, peer.size, send);
      if (answer.ok) {
        await recordAnswer(peer, null, answer.size);
        return answer.line;
      }
      if (answer.isContradicted) await checkWitnessedTree(peer, lease);
      await recordAnswer(peer, answer.failure, peer.size);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, witness: peer.name }, "the request to a witness failed");
      await recordAnswer(peer, "failed", peer.size).catch(() => {});
    } finally {
      peer.isPending = false;
    }
    return null;
  }

  /** Checks the tree that a witness knows: our key may have signed it, and the database may have lost it. */
  async function checkWitnessedTree(peer: Peer, lease: LogLease): Promise<void> {
    const evidence = await readWitnessed(peer.url, signer.key.name, send);
    const head = await readLogHead(db);
    if (evidence === null || !head) return;
    const contradiction = await compareWithCheckpoint(db, head.size, evidence, {
      vkey: ours,
      source: "evidence",
    });
    if (!contradiction) return;
    const { code, because, note: haltedBy } = contradiction;
    const haltedBecause = `${because} The witness ${peer.name} has the checkpoint.`;
    await writeHead(db, lease, { halted: code, haltedBecause, haltedBy, haltedAt: sql`now()` });
  }

  async function recordAnswer(peer: Peer, failure: string | null, size: number): Promise<void> {
    if (failure !== peer.failure) {
      if (failure)
        log.warn(
          { alert: "log_witness_failing", witness: peer.name, code: failure },
          "a witness does not cosign",
        );
      else log.info({ witness: peer.name }, "a witness cosigns again");
    }
    peer.failures = failure ? peer.failures + 1 : 0;
    peer.retryAt = failure ? Date.now() + Math.min(firstBackoff * 2 ** peer.failures, longestBackoff) : 0;
    Object.assign(peer, { failure, size });
    const { vkey } = peer;
    const set = failure ? { failure, failedAt: sql`now()` } : { failure: null, size, signedAt: sql`now()` };
    await db
      .insert(logWitness)
      .values({ vkey, ...set })
      .onConflictDoUpdate({ target: logWitness.vkey, set });
  }

  async function loadSizes(): Promise<void> {
    if (isLoaded) return;
    for (const { vkey, size } of await db.select().from(logWitness)) {
      const peer = peers.find((candidate) => candidate.vkey === vkey);
      if (peer) peer.size = size;
    }
    isLoaded = true;
  }
}
