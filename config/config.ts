import { resolve } from "node:path";
import { z } from "zod";
import { readChains } from "./chains.ts";
import { ConfigError, type Environment, readEnvironment } from "./environment.ts";
import { buyerChecks, buyerWaits, unpaidCaps, unreadBounds } from "./limits.ts";
import { mailEnvironment, readMailConfig } from "./mail.ts";
import {
  databaseEnvironment,
  keyEnvironment,
  relayEnvironment,
  requestEnvironment,
  serverEnvironment,
} from "./service-settings.ts";
import { notes } from "./settings.ts";
import { orderEnvironment, protectionEnvironment } from "./trade-settings.ts";
import { readWitnessPolicy } from "./witness-policy.ts";

export type { Chain, DeploymentManifest } from "./chains.ts";
export { ConfigError } from "./environment.ts";

/** The variables of a running service, by subject. */
export const environments = {
  database: databaseEnvironment,
  chains: {
    DEPLOYMENTS_DIR: z.string().default(".earnest/deployments").register(notes, {
      for: "all",
      is: "the folder with one `<chain id>.json` for each chain, by `npm run deploy`",
    }),
    DEFAULT_CHAIN_ID: z.coerce
      .number()
      .int()
      .positive()
      .optional()
      .register(notes, { for: "all", is: "the chain on which orders settle", otherwise: "the lowest id" }),
  },
  server: serverEnvironment,
  keys: keyEnvironment,
  relayer: relayEnvironment,
  requests: requestEnvironment,
  orders: orderEnvironment,
  protection: protectionEnvironment,
  mail: mailEnvironment,
};

/** The schema of all of these. */
export const environment = z.object({
  ...environments.database,
  ...environments.chains,
  ...environments.server,
  ...environments.keys,
  ...environments.relayer,
  ...environments.requests,
  ...environments.orders,
  ...environments.protection,
  ...environments.mail,
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
