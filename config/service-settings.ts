// The settings of the running service: where it is, what it signs with, and what it sends.

import { z } from "zod";
import { dnsServers } from "./dns.ts";
import { key, port } from "./environment.ts";
import { usualDeliveries } from "./limits.ts";
import { settingNotes } from "./settings.ts";

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL");
const yesOrNo = z.enum(["true", "false"]);

export const databaseEnvironment = {
  DATABASE_URL: databaseUrl
    .default("postgres://earnest:earnest@127.0.0.1:54329/earnest")
    .register(settingNotes, { for: "all", is: "PostgreSQL, or a pooler before it" }),
  DATABASE_DIRECT_URL: databaseUrl.optional().register(settingNotes, {
    for: "all",
    is: "PostgreSQL itself, for listening, migrations and the indexer",
    otherwise: "`DATABASE_URL`",
  }),
  DATABASE_READ_URL: databaseUrl
    .optional()
    .register(settingNotes, { for: "API", is: "a standby from which the market is read without a token" }),
  DATABASE_PREPARED: yesOrNo
    .default("true")
    .transform((text) => text === "true")
    .register(settingNotes, {
      for: "API, worker",
      is: "`false` for a pooler that keeps no named statements",
    }),
};

export const serverEnvironment = {
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:42069")
    .transform((url) => url.replace(/\/+$/, ""))
    .register(settingNotes, {
      for: "all",
      is: "the address of the service; receipts and the issuer's name are made from it",
    }),
  SECURITY_CONTACT: z
    .url({ protocol: /^(https|mailto)$/ })
    .optional()
    .register(settingNotes, {
      for: "API",
      is: "where security researchers report faults, as `mailto:...` or `https://...`; it is shown in `security.txt`",
      otherwise: "no `security.txt`",
    }),
  PORT: port
    .default(42_069)
    .register(settingNotes, { for: "indexer, API", is: "the port, on all interfaces" }),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(0).register(settingNotes, {
    for: "API",
    is: "how long an ending process serves on, while `/ready` answers 503",
    unit: "seconds",
  }),
  METRICS_HOST: z
    .string()
    .default("127.0.0.1")
    .register(settingNotes, { for: "indexer, API", is: "the address of the metrics" }),
  METRICS_PORT: port.optional().register(settingNotes, {
    for: "indexer, API",
    is: "the port of the metrics; 0 for none",
    otherwise: "42070; `npm run api`: none",
    example: "42070",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(settingNotes, {
      for: "API, worker",
      is: "where traces are sent",
      example: "http://127.0.0.1:4318",
    }),
  LOG_LEVEL: z
    .enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"])
    .default("info")
    .register(settingNotes, { for: "all", is: "the least level of log lines" }),
};

export const keyEnvironment = {
  SIGNING_KEY_FILE: z.string().default(".earnest/keys/signing.json").register(settingNotes, {
    for: "worker, API",
    is: "the keys that sign receipts, x402 offers and executions",
  }),
  SIGNING_KEYS: z.string().optional().register(settingNotes, {
    for: "worker, API",
    is: "the content of `SIGNING_KEY_FILE`; wins over the file",
  }),
  WEBHOOK_KEY_FILE: z.string().default(".earnest/keys/webhooks.key").register(settingNotes, {
    for: "worker, API",
    is: "the key from which the secrets of webhook endpoints are derived",
  }),
  LOG_KEY_FILE: z.string().default(".earnest/keys/log.key").register(settingNotes, {
    for: "worker",
    is: "the key that signs the log; without it, nothing is logged",
  }),
  LOG_KEY: z
    .string()
    .optional()
    .register(settingNotes, { for: "worker", is: "the content of `LOG_KEY_FILE`; wins over the file" }),
  LOG_MEMORY_FILE: z
    .string()
    .default(".earnest/keys/log.checkpoint")
    .register(settingNotes, { for: "worker", is: "the file with the log's last checkpoint" }),
  WITNESS_POLICY_FILE: z
    .string()
    .optional()
    .register(settingNotes, { for: "worker", is: "the file with the policy of the log's witnesses" }),
  WITNESS_POLICY: z.string().optional().register(settingNotes, {
    for: "worker",
    is: "the content of `WITNESS_POLICY_FILE`; wins over the file",
  }),
  RELAYER_PRIVATE_KEY: key
    .optional()
    .register(settingNotes, { for: "worker", is: "the relayer's wallet; without it, nothing is relayed" }),
};

export const relayEnvironment = {
  // The dearest of calls has to fit in.
  RELAY_GAS_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .max(2_000_000_000)
    .default(20_000_000)
    .register(settingNotes, {
      for: "API, worker",
      is: "the gas that one account's relayed calls may take within an hour, with those for its orders' deposits",
    }),
  SETTLE_WHEN_DUE: yesOrNo
    .default("true")
    .transform((text) => text === "true")
    .register(settingNotes, {
      for: "worker",
      is: "whether it sends the calls that time has opened to anyone",
    }),
  ANCHOR_EVERY: z.coerce.number().int().min(0).max(86_400).default(3600).register(settingNotes, {
    for: "worker",
    is: "the shortest time between two anchors of the log; 0 for none",
    unit: "seconds",
  }),
};

export const requestEnvironment = {
  WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(20).default(15).register(settingNotes, {
    for: "worker",
    is: "the most that an attempt of a delivery may take; its lease is three times that",
    unit: "seconds",
  }),
  WEBHOOK_HOST_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(usualDeliveries.hostPerSecond)
    .register(settingNotes, { for: "worker", is: "the most deliveries to a host, by all workers" }),
  // An endpoint's first delivery costs its account twenty, of five seconds' worth.
  WEBHOOK_ACCOUNT_PER_SECOND: z.coerce
    .number()
    .int()
    .min(4)
    .max(100_000)
    .default(usualDeliveries.accountPerSecond)
    .register(settingNotes, { for: "worker", is: "the most deliveries of an account, by all workers" }),
  PROBE_INTERVAL_SECONDS: z.coerce.number().int().min(10).max(86_400).default(900).register(settingNotes, {
    for: "worker",
    is: "the time between two probes of an agent's endpoint",
    unit: "seconds",
  }),
  DOMAIN_DNS_SERVERS: dnsServers.optional().register(settingNotes, {
    for: "worker",
    is: "the DNS servers for proofs of agents' domains, separated by commas; choose some that check DNSSEC",
    otherwise: "those of the system",
    example: "9.9.9.9,[2620:fe::fe]:53",
  }),
};
