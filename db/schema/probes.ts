import { boolean, doublePrecision, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";

/** A URL that is probed for those agents that advertise it, and what was last found there. */
export const probeTarget = earnest.table(
  "probe_target",
  {
    /** SHA-256 of the URL */
    id: text("id").primaryKey(),
    url: text("url").notNull(),
    host: text("host").notNull(),
    /** where within the interval it has its turn, from 0 up to 1 */
    phase: doublePrecision("phase").notNull(),
    /** while it is probed, when it is due again if its worker dies */
    nextProbeAt: time("next_probe_at").notNull().defaultNow(),
    /** null until a first probe has run, and so is all else that was found */
    lastCheckedAt: time("last_checked_at"),
    lastOkAt: time("last_ok_at"),
    reachable: boolean("reachable"),
    statusCode: integer("status_code"),
    latencyMs: integer("latency_ms"),
    tlsValid: boolean("tls_valid"),
    bodyIsJson: boolean("body_is_json"),
    consecutiveFailures: integer("consecutive_failures").notNull().default(0),
    /** whether a party of funded orders advertised it at the last probe, and the network of an account that did */
    forParty: boolean("for_party").notNull().default(false),
    network: text("network"),
    /** of the seven days before the last probe, that included */
    checks7d: integer("checks_7d").notNull().default(0),
    ok7d: integer("ok_7d").notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index("probe_target_due").on(table.nextProbeAt)],
);

/** An agent whose endpoint is probed; one that is not published, or beyond its account's hosts, has no row. */
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

/** How the probes of an hour went, kept for seven days. */
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
