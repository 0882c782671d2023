import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServerType, serve } from "@hono/node-server";
import { Hono } from "hono";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  nonceManager,
  parseUnits,
} from "viem";
import { toAccount } from "viem/accounts";
import { z } from "zod";
import { testUsdAbi } from "../../abis/testUsd.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { localChainId, secondChain } from "../../tools/stack/local-chains.ts";
import { FaultPlan } from "./faults.ts";
import { type Account, auditLedger, type LedgerParty, partySchema } from "./ledger.ts";
import { createLie } from "./lies.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { readScenarios, type Scenario } from "./scenario.ts";
import { readTokens, type StageToken, usualToken } from "./tokens.ts";

export type Stage = { url: string; seed: string; stop: () => Promise<void> };

/** One run of a scenario by one client. */
type Scene = {
  scenario: Scenario;
  plan: FaultPlan;
  proxy: FaultyProxy;
  /** the tokens of the scenario, with what the buyer was given of each */
  accounts: Account[];
  deliveries: { headers: Record<string, string>; body: string }[];
};

const startSchema = z.strictObject({ scenario: z.string(), language: z.string() });
const moneySchema = z.strictObject({ address: z.string().transform((text) => getAddress(text)) });
const endSchema = z.strictObject({
  buyer: partySchema,
  provider: partySchema,
  /** The time for the ledger to agree: the index has facts one block later. */
  wait_ms: z.number().int().positive().default(60_000),
});

/**
 * Starts the HTTP stage of the clients' runners: a proxy for each scene, money, a webhook receiver, and the final audit of
 * the ledger.
 *
 * @param seed the seed of the random faults
 */
