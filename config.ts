import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Address, getAddress, isAddress } from "viem";
import { z } from "zod";

const address = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "is not a 20-byte 0x address")
  .transform((value): Address => getAddress(value));

/** One chain's deployment, as `npm run deploy` writes it to `<DEPLOYMENTS_DIR>/<chain_id>.json`. */
export const deploymentManifest = z.strictObject({
  chain_id: z.int().positive(),
  network_name: z.string().min(1),
  escrow_contract: address,
  deposit_implementation: address,
  deployment_block: z.int().nonnegative(),
  deployment_transaction: z.string(),
  token: z.strictObject({
    address,
    symbol: z.string().min(1),
    decimals: z.int().min(0).max(36),
    /** EIP-712 name and version of the token's own domain, which EIP-3009 signatures need. */
    name: z.string(),
    version: z.string(),
  }),
  /** Who decides disputes when the buyer names nobody; null means that only time decides. */
  arbiter: address.nullable(),
});
export type DeploymentManifest = z.infer<typeof deploymentManifest>;

const key = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be a 32-byte 0x hex key");
const seconds = z.coerce.number().int().positive();
const port = z.coerce.number().int().min(0).max(65_535);

const environment = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL")
    .default("postgres://earnest:earnest@127.0.0.1:54329/earnest"),
  DEPLOYMENTS_DIR: z.string().default(".earnest/deployments"),
  DEFAULT_CHAIN_ID: z.coerce.number().int().positive().optional(),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:42069")
    .transform((url) => url.replace(/\/+$/, "")),
  PORT: port.default(42_069),
  SIGNING_KEY_FILE: z.string().default(".earnest/keys/signing.json"),
  RELAYER_PRIVATE_KEY: key.optional(),
  SESSION_SECONDS: seconds.default(24 * 3600),
  NONCE_SECONDS: seconds.default(10 * 60),
  FUNDING_WINDOW_SECONDS: seconds.default(24 * 3600),
  DISPUTE_WINDOW_SECONDS: seconds.default(7 * 24 * 3600),
  APPEAL_WINDOW_SECONDS: seconds.default(2 * 24 * 3600),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
});

/** A chain that Earnest serves: its deployment, and how this process reaches it. */
export type Chain = DeploymentManifest & {
  rpc_url: string;
  /** A chain fact counts once this many blocks, its own included, hold it. */
  confirmations: number;
  /** Milliseconds between two polls of the chain's head. */
  polling_interval: number;
};

export type Config = ReturnType<typeof readConfig>;

/** Thrown with one line per thing that is wrong; every entry point prints it and exits 1. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/**
 * Reads and checks all settings. The only place that looks at the environment.
 *
 * @param env usually `process.env`; tests pass their own
 * @throws ConfigError naming each wrong variable and what it should be
 */
export function readConfig(env: Record<string, string | undefined> = process.env) {
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
  return {
    databaseUrl: values.DATABASE_URL,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
    publicUrl: values.PUBLIC_URL,
    port: values.PORT,
    signingKeyFile: resolve(values.SIGNING_KEY_FILE),
    relayerPrivateKey: values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined,
    sessionSeconds: values.SESSION_SECONDS,
    nonceSeconds: values.NONCE_SECONDS,
    windows: {
      fundingSeconds: values.FUNDING_WINDOW_SECONDS,
      disputeSeconds: values.DISPUTE_WINDOW_SECONDS,
      appealSeconds: values.APPEAL_WINDOW_SECONDS,
    },
    logLevel: values.LOG_LEVEL,
    chains,
    defaultChain,
  };
}

const chainUrl = z.url({ protocol: /^(http|ws)s?$/ });

const stackEnvironment = z.object({
  EARNEST_STATE_DIR: z.string().default(".earnest"),
  POSTGRES_PORT: port.default(54_329),
  ANVIL_PORT: port.default(8545),
  PORT: port.default(42_069),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
});

/** Settings of `npm start` alone: where its state lies, which ports it takes, and what its processes are told. */
export function readStackConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(stackEnvironment, env);
  return {
    stateDir: resolve(values.EARNEST_STATE_DIR),
    postgresPort: values.POSTGRES_PORT,
    anvilPort: values.ANVIL_PORT,
    apiPort: values.PORT,
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    /** npm stands between us and whoever started us */
    underNpm: env.npm_lifecycle_event !== undefined,
    /** The environment of a process of the stack: ours, with these in the place of what it says. */
    childEnvironment: (settings: Record<string, string>) => ({ ...env, ...settings }),
  };
}

