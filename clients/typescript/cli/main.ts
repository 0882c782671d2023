#!/usr/bin/env node
// The command `earnest`.

import { parseArgs } from "node:util";
import {
  ApiError,
  Earnest,
  EarnestError,
  type Key,
  type ListedOrder,
  type ListedService,
  OrderEndedError,
  type OrderStatus,
  type Organisation,
  PaymentFailedError,
  type Scope,
  UntrustedOrderError,
} from "../src/index.ts";
import { buy, serve } from "./buy-and-serve.ts";
import { listen } from "./listen.ts";
import { printOne, printRows, printToStderr } from "./print.ts";
import { printRecord } from "./record.ts";
import { openClient, readUrl, storeLogin, UsageError, withSession } from "./settings.ts";
import { verify } from "./verify.ts";

const usage = `Usage: earnest <command> [--json]

  login [--url <url>] [--host <host>] [--organisation <id>]
                                                sign in with WALLET_KEY and store a key for orders and events
  services search [words] [--max-price <n>] [--limit <n>]
  record <agent>                                show the track record and score of an agent
  buy <agent>/<service> [--input <json>|@file|-] --max-amount <n> [--rail x402|escrow] [--rpc <url>]...
      [--pay-with <chain id>:<token>[=<most>]]... [--key <name>] [--issuer <did>] [--accept]
                                                buy and wait for the delivery; --accept releases the money
  buy <agent>/<service> --without-account ...   the same without a key: WALLET_KEY pays and signs, and its host is --host
  buy --resume <order id> [--max-amount <n>] [--pay-with ...] [--rpc <url>]... [--issuer <did>] [--accept]
                                                resume an order; an unpaid order needs --max-amount
  serve <agent> --exec <command> [--rpc <url>]... [--pay-with <chain id>:<token>]... [--concurrency <n>]
                                                work on orders: the command gets JSON on stdin, prints JSON on stdout
  orders [--received] [--status <status>] [--limit <n>]
  listen --forward-to <url> [--secret <whsec>]  forward events as signed deliveries
  verify <file>|- --issuer <did> [--rpc <url>] [--policy <file>]
                                                verify a receipt and its issuer's log, and with --rpc the chain;
                                                                                                with a policy of witnesses, the log has to include it
  verify --record <file>|- --issuer <did> [--agent <id or slug>]
                                                verify a signed record of an agent
  keys list | create <name> --scope <scope>... | revoke <id> [--organisation <id>]
                                                manage the keys of your account or of an organisation
  organisations                                 list the organisations that you may act for
  mcp [--rpc <url>]... [--issuer <did>]         serve MCP on stdin and stdout for an assistant on this machine

Environment: EARNEST_URL, EARNEST_KEY, WALLET_KEY (0x...), RPC_URL, EARNEST_CONFIG (the file that login writes);
EARNEST_PAY_WITH (the tokens to pay with, as --pay-with); for mcp EARNEST_MAX_PER_ORDER and EARNEST_MAX_PER_DAY, the wallet's
limits of each token (5.00 and 20.00). RPC_URL and --rpc may name a node of each chain.
Exit codes: 0 done; 1 refused or no connection; 2 usage; 3 not to be trusted, nothing was signed; 4 not paid, or the order
ended otherwise.`;

const options = {
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  url: { type: "string" },
  host: { type: "string" },
  "max-price": { type: "string" },
  limit: { type: "string", default: "20" },
  input: { type: "string" },
  "max-amount": { type: "string" },
  rail: { type: "string" },
  "without-account": { type: "boolean", default: false },
  rpc: { type: "string", multiple: true },
  "pay-with": { type: "string", multiple: true },
  record: { type: "boolean", default: false },
  agent: { type: "string" },
  key: { type: "string" },
  issuer: { type: "string" },
  policy: { type: "string" },
  accept: { type: "boolean", default: false },
  exec: { type: "string" },
  concurrency: { type: "string", default: "4" },
  received: { type: "boolean", default: false },
  status: { type: "string" },
  "forward-to": { type: "string" },
  organisation: { type: "string" },
  resume: { type: "string" },
  secret: { type: "string" },
  scope: { type: "string", multiple: true },
} as const;

