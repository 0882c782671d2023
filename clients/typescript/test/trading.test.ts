import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { joinMarket, type Market } from "./market.fixture.ts";
import { blocks, installPackage, type Stranger } from "./stranger.fixture.ts";

const run = promisify(execFile);
let market: Market;
let stranger: Stranger;

beforeAll(async () => {
  [market, stranger] = await Promise.all([joinMarket(), installPackage()]);
});
afterAll(async () => {
  await market?.close();
  await stranger?.remove();
});

test("the README's buyer buys of the README's provider, both from the package", async () => {
  const [buyer, provider] = await Promise.all([market.join(), market.join()]);
  const service = await market.publish(provider);
  const place = async (heading: string) => {
    const program = new Map(blocks).get(heading) ?? "";
    return await stranger.place(heading, program.replaceAll('"counter"', JSON.stringify(service.agent.slug)));
  };
  const envOf = (member: typeof buyer) => ({
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    BASE_URL: market.stack.baseUrl,
    RPC_URL: market.stack.chain.rpcUrl,
    EARNEST_KEY: member.token,
    WALLET_KEY: member.key,
  });
  const serving = spawn(process.execPath, [await place("Serving")], {
    env: envOf(provider),
    stdio: ["ignore", "inherit", "inherit"],
  });
  const closed = new Promise((done) => serving.once("close", done));
  try {
    const { stdout } = await run(process.execPath, [await place("Buying")], { env: envOf(buyer) });
    expect(stdout).toMatch(/^\{ twice: 42 \} released ord_\w+\n$/);
  } finally {
    serving.kill("SIGTERM");
    expect(await closed).toBe(0);
  }
});