export async function startStage(
  service: { url: string; rpcUrl: string; secondRpcUrl: string },
  seed: string = randomBytes(4).toString("hex"),
): Promise<Stage> {
  const { scenarios } = readScenarios();
  const scenes = new Map<string, Scene>();
  const nodes = [service.rpcUrl, service.secondRpcUrl].map((url) =>
    createPublicClient({ transport: http(url), pollingInterval: 100 }),
  );
  const readHeads = () => Promise.all(nodes.map((node) => node.getBlockNumber({ cacheTime: 0 })));
  // Scenes that begin together need separate nonces for their transactions.
  const account = toAccount({ ...localAccounts.deployer, nonceManager });
  const tokens = await readTokens(service);

  /** Gives an account 100.00 of a token. */
  async function mint({ rpcUrl, address, decimals }: StageToken, to: Address): Promise<bigint> {
    const amount = parseUnits("100", decimals);
    const transport = http(rpcUrl);
    const minter = createWalletClient({ account, transport });
    const hash = await minter.writeContract({
      chain: null,
      address,
      abi: testUsdAbi,
      functionName: "mint",
      args: [to, amount],
    });
    const reader = createPublicClient({ transport, pollingInterval: 100 });
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error("The test token was not made.");
    return amount;
  }

  function sceneOf(id: string): Scene {
    const scene = scenes.get(id);
    if (!scene) throw new TypeError(`There is no scene ${id}.`);
    return scene;
  }

  /** Returns faults that persist for two blocks, because a second payment would need one block to show. */
  async function audit(
    scene: Scene,
    parties: { buyer: LedgerParty; provider: LedgerParty },
    waitMs: number,
  ): Promise<string[]> {
    const until = performance.now() + waitMs;
    let goodSince: bigint[] | null = null;
    for (;;) {
      const heads = await readHeads();
      // A failed audit is repeated once, because a block may be mined during the audit.
      const wrong = await auditLedger({ ...service, ...scene }, parties, scene.scenario.end).catch(
        (error: Error) => [error.message],
      );
      if (wrong.length > 0) goodSince = null;
      else goodSince ??= heads;
      if (goodSince?.every((block, at) => (heads[at] ?? 0n) >= block + 2n)) return [];
      if (performance.now() > until) return wrong.length > 0 ? wrong : ["the chain stands still"];
      await sleep(300);
    }
  }

  const app = new Hono();
  app.onError((error, context) => context.json({ error: error.stack ?? error.message }, 500));
  app.post("/chains/:id", async (context) => {
    const question = await context.req.text();
    const isSecond = context.req.param("id") === String(secondChain.chainId);
    const answer = await askChain(isSecond ? service.secondRpcUrl : service.rpcUrl, question);
    return context.newResponse(answer, 200, { "content-type": "application/json" });
  });
  app.post("/scenes", async (context) => {
    const { scenario: name, language } = startSchema.parse(await context.req.json());
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) throw new TypeError(`There is no scenario "${name}".`);
    const plan = new FaultPlan(scenario, `${seed} ${language}`);
    const lie = scenario.lie ? createLie(scenario.lie, service.url, tokens) : null;
    const proxy = await startProxy(service.url, plan, lie);
    const [since = 0n, sinceOnSecond = 0n] = await readHeads();
    const accounts = (scenario.tokens ?? [usualToken]).map((symbol): Account => {
      const token = tokens.get(symbol);
      if (!token) throw new TypeError(`The service has no token ${symbol}.`);
      const isSecond = token.chainId === secondChain.chainId;
      return { ...token, since: isSecond ? sinceOnSecond : since, minted: 0n };
    });
    const id = randomBytes(4).toString("hex");
    scenes.set(id, { scenario, plan, proxy, accounts, deliveries: [] });
    const { origin } = new URL(context.req.url);
    const own = `${origin}/scenes/${id}`;
    return context.json({
      url: own,
      base_url: proxy.url,
      // The service's own host, which differs from the proxy's.
      host: new URL(service.url).host,
      issuer: issuerOf(service.url),
      chain_id: localChainId,
      rpc_url: `${origin}/chains/${localChainId}`,
      tokens: scenario.tokens
        ? accounts.map(({ chainId, address: token, symbol }) => ({
            chain_id: chainId,
            token,
            symbol,
            rpc_url: `${origin}/chains/${chainId}`,
          }))
        : null,
      hook_url: `${own}/hook`,
      seed,
    });
  });
  app.post("/scenes/:id/money", async (context) => {
    const scene = sceneOf(context.req.param("id"));
    const { address: to } = moneySchema.parse(await context.req.json());
    await Promise.all(
      scene.accounts.map(async (token) => {
        token.minted += await mint(token, to);
      }),
    );
    return context.json({});
  });
  app.post("/scenes/:id/hook", async (context) => {
    const headers = context.req.header();
    sceneOf(context.req.param("id")).deliveries.push({ headers, body: await context.req.text() });
    return context.body(null, 204);
  });
  app.get("/scenes/:id/hook", (context) => context.json(sceneOf(context.req.param("id")).deliveries));
  app.post("/scenes/:id/end", async (context) => {
    const scene = sceneOf(context.req.param("id"));
    const { wait_ms, ...parties } = endSchema.parse(await context.req.json());
    const { plan, proxy, scenario } = scene;
    await proxy.close();
    const wrong = [
      ...plan.missing.map((fault) => `the fault did not happen: ${fault}`),
      ...(scenario.random && Object.keys(plan.happened).length === 0 ? ["no fault happened at random"] : []),
      ...(await audit(scene, parties, wait_ms)),
    ];
    return context.json({ wrong, requests: plan.requests, faults: plan.happened });
  });

  const server = await new Promise<ServerType>((done) => {
    // A client sends no POST again if the server closes an idle connection at that moment.
    const serverOptions = { keepAliveTimeout: 600_000 };
    const listening = { fetch: app.fetch, port: 0, hostname: "127.0.0.1", serverOptions };
    const started = serve(listening, () => done(started));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seed,
    async stop() {
      await Promise.all([...scenes.values()].map(({ proxy }) => proxy.close()));
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Repeats a request if a new block came during the request: anvil then refuses it. */
async function askChain(rpcUrl: string, question: string): Promise<string> {
  for (let left = 20; ; left -= 1) {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: question };
    const answer = await (await fetch(rpcUrl, request)).text();
    if (left === 0 || !answer.includes("BlockOutOfRangeError")) return answer;
    await sleep(50);
  }
}
