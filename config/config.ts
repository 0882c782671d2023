import { resolve } from "node:path";
import { z } from "zod";
import { readChains } from "./chains.ts";
import { dnsServers } from "./dns.ts";
import {
  address,
  ConfigError,
  type Environment,
  key,
  port,
  readEnvironment,
  seconds,
} from "./environment.ts";
import {
  buyerChecks,
  buyerWaits,
  rateLimits,
  streamBounds,
  trustedProxies,
  unpaidCaps,
  unreadBounds,
  usualDeliveries,
  usualRates,
  usualStreams,
} from "./limits.ts";
import { mailEnvironment, readMailConfig } from "./mail.ts";
import { readWitnessPolicy } from "./witness-policy.ts";

export type { Chain, DeploymentManifest } from "./chains.ts";
export { ConfigError } from "./environment.ts";

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL");
const yesOrNo = z.enum(["true", "false"]);

/** The variables of a running service. */
export const environment = z.object({
  DATABASE_URL: databaseUrl.default("postgres://earnest:earnest@127.0.0.1:54329/earnest"),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_READ_URL: databaseUrl.optional(),
  DATABASE_PREPARED: yesOrNo.default("true").transform((text) => text === "true"),
  DEPLOYMENTS_DIR: z.string().default(".earnest/deployments"),
  DEFAULT_CHAIN_ID: z.coerce.number().int().positive().optional(),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:42069")
    .transform((url) => url.replace(/\/+$/, "")),
  PORT: port.default(42_069),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  METRICS_HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: port.optional(),
  SIGNING_KEY_FILE: z.string().default(".earnest/keys/signing.json"),
  SIGNING_KEYS: z.string().optional(),
  LOG_KEY_FILE: z.string().default(".earnest/keys/log.key"),
  LOG_KEY: z.string().optional(),
  LOG_MEMORY_FILE: z.string().default(".earnest/keys/log.checkpoint"),
  WITNESS_POLICY_FILE: z.string().optional(),
  WITNESS_POLICY: z.string().optional(),
  WEBHOOK_KEY_FILE: z.string().default(".earnest/keys/webhooks.key"),
  WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(20).default(15),
  WEBHOOK_HOST_PER_SECOND: z.coerce.number().int().min(1).max(100_000).default(usualDeliveries.hostPerSecond),
  // An endpoint's first delivery costs its account twenty, of five seconds' worth.
  WEBHOOK_ACCOUNT_PER_SECOND: z.coerce
    .number()
    .int()
    .min(4)
    .max(100_000)
    .default(usualDeliveries.accountPerSecond),
  PROBE_INTERVAL_SECONDS: z.coerce.number().int().min(10).max(86_400).default(900),
  DOMAIN_DNS_SERVERS: dnsServers.optional(),
  RELAYER_PRIVATE_KEY: key.optional(),
  SESSION_SECONDS: seconds.default(24 * 3600),
  NONCE_SECONDS: seconds.default(10 * 60),
  FUNDING_WINDOW_SECONDS: seconds.default(24 * 3600),
  DISPUTE_WINDOW_SECONDS: seconds.default(7 * 24 * 3600),
  APPEAL_WINDOW_SECONDS: seconds.default(2 * 24 * 3600),
  // The dearest of calls has to fit in.
  RELAY_GAS_PER_HOUR: z.coerce.number().int().min(1_000_000).max(2_000_000_000).default(20_000_000),
  RELAYS_PER_HOUR: z.never("is gone: set RELAY_GAS_PER_HOUR, in gas and not in calls").optional(),
  ANCHOR_EVERY: z.coerce.number().int().min(0).max(86_400).default(3600),
  SETTLE_WHEN_DUE: yesOrNo.default("true").transform((text) => text === "true"),
  X402_WAIT_SECONDS: z.coerce.number().min(0).max(60).default(10),
  BUY_WAIT_SECONDS: z.coerce.number().int().min(0).max(300).default(60),
  // Coinbase Smart Wallet 1 and 1.1, and Safe 1.4.1, at the same address on every chain.
  X402_WALLET_FACTORIES: z
    .string()
    .default(
      "0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a,0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842,0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67",
    )
    .transform((list) => list.split(",").map((item) => item.trim()))
    .pipe(z.array(address)),
  ...mailEnvironment,
  TRUSTED_PROXIES: trustedProxies.default(null),
  RATE_LIMITS: rateLimits.default(usualRates),
  EVENT_STREAMS: streamBounds.default(usualStreams),
  ANSWER_CACHE_MB: z.coerce.number().int().min(0).max(1024).default(8),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
});

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads and checks all settings. The only place that looks at the environment.
 *
 * @param env usually `process.env`; tests pass their own
 * @throws ConfigError naming each wrong variable and what it should be
 */
