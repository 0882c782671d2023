import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Address, formatEther, getAddress, isAddress } from "viem";
import { z } from "zod";
import { parseAmount } from "./settlement/money.ts";
import { findNetwork, localNetwork } from "./settlement/networks.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/, "must be a 32-byte 0x hash in lower case");
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
  /** Null where another contract's transaction made it, so that none is its own. */
  deployment_transaction: z.string().nullable(),
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
  /** ERC-8004's registries on this chain; left out where there are none, or nobody looked for them yet. */
  erc8004: z.strictObject({ identity_registry: address, reputation_registry: address }).optional(),
  /** What the contract was made from. Optional: installations made before it was kept go on with their manifests. */
  build: z
    .strictObject({
      /** keccak256 of the code at `escrow_contract` */
      code_hash: hash,
      /** keccak256 of what was handed to the CREATE2 deployer with `salt` */
      creation_code_hash: hash,
      salt: hash,
      compiler: z.strictObject({
        solc: z.string(),
        optimizer_runs: z.int(),
        via_ir: z.boolean(),
        evm_version: z.string(),
        metadata_hash: z.string(),
        metadata_appended: z.boolean(),
      }),
    })
    .optional(),
});
export type DeploymentManifest = z.infer<typeof deploymentManifest>;

const key = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be a 32-byte 0x hex key");
const seconds = z.coerce.number().int().positive();
const port = z.coerce.number().int().min(0).max(65_535);

/**
 * Whose `X-Forwarded-For` is believed: so many proxies in a row before this process, those in these networks, or (null)
 * nobody's.
 */
export type TrustedProxies = { hops: number } | { networks: readonly string[] } | null;

const trustedProxies = z.string().transform((text, check): TrustedProxies => {
  if (/^\d$/.test(text)) return text === "0" ? null : { hops: Number(text) };
  const networks = text.split(",").map((item) => item.trim());
  if (networks.every((item) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(item).success))
    return { networks };
  check.addIssue("must be how many proxies stand before this process, or their addresses or CIDR networks");
  return z.NEVER;
});

/** Requests that a client may send in a minute, by policy (`api/rate-limit.ts` says which requests each counts). */
const usualRates = {
  credential: 600,
  account: 1800,
  address: 300,
  sign_in: 30,
  search: 240,
  schema: 60,
  payment: 60,
  verify: 60,
};
export type RatePolicy = keyof typeof usualRates;
export type RateLimits = Record<RatePolicy, number> | null;

const rateLimits = z.string().transform((text, check): RateLimits => {
  if (text === "off") return null;
  const limits = { ...usualRates };
  for (const item of text.split(",")) {
    const [, policy, rate] = /^\s*(\w+)\s*=\s*([1-9]\d{0,6})\s*$/.exec(item) ?? [];
    if (policy === undefined || !Object.hasOwn(usualRates, policy)) {
      check.addIssue(
        `must be off, or a list such as credential=600,address=300, of requests a minute, with any of ${Object.keys(usualRates).join(", ")}`,
      );
      return z.NEVER;
    }
    limits[policy as RatePolicy] = Number(rate);
  }
  return limits;
});

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
  SIGNING_KEYS: z.string().optional(),
  WEBHOOK_KEY_FILE: z.string().default(".earnest/keys/webhooks.key"),
  WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(20).default(15),
  PROBE_INTERVAL_SECONDS: z.coerce.number().int().min(10).max(86_400).default(900),
  RELAYER_PRIVATE_KEY: key.optional(),
  SESSION_SECONDS: seconds.default(24 * 3600),
  NONCE_SECONDS: seconds.default(10 * 60),
  FUNDING_WINDOW_SECONDS: seconds.default(24 * 3600),
  DISPUTE_WINDOW_SECONDS: seconds.default(7 * 24 * 3600),
  APPEAL_WINDOW_SECONDS: seconds.default(2 * 24 * 3600),
  RELAYS_PER_HOUR: z.coerce.number().int().positive().default(120),
  SETTLE_WHEN_DUE: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true"),
  X402_WAIT_SECONDS: z.coerce.number().min(0).max(60).default(10),
  // Coinbase Smart Wallet 1 and 1.1, and Safe 1.4.1, at the same address on every chain.
  X402_WALLET_FACTORIES: z
    .string()
    .default(
      "0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a,0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842,0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67",
    )
    .transform((list) => list.split(",").map((item) => item.trim()))
    .pipe(z.array(address)),
  TRUSTED_PROXIES: trustedProxies.default(null),
  RATE_LIMITS: rateLimits.default(usualRates),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
});

