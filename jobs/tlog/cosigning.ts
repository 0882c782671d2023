import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { logHead, logWitness } from "../../db/schema.ts";
import { formatVerifierKey } from "../../protocol/tlog/note.ts";
import { isQuorum } from "../../protocol/tlog/policy.ts";
import { compareTo } from "./continuity.ts";
import type { Known } from "./log-head.ts";
import { type Lease, readHead, writeHead } from "./log-head.ts";
import type { LogSettings } from "./log-settings.ts";
import { askWitness, readWitnessed, type Send } from "./witness-client.ts";

/** The fewest milliseconds between two rounds. */
const pace = 500;
/** Milliseconds for which the others are waited for once enough have signed. */
const linger = 250;
/** Milliseconds that a witness rests after a failure, which double with each, and the most of them. */
const firstRest = 1000;
const longestRest = 300_000;

type Peer = {
  name: string;
  vkey: string;
  url: string;
  key: LogSettings["signer"]["key"];
  /** what it signed last, as far as we know */
  size: number;
  isAsked: boolean;
  failures: number;
  failure: string | null;
  restsUntil: number;
};

/**
 * Makes rounds that have the policy's witnesses sign the newest checkpoint, and show it once enough have. A witness that
 * is slow, lies or fails holds nobody up: it rests, longer each time, and the sequencer shows what is too old without it.
 *
 * What a witness says is believed only where a signature bears it out: its own, or of a checkpoint that the tree in the
 * database does not continue, ours. That halts the log.
 */
export function createCosigning(
  db: Database,
  { signer, policy }: LogSettings,
  options: {
    state: () => { lease: Lease; known: Known } | null;
    send: Send;
    log: Logger;
    signal: AbortSignal;
  },
): () => Promise<void> {
  const { state, send, log, signal } = options;
  const ours = formatVerifierKey(signer.key);
  const peers: Peer[] = policy.witnesses.flatMap(({ name, key, url }) => {
    const fresh = { size: 0, isAsked: false, failures: 0, failure: null, restsUntil: 0 };
    return url === null
      ? []
      : [{ name, key, vkey: formatVerifierKey(key), url: url.replace(/\/+$/, ""), ...fresh }];
  });
  let isLoaded = false;
  let begunAt = 0;
  /** by the witness's name, the lines of the newest checkpoint that is being signed */
  let signed: { size: number; lines: Map<string, string>; shown: number } = {
    size: 0,
    lines: new Map(),
    shown: 0,
  };

  return async () => {
    const rest = begunAt + pace - Date.now();
    if (rest > 0) await sleep(Math.min(rest, pace), undefined, { signal }).catch(() => {});
    begunAt = Date.now();
    const now = state();
    const head = now && (await readHead(db));
    if (!now || !head) return;
    const { known, lease } = now;
    if (head.shownSize > known.size || (head.shownSize === known.size && head.isWitnessed)) return;
    await loadSizes();
    if (signed.size !== known.size) signed = { size: known.size, lines: new Map(), shown: 0 };
    const { lines } = signed;
    const enough = Promise.withResolvers<void>();
    const asking = peers
      .filter(({ name, isAsked, restsUntil }) => !lines.has(name) && !isAsked && restsUntil <= Date.now())
      .map(async (peer) => {
        const line = await ask(peer, known, lease);
        if (line) lines.set(peer.name, line);
        if (isQuorum(policy, lines.keys())) enough.resolve();
      });
    const all = Promise.all(asking);
    await Promise.race([all, enough.promise]);
    await Promise.race([all, sleep(linger)]);
    const isWitnessed = isQuorum(policy, lines.keys());
    const isNews = lines.size > signed.shown || head.shownSize < known.size;
    if (!isNews || !(isWitnessed || head.shownSize === known.size)) return;
    signed.shown = lines.size;
    await show(lease, known, lines, isWitnessed);
  };

  async function show(
    lease: Lease,
    { size, checkpoint }: Known,
    lines: Map<string, string>,
    isWitnessed: boolean,
  ) {
    const change = {
      shown: `${checkpoint}${[...lines.values()].join("")}`,
      shownSize: size,
      shownAt: sql`now()`,
      isWitnessed,
      waitingSince: sql`case when ${logHead.size} = ${size} then null else ${logHead.checkpointAt} end`,
    };
    await writeHead(db, lease, change, sql`${logHead.shownSize} <= ${size}`);
  }

  /** The witness's signature line, if it gives one. Never throws: what it is asked may go on after its round. */
  async function ask(peer: Peer, known: Known, lease: Lease): Promise<string | null> {
    peer.isAsked = true;
    try {
      const asked = await askWitness(db, peer, known, peer.size, send);
      if (asked.ok) {
        await note(peer, null, asked.size);
        return asked.line;
      }
      if (asked.isContradicted) await lookInto(peer, lease);
      await note(peer, asked.failure, peer.size);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, witness: peer.name }, "a witness could not be asked");
      await note(peer, "failed", peer.size).catch(() => {});
    } finally {
      peer.isAsked = false;
    }
    return null;
  }

  /** A witness that knows another tree may have one that we signed, which the database has lost since. */
  async function lookInto(peer: Peer, lease: Lease): Promise<void> {
    const evidence = await readWitnessed(peer.url, signer.key.name, send);
    const head = await readHead(db);
    if (evidence === null || !head) return;
    const contradiction = await compareTo(db, head.size, evidence, { vkey: ours, source: "evidence" });
    if (!contradiction) return;
    const { code, because, note: haltedBy } = contradiction;
    const haltedBecause = `${because} The witness ${peer.name} has it.`;
    await writeHead(db, lease, { halted: code, haltedBecause, haltedBy, haltedAt: sql`now()` });
  }

  async function note(peer: Peer, failure: string | null, size: number): Promise<void> {
    if (failure !== peer.failure) {
      if (failure)
        log.warn(
          { alert: "log_witness_failing", witness: peer.name, code: failure },
          "a witness does not sign",
        );
      else log.info({ witness: peer.name }, "a witness signs again");
    }
    peer.failures = failure ? peer.failures + 1 : 0;
    peer.restsUntil = failure ? Date.now() + Math.min(firstRest * 2 ** peer.failures, longestRest) : 0;
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
      const peer = peers.find((one) => one.vkey === vkey);
      if (peer) peer.size = size;
    }
    isLoaded = true;
  }
}
