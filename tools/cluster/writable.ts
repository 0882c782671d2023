import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { runStatement } from "../stack/postgres.ts";
import { urlOf } from "./postgres-nodes.ts";

/** A commit that a node acknowledged, with the node's timeline, and the times of request and answer. */
export type Acknowledged = { node: string; number: number; timeline: number; began: number; ended: number };

/** Milliseconds between two writes to a node, and for which a connection and an answer are awaited. */
const writeEvery = 250;
const connectsWithin = 2000;
const answersWithin = 90_000;

const urlAt = (host: string) => urlOf(host, { database: "postgres", user: "postgres" });
const writtenSchema = z.object({ timeline: z.number() });
const keptSchema = z.array(z.object({ node: z.string(), number: z.number() }));

/** Writes to every node all the time, past HAProxy, so that a second writable primary shows. */
export async function watchWritable(nodes: readonly string[]) {
  await runStatement(
    urlAt("haproxy"),
    "create table if not exists rehearsal (node text, number int, timeline int, primary key (node, number))",
  );
  const acknowledged: Acknowledged[] = [];
  const ending = new AbortController();
  const watching = nodes.map(async (node) => {
    for (let number = 0; !ending.signal.aborted; await sleep(writeEvery)) {
      const client = new pg.Client({
        connectionString: urlAt(node),
        connectionTimeoutMillis: connectsWithin,
        query_timeout: answersWithin,
      });
      // A cancelled wait for the standby is a notice. The commit then counts as not acknowledged.
      let isDoubtful = false;
      client.on("notice", () => {
        isDoubtful = true;
      });
      client.on("error", () => {});
      try {
        await client.connect();
        for (; !ending.signal.aborted; await sleep(writeEvery)) {
          const began = performance.now();
          number += 1;
          const { rows } = await client.query(
            `insert into rehearsal select $1, $2, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
             returning timeline`,
            [node, number],
          );
          const { timeline } = writtenSchema.parse(rows[0]);
          if (!isDoubtful) acknowledged.push({ node, number, timeline, began, ended: performance.now() });
          isDoubtful = false;
        }
      } catch {
        // A standby refuses the write, and a dead node does not answer.
      } finally {
        await Promise.race([client.end().catch(() => {}), sleep(1000)]);
      }
    }
  });
  return {
    /** Ends the writes. Returns a sentence for each acknowledged write that is lost, and each second primary. */
    async judge(): Promise<string[]> {
      ending.abort();
      await Promise.race([Promise.all(watching), sleep(answersWithin)]);
      const rows = keptSchema.parse(
        await runStatement(urlAt("haproxy"), "select node, number from rehearsal"),
      );
      const kept = new Set(rows.map(({ node, number }) => `${node} ${number}`));
      const lost = acknowledged.filter(({ node, number }) => !kept.has(`${node} ${number}`));
      return [
        ...lost.map(
          ({ node, number, timeline }) =>
            `${node} lost its acknowledged write ${number} of timeline ${timeline}`,
        ),
        ...findSecondPrimaries(acknowledged),
      ];
    },
    acknowledged,
  };
}

/** Finds writes on a timeline that began after a later timeline had acknowledged one: two primaries were writable. */
export function findSecondPrimaries(acknowledged: readonly Acknowledged[]): string[] {
  const byEnd = [...acknowledged].sort((one, other) => one.ended - other.ended);
  const byBegin = [...acknowledged].sort((one, other) => one.began - other.began);
  const found: string[] = [];
  let latest: Acknowledged | undefined;
  let at = 0;
  for (const write of byBegin) {
    for (let next = byEnd[at]; next && next.ended < write.began; next = byEnd[++at])
      if (!latest || next.timeline > latest.timeline) latest = next;
    if (latest && write.timeline < latest.timeline)
      found.push(
        `${write.node} took a write on timeline ${write.timeline} after ${latest.node} on timeline ${latest.timeline}`,
      );
  }
  return found;
}
