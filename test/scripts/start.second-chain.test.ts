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

const patience = 600_000;
test("a second chain settles a sample order, receipts and log agree with it, and later starts keep it", {
  timeout: patience,
}, async () => {
  const program = stack.run(process.execPath, ourProgram("scripts/start.ts", "--second-chain"));
  await program.says("Earnest is running.", 180_000);
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
  for (const [, receipt = "", issuer = ""] of checks) {
    const both = nodes.flatMap((node) => ["--rpc", node]);
    const memory = ["--log-memory", join(stack.folder, "logs.json")];
    const verified = await run("scripts/verify.ts", receipt, "--issuer", issuer, ...both, ...memory);
    expect(verified).toMatch(/^chain: agrees/m);
  }
  for (const [at, node] of nodes.entries()) {
    const memory = ["--state", join(stack.folder, `monitor-${at}.json`), "--confirmations", "1"];
    const watched = await run(
      "scripts/monitor.ts",
      `http://localhost:${stack.env.PORT}`,
      ...["--rpc", node, "--once", ...memory],
    );
    expect(watched).toContain("No findings.");
    expect(watched).toMatch(/confirms 2; 2 could not be compared/);
  }

  process.kill(-program.pid, "SIGINT");
  expect(await program.ended).toBe(0);
  const next = stack.start();
  await next.says("Earnest is running.", 180_000);
  expect(next.output()).toContain("second chain, found: escrow");
  expect(await tokensOf()).toEqual(tokens);
});
