import { setTimeout as sleep } from "node:timers/promises";
import { createSite } from "./cluster.ts";
import { untilPromoted } from "./faults.ts";
import { postgresNodes, startPostgresNodes } from "./postgres-nodes.ts";
import { watchWritable } from "./writable.ts";

/** Milliseconds of writes before the kill, and after the promotion. */
const calm = 3000;

/**
 * Starts etcd, PostgreSQL under Patroni and HAProxy without programs, kills the leader's machine under writes, and waits for
 * the promotion of a replica.
 *
 * @returns a sentence for each acknowledged write that is lost, and each second writable primary
 */
export async function rehearseFailover(say: (line: string) => void): Promise<string[]> {
  const site = createSite();
  const postgres = await startPostgresNodes(site);
  try {
    await postgres.createDatabase();
    while (!(await postgres.isWhole())) await sleep(200);
    const writable = await watchWritable(postgresNodes);
    await sleep(calm);
    const old = (await postgres.leader()) ?? "";
    postgres.nodes.find(({ name }) => name === old)?.keepDown(true);
    site.network.signal(old, "SIGKILL");
    const killed = performance.now();
    await untilPromoted(postgres, old);
    const next = await postgres.leader();
    say(`${old} was killed; ${next} leads after ${((performance.now() - killed) / 1000).toFixed(1)} s`);
    await sleep(calm);
    const before = writable.acknowledged.length;
    const wrong = await writable.judge();
    const taken = new Set(writable.acknowledged.map(({ node }) => node));
    if (!taken.has(old) || !next || next === old || !taken.has(next))
      wrong.push(`no write was acknowledged by ${old} and then by another node: ${[...taken].join(", ")}`);
    say(`${before} writes were acknowledged, ${wrong.length} faults found`);
    return wrong;
  } finally {
    site.remove(postgres);
  }
}
