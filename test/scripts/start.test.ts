import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createPublicClient, createTestClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { openDatabase } from "../../db/client.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { placePostgres } from "../../tools/stack/postgres.ts";
import { type Session, signIn } from "../harness/api.ts";
import { blockOf } from "../harness/documents/blocks.ts";
import { withoutChanges } from "../harness/documents/outputs.ts";
import { type NpmStart, prepareStart, running } from "../harness/npm-start.ts";
import { ourProgram, type Program, root, startProgram } from "../harness/programs.ts";

let stack: NpmStart;
beforeAll(async () => {
  stack = await prepareStart();
});
afterAll(() => stack?.close());

/**
 * The lines of the output, without those of the sample order and root's PostgreSQL. The parts become ready
 * in any order.
 */
const shownOf = (text: string) =>
  withoutChanges(text.replace(/(?:The chain is empty|^ 1\. )[\s\S]*?(?=Earnest is running)/m, ""))
    .replace(/in \S+ \(root's .*\)/, "in .earnest/postgres")
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();

// After kills of the indexer and of the whole stack: test/faults/start.test.ts.
describe.sequential("npm start", () => {
  let session: Session;
  let deployed: string;
  let earlyChain: string;
  /** The programs of one test, which the next one ends in its way. */
  let left: Program;

  test("starts every component, stops all of them on Ctrl-C and saves the chain", async () => {
    const program = stack.start();
    await program.says("Earnest is running.");
    for (const component of ["PostgreSQL", "chain", "contracts", "indexer", "worker"]) {
      expect(program.output()).toMatch(new RegExp(`${component} +ready in +\\d+\\.\\d s`));
    }
    const shown = shownOf(blockOf("README.md: Try it 2"));
    expect(shown.length).toBeGreaterThan(9);
    expect(shownOf(program.output().replaceAll(stack.state, ".earnest"))).toEqual(
      expect.arrayContaining(shown),
    );
    const metrics = `http://127.0.0.1:${stack.env.METRICS_PORT}/metrics`;
    expect(program.output()).toContain(`metrics       ${metrics} and /metrics/earnest`);
    expect((await fetch(metrics)).status).toBe(200);
    session = await signIn(stack.api());
    // For x402's verification, which calls it.
    const reader = createPublicClient({ transport: http(stack.rpcUrl) });
    expect(await reader.getCode({ address: multicall3Address })).toBeDefined();
    deployed = /escrow 0x\w{40}/.exec(program.output())?.[0] ?? "";
    const pids = stack.readPids();
    expect(running(pids)).toHaveLength(5);

    process.kill(-program.pid, "SIGINT");
    expect(await program.ended).toBe(0);
    expect(running(pids)).toEqual([]);
    expect(existsSync(join(stack.state, "lock.json"))).toBe(false);
    expect(JSON.parse(readFileSync(join(stack.state, "chain.json"), "utf8"))).toHaveProperty("block");
    expect(statSync(join(stack.state, "keys", "signing.json")).mode & 0o077).toBe(0);
    expect(statSync(join(stack.state, "keys", "webhooks.key")).mode & 0o077).toBe(0);
    earlyChain = join(stack.folder, "early-chain.json");
    cpSync(join(stack.state, "chain.json"), earlyChain);
  });

  test("continues with its state, adds the contract of anchors to a manifest without it, and refuses a second stack beside it", async () => {
    const manifest = join(stack.state, "deployments", "31337.json");
    const { anchors, ...old } = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(manifest, JSON.stringify(old));
    left = stack.start();
    await left.says("Earnest is running.");
    const added = { contract: anchors.contract, deployment_block: expect.any(Number) };
    expect(JSON.parse(readFileSync(manifest, "utf8"))).toEqual({ ...old, anchors: added });
    expect(left.output()).toContain(`found: ${deployed}`);
    expect((await stack.api().request("GET", "/me", { token: session.token })).status).toBe(200);

    const second = await stack.refused();
    expect(second).toContain(`Earnest already runs on ${stack.state} (process ${left.pid})`);
    expect((await stack.api().request("GET", "/me", { token: session.token })).status).toBe(200);

    // Past the block that is final for the indexer, for the chain that loses it below.
    await createTestClient({ mode: "anvil", transport: http(stack.rpcUrl) }).mine({ blocks: 100 });
    const db = openDatabase(`postgres://earnest:earnest@127.0.0.1:${stack.env.POSTGRES_PORT}/earnest`, {
      max: 1,
    });
    const readFinal = async () => (await readIndexedBlocks(db)).get(31_337)?.finalized ?? 0n;
    await expect.poll(readFinal).toBeGreaterThan(60n);
    await db.$client.end();
  });

  test("starts the worker again when it ends", async () => {
    const before = stack.pidOf("the worker");
    process.kill(before, "SIGKILL");
    await left.says("the worker ended (SIGKILL) and is started again");
    await expect.poll(() => stack.pidOf("the worker")).not.toBe(before);
  });

  test("stops everything when the chain ends", async () => {
    const pids = stack.readPids();
    process.kill(stack.pidOf("anvil"), "SIGKILL");
    expect(await left.ended).toBe(1);
    expect(left.output()).toContain("anvil ended (SIGKILL)");
    expect(running(pids)).toEqual([]);
  });

  test.each([
    ["Ctrl-C", (pid: number) => process.kill(-pid, "SIGINT")],
    ["SIGTERM", (pid: number) => process.kill(pid, "SIGTERM")],
  ])("stops the started components when %s comes before the rest", async (_, stop) => {
    const program = stack.start();
    await program.says("PostgreSQL    ready");
    const pids = stack.readPids();
    stop(program.pid);
    expect(await program.ended).toBe(0);
    expect(program.output()).toContain("Everything is stopped");
    expect(program.output()).not.toContain("Earnest is running.");
    expect(running(pids)).toEqual([]);
    expect(existsSync(join(stack.state, "lock.json"))).toBe(false);
  });

  test("reports a wrong setting", async () => {
    const wrong = startProgram(process.execPath, ourProgram("scripts/start.ts"), {
      env: { ...stack.env, PORT: "http" },
    });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toMatch(/^These settings are wrong:\n {2}PORT: /);
  });

  describe.sequential("on an unusable state names the cause and --reset", () => {
    test.each([
      ["the manifest is gone", "deployments/31337.json", "the manifest of the deployed contracts"],
      ["the signing key is gone", "keys/signing.json", "the key that signs receipts"],
      ["the chain is gone", "chain.json", "the chain's saved state"],
    ])("%s", async (_, file, named) => {
      await spoiling(file, () => rmSync(join(stack.state, file)), named);
    });

    test("the chain's saved state is cut short", async () => {
      const chain = join(stack.state, "chain.json");
      await spoiling("chain.json", () => truncateSync(chain, 1000), `anvil cannot use ${chain}.`);
    });

    test("the chain lost final blocks", async () => {
      const spoil = () => cpSync(earlyChain, join(stack.state, "chain.json"));
      await spoiling("chain.json", spoil, "as final, but the chain ends at block");
    });

    test("the database is damaged", async () => {
      const cluster = placePostgres(join(stack.state, "postgres"));
      await spoiling(
        "postgres",
        () => rmSync(join(cluster, "global", "pg_control")),
        "PostgreSQL cannot use",
      );
    });

    async function spoiling(part: string, spoil: () => void, sentence: string): Promise<void> {
      const path = part === "postgres" ? placePostgres(join(stack.state, part)) : join(stack.state, part);
      const copy = join(stack.folder, "copy");
      cpSync(path, copy, { recursive: true, preserveTimestamps: true });
      spoil();
      const output = await stack.refused();
      expect(output).toContain(sentence);
      expect(output).toContain("npm start -- --reset");
      expect(existsSync(join(stack.state, "lock.json"))).toBe(false);
      // The database stays damaged: copies of it have the wrong owner, and the reset below needs a bad
      // state.
      if (part !== "postgres") cpSync(copy, path, { recursive: true });
      rmSync(copy, { recursive: true });
    }
  });

  test("--reset begins with an empty state, under npm too, and ends with npm", async () => {
    const program = stack.run("npm", ["start", "--", "--no-demo", "--reset"]);
    await program.says("Earnest is running.");
    expect(program.output()).toContain("deployed: escrow");
    expect((await stack.api().request("GET", "/me", { token: session.token })).status).toBe(401);
    const pids = stack.readPids();
    process.kill(program.pid, "SIGTERM");
    await program.ended;
    await expect.poll(() => running(pids)).toEqual([]);
  });
});

// Each waits for the end of the port's user, so they wait together.
test.concurrent.each(["PORT", "METRICS_PORT", "ANVIL_PORT", "POSTGRES_PORT"])(
  "names %s when its port is in use",
  async (name) => {
    const own = await prepareStart();
    const port = own.env[name];
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(Number(port), "127.0.0.1", resolve));
    try {
      const output = await own.refused();
      expect(output).toContain(`Port ${port}`);
      expect(output).toContain(`set ${name} to a free port`);
      expect(existsSync(join(own.state, "lock.json"))).toBe(false);
    } finally {
      server.close();
      await own.close();
    }
  },
);

test("help names every way to start", async () => {
  const help = startProgram(process.execPath, ourProgram("scripts/start.ts", "--help"), {
    env: stack.env,
    cwd: root,
  });
  expect(await help.ended).toBe(0);
  for (const option of ["--no-demo", "--reset", "--second-chain", "EARNEST_STATE_DIR"])
    expect(help.output()).toContain(option);
});
