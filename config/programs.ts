import { resolve } from "node:path";
import { z } from "zod";
import { readRpcUrl } from "./chains.ts";
import { environment } from "./config.ts";
import {
  address,
  ConfigError,
  chainUrl,
  type Environment,
  key,
  port,
  readEnvironment,
} from "./environment.ts";
import { settingNotes } from "./settings.ts";

const stackEnvironment = z.object({
  EARNEST_STATE_DIR: z.string().default(".earnest").register(settingNotes, {
    for: "`npm start`",
    is: "the folder of its state: database, chain, deployments, keys, logs",
  }),
  POSTGRES_PORT: port
    .default(54_329)
    .register(settingNotes, { for: "`npm start`", is: "the port of its PostgreSQL, on 127.0.0.1" }),
  ANVIL_PORT: port
    .default(8545)
    .register(settingNotes, { for: "`npm start`", is: "the port of its chain, on 127.0.0.1" }),
  SECOND_ANVIL_PORT: port.default(8546).register(settingNotes, {
    for: "`npm start -- --second-chain`",
    is: "the port of its second chain, on 127.0.0.1",
  }),
  PORT: port.default(42_069),
  METRICS_HOST: environment.shape.METRICS_HOST,
  METRICS_PORT: port.default(42_070),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
});

/** Reads the settings of `npm start`: its folder, its ports, and the environment of its processes. */
export function readStackConfig(env: Environment = process.env) {
  const values = readEnvironment(stackEnvironment, env);
  return {
    stateDir: resolve(values.EARNEST_STATE_DIR),
    postgresPort: values.POSTGRES_PORT,
    anvilPort: values.ANVIL_PORT,
    secondAnvilPort: values.SECOND_ANVIL_PORT,
    apiPort: values.PORT,
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    /** whether npm started this process */
    underNpm: env.npm_lifecycle_event !== undefined,
    /** The environment of a process of the stack: this environment, with `settings` over it. */
    childEnvironment: (settings: Record<string, string>, defaults: Record<string, string> = {}) => ({
      ...defaults,
      ...env,
      ...settings,
    }),
  };
}

const deployEnvironment = z.object({
  DEPLOY_RPC_URL: chainUrl.optional().register(settingNotes, {
    for: "`npm run deploy`",
    is: "a node for the deployment alone; without `--chain`, it tells the chain",
    otherwise: "`RPC_URL_<chain id>`",
  }),
  DEPLOYER_PRIVATE_KEY: key.optional().register(settingNotes, {
    for: "`npm run deploy`",
    is: "the wallet that pays for the deployment, and gets no rights",
    otherwise: "anvil's account 0 on 31337",
  }),
  DEPLOY_TOKEN: address.optional().register(settingNotes, {
    for: "`npm run deploy`",
    is: "the token of orders",
    otherwise: "the chain's USDC; TestUSD on 31337",
  }),
  DEPLOY_ARBITER: address.optional().register(settingNotes, {
    for: "`npm run deploy`",
    is: "the arbiter of services that list none; without it, only time decides",
  }),
  DEPLOY_NETWORK_NAME: z
    .string()
    .optional()
    .register(settingNotes, { for: "`npm run deploy`", is: "the name of a chain that is not known" }),
  DEPLOY_BLOCK: z
    .string()
    .regex(/^\d+$/, "must be a block's number")
    .transform(BigInt)
    .optional()
    .register(settingNotes, {
      for: "`npm run deploy`",
      is: "the block of an escrow that is deployed already, if the node keeps no old states",
    }),
  DEPLOY_SOURCIFY_URL: z
    .url({ protocol: /^https?$/ })
    .default("https://sourcify.dev/server")
    .transform((url) => url.replace(/\/+$/, ""))
    .register(settingNotes, {
      for: "`npm run deploy`",
      is: "the server that gets the sources with `--publish-sources`",
    }),
  DEPLOYMENTS_DIR: z.string().default(".earnest/deployments"),
});

/**
 * Settings of `npm run deploy`.
 *
 * @param chainId the requested chain; null if the node of DEPLOY_RPC_URL determines it
 */
export function readDeployConfig(chainId: number | null, env: Environment = process.env) {
  const values = readEnvironment(deployEnvironment, env);
  const rpcUrl = values.DEPLOY_RPC_URL ?? (chainId ? readRpcUrl(chainId, env) : undefined);
  if (!rpcUrl) {
    throw new ConfigError(
      chainId
        ? `No node is named for chain ${chainId}: set RPC_URL_${chainId}, or DEPLOY_RPC_URL for the deployment alone.`
        : "No chain is named: run `npm run deploy -- --chain <name>`, or set DEPLOY_RPC_URL.",
    );
  }
  return {
    rpcUrl,
    deployerPrivateKey: values.DEPLOYER_PRIVATE_KEY as `0x${string}` | undefined,
    token: values.DEPLOY_TOKEN,
    arbiter: values.DEPLOY_ARBITER ?? null,
    networkName: values.DEPLOY_NETWORK_NAME,
    /** the block of an existing escrow, for a node without old states */
    block: values.DEPLOY_BLOCK,
    sourcifyUrl: values.DEPLOY_SOURCIFY_URL,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
  };
}

