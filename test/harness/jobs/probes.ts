import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import type { Database } from "../../../db/client.ts";
import { account, agent, agentProbe, probeTarget } from "../../../db/schema.ts";
import { repeatRounds } from "../../../jobs/loop.ts";
import { createProber } from "../../../jobs/probes/probe.ts";
import { assignTargets } from "../../../jobs/probes/probe-targets.ts";
import { createSigningKey } from "../../../receipts/signing-keys.ts";
import { until } from "./ledger.ts";

type ProbeOptions = NonNullable<Parameters<typeof createProber>[3]["send"]>;

/** The keys that sign probes. */
export const probeKeys = [createSigningKey()];

/** A prober as a worker has it, for servers of the test at 127.0.0.1. */
export function startProber(
  db: Database,
  send: ProbeOptions,
  config: { publicUrl?: string; probeIntervalSeconds?: number } = {},
) {
  const stop = new AbortController();
  const log = pino({ level: "silent" });
  const prober = createProber(
    db,
    { publicUrl: "https://earnest.example", probeIntervalSeconds: 900, ...config },
    { keys: probeKeys },
    {
      log,
      send: {
        policy: { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] },
        lookup: async () => ["127.0.0.1"],
        ...send,
      },
    },
  );
  const round = async () => {
    await assignTargets(db, null);
    await prober(stop.signal);
    return 200;
  };
  const ended = repeatRounds("probes", round, { log, signal: stop.signal });
  return {
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

export async function addAccount(db: Database): Promise<string> {
  const id = typeid("acc").toString();
  await db.insert(account).values({ id });
  return id;
}

let agents = 0;

/** A published agent with an advertised endpoint. Each agent is published after the one before. */
export async function addAgent(
  db: Database,
  fields: Partial<typeof agent.$inferInsert> & { apiEndpoint: string; accountId?: string },
): Promise<string> {
  const id = typeid("agt").toString();
  await db.insert(agent).values({
    id,
    slug: id.replace("_", "-"),
    name: "An agent",
    capabilities: { skills: [], languages: [], input_modalities: [], output_modalities: [], protocols: [] },
    status: "published",
    publishedAt: new Date(Date.UTC(2026, 0, 1) + ++agents),
    ...fields,
    accountId: fields.accountId ?? (await addAccount(db)),
  });
  return id;
}

/** Changes an agent as the API does. */
export async function changeAgent(db: Database, id: string, fields: Partial<typeof agent.$inferInsert>) {
  await db
    .update(agent)
    .set({ ...fields, updatedAt: sql`now()` })
    .where(eq(agent.id, id));
}

/** Returns the probe target of an agent, or undefined. */
export async function targetOf(db: Database, agentId: string) {
  const [row] = await db
    .select()
    .from(agentProbe)
    .innerJoin(probeTarget, eq(probeTarget.id, agentProbe.targetId))
    .where(eq(agentProbe.agentId, agentId));
  return row?.probe_target;
}

/** Returns the probe target of an agent, once a probe has run. */
export function untilProbed(db: Database, agentId: string) {
  return until(async () => {
    const target = await targetOf(db, agentId);
    return target?.lastCheckedAt ? target : undefined;
  }, `a probe of ${agentId}`);
}

/** Makes the current agents the probe targets. */
export async function assignAll(db: Database): Promise<void> {
  await assignTargets(db, null);
}