/** A chain that Earnest serves: its deployment, and how this process reaches it. */
export type Chain = DeploymentManifest & {
  rpc_url: string;
  /** A chain fact counts once this many blocks, its own included, hold it. */
  confirmations: number;
  /** Milliseconds between two polls of the chain's head. */
  polling_interval: number;
  /** Wei of one unit of gas, tip included, above which the relayer sends nothing. */
  max_fee_per_gas: bigint;
  /** Base units of the token from which an order's calls are relayed at our cost. */
  min_relay_amount: bigint;
  /** Relays that all accounts together may ask for within an hour. */
  relays_per_hour: number;
  /** Wei of the relaying wallet below which the operator is to be told. */
  relayer_low_balance: bigint;
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
    /** what a key file holds, for platforms without files; it wins over the file */
    signingKeys: values.SIGNING_KEYS,
    /** what the secrets of webhook endpoints are derived from */
    webhookKeyFile: resolve(values.WEBHOOK_KEY_FILE),
    /** what an attempt of a delivery may take in all; three times that is when another worker takes up a dead one's */
    webhookTimeoutSeconds: values.WEBHOOK_TIMEOUT_SECONDS,
    /** how often each endpoint that a published agent advertises is probed */
    probeIntervalSeconds: values.PROBE_INTERVAL_SECONDS,
    relayerPrivateKey: values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined,
    sessionSeconds: values.SESSION_SECONDS,
    nonceSeconds: values.NONCE_SECONDS,
    windows: {
      fundingSeconds: values.FUNDING_WINDOW_SECONDS,
      disputeSeconds: values.DISPUTE_WINDOW_SECONDS,
      appealSeconds: values.APPEAL_WINDOW_SECONDS,
    },
    /** calls that one account may have relayed within an hour */
    relaysPerHour: values.RELAYS_PER_HOUR,
    /** whether workers send the releases, refunds and settlements that the contract opens to anyone */
    settleWhenDue: values.SETTLE_WHEN_DUE,
    /** how long a request waits for its payment to be mined before the answer says that it is on its way */
    paymentWaitSeconds: values.X402_WAIT_SECONDS,
    /** the factories that may be called to deploy a payer's wallet (ERC-6492) */
    walletFactories: values.X402_WALLET_FACTORIES,
    /** whose word on a request's origin is taken */
    trustedProxies: values.TRUSTED_PROXIES,
    /** requests a minute by policy; null for no limits */
    rateLimits: values.RATE_LIMITS,
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
  DEPLOY_RPC_URL: chainUrl.optional(),
  DEPLOYER_PRIVATE_KEY: key.optional(),
  DEPLOY_TOKEN: address.optional(),
  DEPLOY_ARBITER: address.optional(),
  DEPLOY_NETWORK_NAME: z.string().optional(),
  DEPLOY_BLOCK: z.string().regex(/^\d+$/, "must be a block's number").transform(BigInt).optional(),
  DEPLOYMENTS_DIR: z.string().default(".earnest/deployments"),
});

/**
 * Settings of `npm run deploy`.
 *
 * @param chainId the chain that was asked for; null where DEPLOY_RPC_URL tells it
 */
export function readDeployConfig(
  chainId: number | null,
  env: Record<string, string | undefined> = process.env,
) {
  const values = readEnvironment(deployEnvironment, env);
  const rpcUrl = values.DEPLOY_RPC_URL ?? (chainId ? readRpcUrl(chainId, env) : undefined);
  if (!rpcUrl) {
    throw new ConfigError(
      chainId
        ? `No node is named for chain ${chainId}: set RPC_URL_${chainId}, or DEPLOY_RPC_URL for the deployment alone.`
        : "No chain is named: say `npm run deploy -- --chain <name>`, or set DEPLOY_RPC_URL.",
    );
  }
  return {
    rpcUrl,
    deployerPrivateKey: values.DEPLOYER_PRIVATE_KEY as `0x${string}` | undefined,
    token: values.DEPLOY_TOKEN,
    arbiter: values.DEPLOY_ARBITER ?? null,
    networkName: values.DEPLOY_NETWORK_NAME,
    /** the block of an escrow that stands already, where the node cannot tell it */
    block: values.DEPLOY_BLOCK,
    deploymentsDir: resolve(values.DEPLOYMENTS_DIR),
  };
}

const keyEnvironment = environment.pick({
  SIGNING_KEY_FILE: true,
  SIGNING_KEYS: true,
  WEBHOOK_KEY_FILE: true,
  FUNDING_WINDOW_SECONDS: true,
});

