import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus } from "../harness/api.ts";
import { type NpmStart, prepareStart } from "../harness/npm-start.ts";
import { ourProgram, startProgram } from "../harness/programs.ts";

let stack: NpmStart;
beforeAll(async () => {
  stack = await prepareStart();
});
afterAll(() => stack?.close());

const tokensOf = async () => {
  const { items } = expectStatus(200, await stack.api().request("GET", "/chains"));
  return items.map(({ chain_id, tokens }: { chain_id: number; tokens: object[] }) => [chain_id, tokens]);
};

/** Runs a program to its end and returns its output. */
async function run(name: string, ...args: string[]): Promise<string> {
  const program = startProgram(process.execPath, ourProgram(name, ...args), { env: stack.env });
  await program.ended;
  return program.output();
}

test("a second chain settles a sample order, receipts and log agree with it, and later starts keep it", async () => {
  const program = stack.run(process.execPath, ourProgram("scripts/start.ts", "--second-chain"));
  await program.says("Earnest is running.");
  const text = program.output();
  expect(text).toContain("(anvil, chain 31338, a block in 2 seconds)");
  expect(text).toMatch(/The buyer buys again, and pays with TDAI on the second chain/);
  expect(text).not.toContain("failed");
  const tokens = await tokensOf();
  const token = (symbol: string, decimals: number) =>
    expect.objectContaining({
      symbol,
      decimals,
      currency: "USD",
      methods: expect.arrayContaining(["eip3009"]),
    });
  expect(tokens).toEqual([
    [31_337, [token("TUSD", 6)]],
    [31_338, [token("TUSDT", 6), token("TDAI", 18), token("TGUSD", 2)]],
  ]);

  const nodes = [stack.rpcUrl, `http://127.0.0.1:${stack.env.SECOND_ANVIL_PORT}`];
  const checks = [...text.matchAll(/npm run verify -- (\S+) --issuer (\S+) --rpc (\S+)/g)];
  expect(checks.map(([, , , rpc]) => rpc)).toEqual(nodes);
  const both = nodes.flatMap((node) => ["--rpc", node]);
  for (const [, receipt = "", issuer = ""] of checks) {
    const memory = ["--log-memory", join(stack.folder, "logs.json")];
    const verified = await run("scripts/verify.ts", receipt, "--issuer", issuer, ...both, ...memory);
    expect(verified).toMatch(/^chain: agrees/m);
  }
  const address = `http://localhost:${stack.env.PORT}`;
  const state = (name: string) => ["--state", join(stack.folder, name), "--confirmations", "1"];
  const watched = await run("scripts/monitor.ts", address, ...both, "--once", ...state("both.json"));
  expect(watched).toContain("No findings.");
  for (const id of [31_337, 31_338])
    expect(watched).toContain(`chain     eip155:${id} confirms 2; 0 could not be compared`);
  const half = await run(
    "scripts/monitor.ts",
    ...[address, "--rpc", nodes[0] ?? "", "--once", ...state("half.json")],
  );
  expect(half).toMatch(
    /chain_unchecked {2}eip155:31338\n.* which has no node: give the URL of one by another --rpc/,
  );
  const { items } = expectStatus(200, await stack.api().request("GET", "/marketplace/agents"));
  const agent = `${address}/agents/${items[0].slug}`;
  await expect
    .poll(() => run("scripts/reputation.ts", "--agent", agent, ...both), { interval: 2000 })
    .toMatch(/chain eip155:31337: 1 of 1 outcomes agree\nchain eip155:31338: 1 of 1 outcomes agree/);

  process.kill(-program.pid, "SIGINT");
  expect(await program.ended).toBe(0);
  const next = stack.start();
  await next.says("Earnest is running.");
  expect(next.output()).toContain("second chain, found: escrow");
  expect(await tokensOf()).toEqual(tokens);
});