const keyEnvironment = environment.pick({
  SIGNING_KEY_FILE: true,
  SIGNING_KEYS: true,
  LOG_KEY_FILE: true,
  LOG_KEY: true,
  PUBLIC_URL: true,
  WEBHOOK_KEY_FILE: true,
  FUNDING_WINDOW_SECONDS: true,
});

/** Settings of `npm run keys`. */
export function readKeyConfig(env: Environment = process.env) {
  const values = readEnvironment(keyEnvironment, env);
  return {
    signingKeyFile: resolve(values.SIGNING_KEY_FILE),
    signingKeys: values.SIGNING_KEYS,
    logKeyFile: resolve(values.LOG_KEY_FILE),
    logKey: values.LOG_KEY,
    publicUrl: values.PUBLIC_URL,
    webhookKeyFile: resolve(values.WEBHOOK_KEY_FILE),
    /** how long an offer may be valid */
    fundingSeconds: values.FUNDING_WINDOW_SECONDS,
  };
}

const witnessEnvironment = z.object({
  WITNESS_DIR: z
    .string()
    .default(".earnest/witness")
    .register(settingNotes, { for: "`npm run witness`", is: "its key and its state" }),
  WITNESS_LOGS: z
    .string()
    .default(".earnest/witness/logs")
    .register(settingNotes, { for: "`npm run witness`", is: "the file with the logs to cosign" }),
  WITNESS_HOST: z.string().optional().register(settingNotes, {
    for: "`npm run witness`",
    is: "the address to listen on",
    otherwise: "all addresses",
  }),
  WITNESS_PORT: port.default(42_080).register(settingNotes, { for: "`npm run witness`", is: "its port" }),
  LOG_LEVEL: environment.shape.LOG_LEVEL,
});

/** Settings of `npm run witness`, which reads nothing else of the environment. */
export function readWitnessConfig(env: Environment = process.env) {
  const values = readEnvironment(witnessEnvironment, env);
  return {
    /** its key and its state */
    folder: resolve(values.WITNESS_DIR),
    /** the logs that it cosigns, as `log` lines of a policy */
    logsFile: resolve(values.WITNESS_LOGS),
    /** the address to listen on; all addresses by default */
    host: values.WITNESS_HOST,
    port: values.WITNESS_PORT,
    logLevel: values.LOG_LEVEL,
  };
}

const demoEnvironment = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:42069")
    .transform((url) => url.replace(/\/+$/, ""))
    .register(settingNotes, { for: "`npm run demo`", is: "the service" }),
  DEMO_RPC_URL: chainUrl
    .default("http://127.0.0.1:8545")
    .register(settingNotes, { for: "`npm run demo`", is: "the chain's node" }),
  DEMO_SECOND_RPC_URL: chainUrl.default("http://127.0.0.1:8546").register(settingNotes, {
    for: "`npm run demo`",
    is: "the node of the second local chain, if the service has that chain",
  }),
  DEMO_BUYER_PRIVATE_KEY: key.optional().register(settingNotes, {
    for: "`npm run demo`",
    is: "the buyer's wallet, with gas and tokens",
    otherwise: "anvil's account 3",
  }),
  DEMO_PROVIDER_PRIVATE_KEY: key.optional().register(settingNotes, {
    for: "`npm run demo`",
    is: "the provider's wallet, with gas",
    otherwise: "anvil's account 4",
  }),
});

/** Settings of `npm run demo`. */
export function readDemoConfig(env: Environment = process.env) {
  const values = readEnvironment(demoEnvironment, env);
  return {
    baseUrl: values.BASE_URL,
    rpcUrl: values.DEMO_RPC_URL,
    secondRpcUrl: values.DEMO_SECOND_RPC_URL,
    buyerPrivateKey: values.DEMO_BUYER_PRIVATE_KEY as `0x${string}` | undefined,
    providerPrivateKey: values.DEMO_PROVIDER_PRIVATE_KEY as `0x${string}` | undefined,
  };
}

const forkEnvironment = z.object({
  FORK_URL: chainUrl.optional().register(settingNotes, {
    for: "`npm test`",
    is: "the network that the settlement tests fork",
    otherwise: "a chain of their own",
  }),
  FORK_TOKEN: address
    .optional()
    .register(settingNotes, { for: "`npm test`", is: "the token of that network" }),
});

/** Reads the network that the tests fork; null without FORK_URL. */
export function readForkConfig(env: Environment = process.env) {
  const { FORK_URL, FORK_TOKEN } = readEnvironment(forkEnvironment, env);
  if (!FORK_URL) return null;
  if (!FORK_TOKEN) throw new ConfigError("FORK_URL is set: FORK_TOKEN must name the token of that network.");
  return { url: FORK_URL, token: FORK_TOKEN };
}

/** The variables of these programs, besides those of a running service. */
export const programEnvironments = {
  start: stackEnvironment.shape,
  deploy: deployEnvironment.shape,
  witness: witnessEnvironment.shape,
  demo: demoEnvironment.shape,
  tests: forkEnvironment.shape,
};