/** Settings of `npm run keys`. */
export function readKeyConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(keyEnvironment, env);
  return {
    signingKeyFile: resolve(values.SIGNING_KEY_FILE),
    signingKeys: values.SIGNING_KEYS,
    webhookKeyFile: resolve(values.WEBHOOK_KEY_FILE),
    /** how long an offer may stand */
    fundingSeconds: values.FUNDING_WINDOW_SECONDS,
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
      const manifest = readManifest(path);
      const rpcUrl = readRpcUrl(manifest.chain_id, env);
      if (!rpcUrl) {
        throw new ConfigError(`${path} names chain ${manifest.chain_id}: set RPC_URL_${manifest.chain_id}.`);
      }
      return {
        ...manifest,
        rpc_url: rpcUrl,
        ...readPace(manifest.chain_id, env),
        ...readRelayRules(manifest, env),
      };
    })
    .sort((a, b) => a.chain_id - b.chain_id);
}

/** Reads one manifest. Throws ConfigError where it is none. */
export function readManifest(path: string): DeploymentManifest {
  const parsed = deploymentManifest.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path} is not a deployment manifest:\n${z.prettifyError(parsed.error)}`);
}

function readRpcUrl(chainId: number, env: Record<string, string | undefined>): string | undefined {
  const local = chainId === localNetwork.chain_id;
  return env[`RPC_URL_${chainId}`] || (local ? "http://127.0.0.1:8545" : undefined);
}

/** How many confirmations a chain gets and how often its head is looked at, in milliseconds. */
export function readPace(
  chainId: number,
  env: Record<string, string | undefined> = process.env,
): Pick<Chain, "confirmations" | "polling_interval"> {
  // Of a chain that is not known, as of those with a sequencer and 2-second blocks.
  const known = findNetwork(chainId) ?? { confirmations: 12, polling_interval: 1000 };
  return {
    confirmations: wholeNumber(env, `CONFIRMATIONS_${chainId}`, known.confirmations),
    polling_interval: wholeNumber(env, `POLLING_INTERVAL_${chainId}`, known.polling_interval),
  };
}

/** What the relayer may pay on a chain, for what, and when its operator is to be told. */
function readRelayRules(
  { chain_id, token }: DeploymentManifest,
  env: Record<string, string | undefined>,
): Pick<Chain, "max_fee_per_gas" | "min_relay_amount" | "relays_per_hour" | "relayer_low_balance"> {
  const local = chain_id === localNetwork.chain_id;
  const maxFee = decimal(env, `MAX_FEE_GWEI_${chain_id}`, {
    decimals: 9,
    least: 1n,
    otherwise: mostGwei[chain_id] ?? "100",
  });
  return {
    max_fee_per_gas: maxFee,
    min_relay_amount: decimal(env, `MIN_RELAY_AMOUNT_${chain_id}`, {
      decimals: token.decimals,
      least: 0n,
      // A token without decimals has no tenth.
      otherwise: local ? "0" : token.decimals > 0 ? "0.1" : "1",
    }),
    relays_per_hour: wholeNumber(env, `RELAYS_PER_HOUR_${chain_id}`, 3000),
    relayer_low_balance: decimal(env, `RELAYER_LOW_BALANCE_${chain_id}`, {
      decimals: 18,
      least: 0n,
      // Ten relays at the highest fee.
      otherwise: formatEther(10n * 300_000n * maxFee),
    }),
  };
}

/** What gas may cost at most where it is far cheaper than on Ethereum, or paid in a cheaper coin. */
const mostGwei: Record<number, string | undefined> = {
  10: "5",
  8453: "5",
  42161: "5",
  84532: "5",
  137: "2000",
  [localNetwork.chain_id]: "1000",
};

function wholeNumber(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const value = env[name];
  if (!value) return otherwise;
  if (!/^[1-9]\d*$/.test(value))
    throw new ConfigError(`${name} is "${value}": it takes a whole number from 1.`);
  return Number(value);
}

/** An exact decimal number, in units of its last decimal. */
function decimal(
  env: Record<string, string | undefined>,
  name: string,
  { decimals, least, otherwise }: { decimals: number; least: bigint; otherwise: string },
): bigint {
  const text = env[name] || otherwise;
  const value = parseAmount(text, decimals);
  if (value === null || value < least) {
    const bound = least > 0n ? ", above 0" : "";
    throw new ConfigError(
      `${name} is "${text}": it takes a decimal number with at most ${decimals} decimals${bound}.`,
    );
  }
  return value;
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(cause as Error).message}`);
  }
}
