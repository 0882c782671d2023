import { boolean, doublePrecision, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";

/** A URL that is probed for the agents that advertise it, with the last result. */
export const probeTarget = earnest.table(
  "probe_target",
  {
    /** SHA-256 of the URL */
    id: text("id").primaryKey(),
    url: text("url").notNull(),
    host: text("host").notNull(),
    /** position of its probe within the interval, from 0 to 1 */
    phase: doublePrecision("phase").notNull(),
    /** while it is probed, when another worker retries it */
    nextProbeAt: time("next_probe_at").notNull().defaultNow(),
    /** null until the first probe, like all results */
    lastCheckedAt: time("last_checked_at"),
    lastOkAt: time("last_ok_at"),
    reachable: boolean("reachable"),
    statusCode: integer("status_code"),
    latencyMs: integer("latency_ms"),
    tlsValid: boolean("tls_valid"),
    bodyIsJson: boolean("body_is_json"),
    consecutiveFailures: integer("consecutive_failures").notNull().default(0),
    /** at the last probe: whether a party of funded orders advertised the URL, and the network of an account that did */
    forParty: boolean("for_party").notNull().default(false),
    network: text("network"),
    /** probes of the seven days up to the last probe */
    checks7d: integer("checks_7d").notNull().default(0),
    ok7d: integer("ok_7d").notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index("probe_target_due").on(table.nextProbeAt)],
);

/** An agent whose endpoint is probed. An agent that is not published, or beyond its account's limit of hosts, has no row. */
export const agentProbe = earnest.table(
  "agent_probe",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id, { onDelete: "cascade" }),
    targetId: text("target_id")
      .notNull()
      .references(() => probeTarget.id),
  },
  (table) => [index("agent_probe_target").on(table.targetId)],
);

/** The probes of an hour, kept for seven days. */
export const probeTally = earnest.table(
  "probe_tally",
  {
    targetId: text("target_id")
      .notNull()
      .references(() => probeTarget.id, { onDelete: "cascade" }),
    hour: time("hour").notNull(),
    checks: integer("checks").notNull(),
    ok: integer("ok").notNull(),
  },
  (table) => [primaryKey({ columns: [table.targetId, table.hour] })],
);