const deployEnvironment = z.object({
  DEPLOY_RPC_URL: chainUrl,
  DEPLOYER_PRIVATE_KEY: key,
  DEPLOY_TOKEN: address.optional(),
  DEPLOY_ARBITER: address.optional(),
  DEPLOY_NETWORK_NAME: z.string().optional(),
  DEPLOYMENTS_DIR: z.string().default(".earnest/deployments"),
});

/** Settings of `npm run deploy`. */
export function readDeployConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(deployEnvironment, env);
  return {
    rpcUrl: values.DEPLOY_RPC_URL,
    deployerPrivateKey: values.DEPLOYER_PRIVATE_KEY as `0x${string}`,
    token: values.DEPLOY_TOKEN,
    arbiter: values.DEPLOY_ARBITER ?? null,
    networkName: values.DEPLOY_NETWORK_NAME,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
  };
}

const demoEnvironment = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:42069")
    .transform((url) => url.replace(/\/+$/, "")),
  DEMO_RPC_URL: chainUrl.default("http://127.0.0.1:8545"),
  DEMO_BUYER_PRIVATE_KEY: key.optional(),
  DEMO_PROVIDER_PRIVATE_KEY: key.optional(),
});

/** Settings of `npm run demo`. */
export function readDemoConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(demoEnvironment, env);
  return {
    baseUrl: values.BASE_URL,
    rpcUrl: values.DEMO_RPC_URL,
    buyerPrivateKey: values.DEMO_BUYER_PRIVATE_KEY as `0x${string}` | undefined,
    providerPrivateKey: values.DEMO_PROVIDER_PRIVATE_KEY as `0x${string}` | undefined,
  };
}

const forkEnvironment = z.object({ FORK_URL: chainUrl.optional(), FORK_TOKEN: address.optional() });

/** Which network the tests fork: none, unless FORK_URL names one and FORK_TOKEN its token. */
export function readForkConfig(env: Record<string, string | undefined> = process.env) {
  const { FORK_URL, FORK_TOKEN } = readEnvironment(forkEnvironment, env);
  if (!FORK_URL) return null;
  if (!FORK_TOKEN) throw new ConfigError("FORK_URL is set: FORK_TOKEN must name the token of that network.");
  return { url: FORK_URL, token: FORK_TOKEN };
}

function readEnvironment<T extends z.ZodType>(shape: T, env: Record<string, string | undefined>): z.infer<T> {
  // An empty line in an .env file means "not set".
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = shape.safeParse(set);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new ConfigError(`These settings are wrong:\n${lines.join("\n")}`);
}

function readChains(directory: string, env: Record<string, string | undefined>): Chain[] {
  let files: string[];
  try {
    files = readdirSync(directory).filter((file) => file.endsWith(".json"));
  } catch {
    return [];
  }
  return files
    .map((file) => {
      const path = join(directory, file);
      const parsed = deploymentManifest.safeParse(parseJson(path));
      if (!parsed.success) {
        throw new ConfigError(`${path} is not a deployment manifest:\n${z.prettifyError(parsed.error)}`);
      }
      const manifest = parsed.data;
      const local = manifest.chain_id === 31_337;
      const rpcUrl = env[`RPC_URL_${manifest.chain_id}`] || (local ? "http://127.0.0.1:8545" : undefined);
      if (!rpcUrl) {
        throw new ConfigError(`${path} names chain ${manifest.chain_id}: set RPC_URL_${manifest.chain_id}.`);
      }
      return {
        ...manifest,
        rpc_url: rpcUrl,
        confirmations: wholeNumber(env, `CONFIRMATIONS_${manifest.chain_id}`, local ? 1 : 12),
        polling_interval: wholeNumber(env, `POLLING_INTERVAL_${manifest.chain_id}`, local ? 100 : 1000),
      };
    })
    .sort((a, b) => a.chain_id - b.chain_id);
}

function wholeNumber(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const value = env[name];
  if (!value) return otherwise;
  if (!/^[1-9]\d*$/.test(value))
    throw new ConfigError(`${name} is "${value}": it takes a whole number from 1.`);
  return Number(value);
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(cause as Error).message}`);
  }
}