export function readConfig(env: Environment = process.env) {
  const values = readEnvironment(environment, env);
  const chains = readChains(resolve(values.DEPLOYMENTS_DIR), env);
  const defaultChain = values.DEFAULT_CHAIN_ID
    ? chains.find((chain) => chain.chain_id === values.DEFAULT_CHAIN_ID)
    : chains[0];
  if (values.DEFAULT_CHAIN_ID && !defaultChain) {
    throw new ConfigError(
      `DEFAULT_CHAIN_ID is ${values.DEFAULT_CHAIN_ID}, but ${values.DEPLOYMENTS_DIR} has no manifest of that chain.`,
    );
  }
  if (values.METRICS_PORT && values.METRICS_PORT === values.PORT) {
    throw new ConfigError(`METRICS_PORT is PORT, ${values.PORT}: set it to another, or to 0 for no metrics.`);
  }
  return {
    /** may lead through a pooler that gives each transaction another connection */
    databaseUrl: values.DATABASE_URL,
    /** for what belongs to a session: listening, migrations, the indexer, locks that outlast a transaction */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    /** a standby that the API reads from; none unless told */
    databaseReadUrl: values.DATABASE_READ_URL,
    /** whether statements may be named and kept on a connection of `databaseUrl` */
    databasePrepared: values.DATABASE_PREPARED,
    /** what answers about the market may take of each API process's memory, kept ready for the next who asks; 0 for none */
    answerCacheBytes: values.ANSWER_CACHE_MB * 1024 * 1024,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
    publicUrl: values.PUBLIC_URL,
    port: values.PORT,
    /** where the metrics are served; port 0 for nowhere, none for what the program takes */
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    signingKeyFile: resolve(values.SIGNING_KEY_FILE),
    /** what a key file holds, for platforms without files; it wins over the file */
    signingKeys: values.SIGNING_KEYS,
    /** the key that signs the log's checkpoints; where there is none, this worker adds nothing to the log */
    logKeyFile: resolve(values.LOG_KEY_FILE),
    /** what that file holds, for platforms without files; it wins over the file */
    logKey: values.LOG_KEY,
    /** where the log's last checkpoint is kept, outside of the database */
    logMemoryFile: resolve(values.LOG_MEMORY_FILE),
    /** which witnesses have to sign the log's checkpoints: the text of a tlog-policy; null for none */
    witnessPolicy: readWitnessPolicy(values),
    /** what the secrets of webhook endpoints are derived from */
    webhookKeyFile: resolve(values.WEBHOOK_KEY_FILE),
    /** what an attempt of a delivery may take in all; three times that is when another worker takes up a dead one's */
    webhookTimeoutSeconds: values.WEBHOOK_TIMEOUT_SECONDS,
    /** how much all workers together send */
    webhookPace: {
      hostPerSecond: values.WEBHOOK_HOST_PER_SECOND,
      accountPerSecond: values.WEBHOOK_ACCOUNT_PER_SECOND,
    },
    /** how often each endpoint that a published agent advertises is probed */
    probeIntervalSeconds: values.PROBE_INTERVAL_SECONDS,
    /** the DNS servers that proofs of agents' domains are asked of, as `address:port`; the system's where none are set */
    domainDnsServers: values.DOMAIN_DNS_SERVERS,
    relayerPrivateKey: values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined,
    sessionSeconds: values.SESSION_SECONDS,
    nonceSeconds: values.NONCE_SECONDS,
    windows: {
      fundingSeconds: values.FUNDING_WINDOW_SECONDS,
      disputeSeconds: values.DISPUTE_WINDOW_SECONDS,
      appealSeconds: values.APPEAL_WINDOW_SECONDS,
    },
    /** gas that one account's relayed calls may take within an hour */
    relayGasPerHour: values.RELAY_GAS_PER_HOUR,
    /** seconds between two anchors of the log's tree on the default chain at the least; 0 for none */
    anchorEvery: values.ANCHOR_EVERY,
    /** whether workers send the releases, refunds and settlements that the contract opens to anyone */
    settleWhenDue: values.SETTLE_WHEN_DUE,
    /** whether traces are sent; the SDK reads the rest of its settings itself */
    isTraced: values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    /** how long the API serves on after it was told to end */
    drainSeconds: values.DRAIN_SECONDS,
    /** seconds in which a request is answered, besides what it asks to wait for; clients wait for 30 */
    answerSeconds: 28,
    /** how long a request waits for its payment to be mined before the answer says that it is on its way */
    paymentWaitSeconds: values.X402_WAIT_SECONDS,
    /** how long a request that buys may wait for the output, if it prefers to; and how many wait at once */
    buying: {
      waitSeconds: values.BUY_WAIT_SECONDS,
      waits: buyerWaits,
      checks: buyerChecks,
    },
    /** the factories that may be called to deploy a payer's wallet (ERC-6492) */
    walletFactories: values.X402_WALLET_FACTORIES,
    /** how mail is sent; null where none is */
    mail: readMailConfig(values),
    /** whose word on a request's origin is taken */
    trustedProxies: values.TRUSTED_PROXIES,
    /** requests a minute by policy; null for no limits */
    rateLimits: values.RATE_LIMITS,
    /** orders that may wait for their money; null where nobody's requests are limited */
    unpaidOrders: values.RATE_LIMITS ? unpaidCaps : null,
    /** what answers may take that nobody reads */
    unread: unreadBounds,
    /** how many streams of events may be open in each API process, and for how long */
    eventStreams: values.EVENT_STREAMS,
    logLevel: values.LOG_LEVEL,
    chains,
    defaultChain,
  };
}