function read(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

type Values = ReturnType<typeof read>["values"];

const commands: Record<string, (words: string[], values: Values) => Promise<void>> = {
  async login(_, { url = readUrl(), host, organisation, json }) {
    await withSession({ url, host, organisation }, async (earnest) => {
      const scopes: Scope[] = ["orders:read", "orders:write", "webhooks:read"];
      const { id, token } = await earnest.apiKeys.create({ name: "earnest command line", scopes });
      const me = await new Earnest({ baseUrl: url, apiKey: token }).me();
      const stored = storeLogin({ url, key: token });
      printOne({ account: me.id, wallet: me.primary_address, key: id, key_file: stored }, { json });
    });
  },

  async services([verb, ...words], { "max-price": max_price, limit, json }) {
    if (verb !== "search") throw new UsageError("earnest services search [words]");
    const q = words.length > 0 ? words.join(" ") : undefined;
    const earnest = new Earnest({ baseUrl: readUrl() });
    const { items } = await earnest.marketplace.searchServices({ q, max_price, limit: Number(limit) });
    const columns = {
      service: ({ agent, slug }: ListedService) => `${agent.slug}/${slug}`,
      title: ({ title }: ListedService) => title,
      price: ({ price, price_currency }: ListedService) => price && `${price} ${price_currency}`,
      hours: ({ delivery_time_hours }: ListedService) => delivery_time_hours,
      done: ({ completed_order_count }: ListedService) => completed_order_count,
      score: ({ reputation }: ListedService) => reputation.score?.value ?? null,
      domain: ({ agent }: ListedService) => agent.verified.domain?.name ?? null,
    };
    printRows(items, columns, { json });
  },

  async record([agent], { json }) {
    if (!agent) throw new UsageError("earnest record <agent>");
    await printRecord(agent, { json });
  },

  async buy([service], values) {
    const {
      resume,
      "max-amount": maxAmount,
      "pay-with": payWith,
      "without-account": withoutAccount,
    } = values;
    await buy({ ...values, service, resume, maxAmount, payWith, withoutAccount });
  },

  async serve([agent], { exec, rpc, "pay-with": payWith, concurrency, json }) {
    if (!agent) throw new UsageError("Pass the agent: earnest serve <agent> --exec <command>");
    await serve({ agent, exec, rpc, payWith, concurrency, json });
  },

  async orders(_, { received, status, limit, json }) {
    const { orders } = openClient();
    const query = { status: status as OrderStatus | undefined, limit: Number(limit) };
    const { items } = await (received ? orders.listReceived(query) : orders.list(query));
    const columns = {
      order: ({ id }: ListedOrder) => id,
      reference: ({ reference }: ListedOrder) => reference,
      status: ({ status }: ListedOrder) => status,
      amount: ({ total_amount, currency }: ListedOrder) => `${total_amount} ${currency}`,
      placed: ({ created_at }: ListedOrder) => created_at,
    };
    printRows(items, columns, { json });
  },

  async listen(_, { "forward-to": to, secret, json }) {
    await listen({ to, secret, json });
  },

  async verify([file], values) {
    await verify({ ...values, file });
  },

  async organisations(_, { host, json }) {
    await withSession({ url: readUrl(), host, organisation: undefined }, async ({ organisations }) => {
      const columns = {
        organisation: ({ id }: Organisation) => id,
        name: ({ name }: Organisation) => name,
        role: ({ role }: Organisation) => role,
      };
      printRows((await organisations.list()).items, columns, { json });
    });
  },

  async mcp(_, { rpc, issuer }) {
    // Loaded on demand: MCP is larger than all other commands.
    const { serveMcp } = await import("./serve-mcp.ts");
    await serveMcp({ rpc, issuer });
  },

  async keys([verb, word], { scope, host, organisation, json }) {
    await withSession({ url: readUrl(), host, organisation }, async ({ apiKeys }) => {
      if (verb === "list") {
        const columns = {
          key: ({ id }: Key) => id,
          name: ({ name }: Key) => name,
          scopes: ({ scopes }: Key) => scopes.join(" "),
        };
        const keys: Key[] = [];
        for await (const key of apiKeys.list({ limit: 100 })) keys.push(key);
        printRows(keys, columns, { json });
      } else if (verb === "create" && word && scope) {
        printOne(await apiKeys.create({ name: word, scopes: scope as Scope[] }), { json });
      } else if (verb === "revoke" && word) {
        printOne(await apiKeys.revoke(word), { json });
      } else throw new UsageError("earnest keys list | create <name> --scope <scope>... | revoke <id>");
    });
  },
};

function exitCodeOf(error: unknown): number {
  // The client throws TypeError for invalid arguments.
  if (error instanceof UsageError || error instanceof TypeError) return 2;
  if (error instanceof UntrustedOrderError) return 3;
  if (error instanceof OrderEndedError || error instanceof PaymentFailedError) return 4;
  return 1;
}

try {
  const { values, positionals } = read(process.argv.slice(2));
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (values.help) console.log(usage);
  else if (!command) throw new UsageError(usage);
  else await command(words, values);
} catch (error) {
  const known = error instanceof UsageError || error instanceof EarnestError || error instanceof TypeError;
  const shown = known ? (error as Error).message : String(error);
  printToStderr(shown);
  if (error instanceof ApiError && error.requestId) printToStderr(`request ${error.requestId}`);
  process.exitCode = exitCodeOf(error);
}
