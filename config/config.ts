import { resolve } from "node:path";
import { z } from "zod";
import { readChains } from "./chains.ts";
import { ConfigError, type Environment, readEnvironment } from "./environment.ts";
import { fileEnvironment, readFilesConfig } from "./file-settings.ts";
import { buyerChecks, buyerWaits, unpaidCaps, unreadBounds } from "./limits.ts";
import { mailEnvironment, readMailConfig } from "./mail.ts";
import {
  databaseEnvironment,
  keyEnvironment,
  relayEnvironment,
  requestEnvironment,
  serverEnvironment,
} from "./service-settings.ts";
import { settingNotes } from "./settings.ts";
import { orderEnvironment, protectionEnvironment } from "./trade-settings.ts";
import { readWitnessPolicy } from "./witness-policy.ts";

export type { Chain, DeploymentManifest } from "./chains.ts";
export { ConfigError } from "./environment.ts";
export type { Token } from "./payment-tokens.ts";

/** The variables of a running service, by subject. */
export const environments = {
  database: databaseEnvironment,
  chains: {
    DEPLOYMENTS_DIR: z.string().default(".earnest/deployments").register(settingNotes, {
      for: "all",
      is: "the folder with one `<chain id>.json` for each chain, by `npm run deploy`",
    }),
    DEFAULT_CHAIN_ID: z.coerce.number().int().positive().optional().register(settingNotes, {
      for: "all",
      is: "the chain on which orders settle",
      otherwise: "the lowest id",
    }),
  },
  server: serverEnvironment,
  keys: keyEnvironment,
  relayer: relayEnvironment,
  requests: requestEnvironment,
  orders: orderEnvironment,
  protection: protectionEnvironment,
  files: fileEnvironment,
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
  ...environments.files,
  ...environments.mail,
});

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads and checks all settings of the service.
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
    /** may be a pooler that gives each transaction another connection */
    databaseUrl: values.DATABASE_URL,
    /** for sessions: listening, migrations, the indexer, session locks */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    /** a standby that the API reads from */
    databaseReadUrl: values.DATABASE_READ_URL,
    /** whether connections of `databaseUrl` may have prepared statements */
    keepsStatements: values.DATABASE_PREPARED,
    /** bytes of each API process for cached answers about the market; 0 for none */
    answerCacheBytes: values.ANSWER_CACHE_MB * 1024 * 1024,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
    publicUrl: values.PUBLIC_URL,
    securityContact: values.SECURITY_CONTACT ?? null,
    port: values.PORT,
    /** the address of the metrics; port 0 for no metrics, undefined for the program's default */
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    signingKeyFile: resolve(values.SIGNING_KEY_FILE),
    /** the content of the key file, for platforms without files; overrides the file */
    signingKeys: values.SIGNING_KEYS,
    /** the key that signs the log's checkpoints; without it, this worker adds nothing to the log */
    logKeyFile: resolve(values.LOG_KEY_FILE),
    /** the content of that file, for platforms without files; overrides the file */
    logKey: values.LOG_KEY,
    /** the file with the log's last checkpoint, outside of the database */
    logMemoryFile: resolve(values.LOG_MEMORY_FILE),
    /** the tlog-policy of the witnesses that sign the log's checkpoints; null for none */
    witnessPolicy: readWitnessPolicy(values),
    /** the key from which the secrets of webhook endpoints are derived */
    webhookKeyFile: resolve(values.WEBHOOK_KEY_FILE),
    /** the time limit of a delivery attempt; its lease is three times as long */
    webhookTimeoutSeconds: values.WEBHOOK_TIMEOUT_SECONDS,
    /** the most deliveries of all workers */
    webhookPace: {
      hostPerSecond: values.WEBHOOK_HOST_PER_SECOND,
      accountPerSecond: values.WEBHOOK_ACCOUNT_PER_SECOND,
    },
    /** time between two probes of a published agent's endpoint */
    probeIntervalSeconds: values.PROBE_INTERVAL_SECONDS,
    /** the DNS servers for proofs of agents' domains, as `address:port`; the system's by default */
    domainDnsServers: values.DOMAIN_DNS_SERVERS,
    relayerPrivateKey: values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined,
    sessionSeconds: values.SESSION_SECONDS,
    nonceSeconds: values.NONCE_SECONDS,
    windows: {
      fundingSeconds: values.FUNDING_WINDOW_SECONDS,
      disputeSeconds: values.DISPUTE_WINDOW_SECONDS,
      appealSeconds: values.APPEAL_WINDOW_SECONDS,
    },
    /** the most gas an hour for the relayed calls of one account */
    relayGasPerHour: values.RELAY_GAS_PER_HOUR,
    /** seconds between two anchors of the log's tree on the default chain at the least; 0 for none */
    anchorEvery: values.ANCHOR_EVERY,
    /** whether workers send the releases, refunds and settlements that the contract opens to anyone */
    settleWhenDue: values.SETTLE_WHEN_DUE,
    /** whether traces are sent; the SDK reads the rest of its settings itself */
    isTraced: values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    /** how long the API serves requests after its shutdown begins */
    drainSeconds: values.DRAIN_SECONDS,
    /** time limit of a request, without the wait that it requests; clients wait for 30 seconds */
    answerSeconds: 28,
    /** how long a request waits until its payment is mined */
    paymentWaitSeconds: values.X402_WAIT_SECONDS,
    /** how long a purchase may wait for the output, and how many may wait and be checked at once */
    buying: {
      waitSeconds: values.BUY_WAIT_SECONDS,
      waits: buyerWaits,
      checks: buyerChecks,
    },
    /** the factories that may be called to deploy a payer's wallet (ERC-6492) */
    walletFactories: values.X402_WALLET_FACTORIES,
    /** where the bytes of files are, and how many are stored */
    files: readFilesConfig(values),
    /** how mail is sent; null where none is */
    mail: readMailConfig(values),
    /** the proxies whose `X-Forwarded-For` is trusted */
    trustedProxies: values.TRUSTED_PROXIES,
    /** requests a minute by policy; null for no limits */
    rateLimits: values.RATE_LIMITS,
    /** the caps of unpaid orders; null if requests are not limited */
    unpaidOrders: values.RATE_LIMITS ? unpaidCaps : null,
    /** the bounds of unread answers */
    unread: unreadBounds,
    /** how many streams of events may be open in each API process, and for how long */
    eventStreams: values.EVENT_STREAMS,
    logLevel: values.LOG_LEVEL,
    chains,
    defaultChain,
  };
}
