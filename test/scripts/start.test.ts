import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPublicClient, createTestClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { placePostgres } from "../../tools/stack/postgres.ts";
import { findFreePort, startedAt } from "../../tools/stack/process.ts";
import { requesterOf, type Session, signIn } from "../harness/api.ts";
import { blockOf } from "../harness/documents/blocks.ts";
import { withoutChanges } from "../harness/documents/outputs.ts";
import { ourProgram, type Program, root, startProgram } from "../harness/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-start-"));
const state = join(folder, "state");
let env: Record<string, string | undefined>;
const programs: Program[] = [];

beforeAll(async () => {
  const [api, metrics, chain, postgres] = await Promise.all(
    ["API", "metrics", "chain", "PostgreSQL"].map(() => findFreePort()),
  );
  env = {
    ...process.env,
    EARNEST_STATE_DIR: state,
    PORT: String(api),
    METRICS_PORT: String(metrics),
    ANVIL_PORT: String(chain),
    POSTGRES_PORT: String(postgres),
    npm_lifecycle_event: undefined,
  };
});
afterAll(async () => {
  for (const program of programs) {
    if (startedAt(program.pid) !== null) process.kill(program.pid, "SIGTERM");
    await program.ended;
  }
  const cluster = placePostgres(join(state, "postgres"));
  for (const path of [dirname(cluster), folder]) rmSync(path, { recursive: true, force: true });
});

function start(...args: string[]): Program {
  const program = startProgram(process.execPath, ourProgram("scripts/start.ts", "--no-demo", ...args), {
    env,
  });
  programs.push(program);
  return program;
}

/** Starts it where it must refuse. Returns what it said. */
async function refused(...args: string[]): Promise<string> {
  const program = start(...args);
  const code = await program.ended;
  expect(code, program.output()).toBe(1);
  return program.output();
}

/**
 * The lines that are printed but for the sample order, without where root's PostgreSQL lies; which of two parts is ready
 * first is chance.
 */
const shownOf = (text: string) =>
  withoutChanges(text.replace(/(?:The chain is empty|^ 1\. )[\s\S]*?(?=Earnest is running)/m, ""))
    .replace(/in \S+ \(root's .*\)/, "in .earnest/postgres")
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();

const rpc = () => `http://127.0.0.1:${env.ANVIL_PORT}`;
const readHead = () => createPublicClient({ transport: http(rpc()), cacheTime: 0 }).getBlockNumber();
const readPids = (): number[] => {
  const lock = JSON.parse(readFileSync(join(state, "lock.json"), "utf8"));
  return [lock.pid, ...lock.children.map((child: { pid: number }) => child.pid)];
};
const running = (pids: number[]) => pids.filter((pid) => startedAt(pid) !== null);
const api = () => requesterOf(`http://localhost:${env.PORT}`);

describe.sequential("npm start", () => {
  let session: Session;
  let deployed: string;
  let earlyChain: string;
  /** what one test started, for the next one to end in its way */
  let left: Program;

  test("brings up every component, stops all of them on Ctrl-C and saves the chain", async () => {
    const program = start();
    await program.says("Earnest is running.");
    for (const component of ["PostgreSQL", "chain", "contracts", "indexer", "worker"]) {
      expect(program.output()).toMatch(new RegExp(`${component} +ready in +\\d+\\.\\d s`));
    }
    const shown = shownOf(blockOf("README.md: Try it 2"));
    expect(shown.length).toBeGreaterThan(9);
    expect(shownOf(program.output().replaceAll(state, ".earnest"))).toEqual(expect.arrayContaining(shown));
    const metrics = `http://127.0.0.1:${env.METRICS_PORT}/metrics`;
    expect(program.output()).toContain(`metrics       ${metrics} and /metrics/earnest`);
    expect((await fetch(metrics)).status).toBe(200);
    session = await signIn(api());
    // For x402's verification, which asks it.
    const reader = createPublicClient({ transport: http(rpc()) });
    expect(await reader.getCode({ address: multicall3Address })).toBeDefined();
    deployed = /escrow 0x\w{40}/.exec(program.output())?.[0] ?? "";
    const pids = readPids();
    expect(running(pids)).toHaveLength(5);

    process.kill(-program.pid, "SIGINT");
    expect(await program.ended).toBe(0);
    expect(running(pids)).toEqual([]);
    expect(existsSync(join(state, "lock.json"))).toBe(false);
    expect(JSON.parse(readFileSync(join(state, "chain.json"), "utf8"))).toHaveProperty("block");
    expect(statSync(join(state, "keys", "signing.json")).mode & 0o077).toBe(0);
    expect(statSync(join(state, "keys", "webhooks.key")).mode & 0o077).toBe(0);
    earlyChain = join(folder, "early-chain.json");
    cpSync(join(state, "chain.json"), earlyChain);
  });

  test("goes on with what it had, adds the contract of anchors to a manifest from before there was one, and refuses a second one beside it", async () => {
    const manifest = join(state, "deployments", "31337.json");
    const { anchors, ...old } = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(manifest, JSON.stringify(old));
    left = start();
    await left.says("Earnest is running.");
    const added = { contract: anchors.contract, deployment_block: expect.any(Number) };
    expect(JSON.parse(readFileSync(manifest, "utf8"))).toEqual({ ...old, anchors: added });
    expect(left.output()).toContain(`found: ${deployed}`);
    expect((await api().request("GET", "/me", { token: session.token })).status).toBe(200);

    const second = await refused();
    expect(second).toContain(`Earnest already runs on ${state} (process ${left.pid})`);
    expect((await api().request("GET", "/me", { token: session.token })).status).toBe(200);

    // Past what the indexer takes for final, for the chain that loses it below.
    await createTestClient({ mode: "anvil", transport: http(rpc()) }).mine({ blocks: 100 });
  });

  test("stops what a run that was killed left behind, and goes on", async () => {
    const head = await readHead();
    const [own, ...children] = readPids();
    process.kill(own as number, "SIGKILL");
    await left.ended;
    expect(running(children)).toHaveLength(4);

    left = start();
    await left.says("Earnest is running.");
    expect(left.output()).toContain("left behind by a run that was cut off");
    expect(running(children)).toEqual([]);
    expect(await readHead()).toBeGreaterThanOrEqual(head);
    expect((await api().request("GET", "/me", { token: session.token })).status).toBe(200);
  });

  test("goes on after everything was killed at once", async () => {
    for (const pid of readPids()) process.kill(pid, "SIGKILL");
    await left.ended;

    left = start();
    await left.says("Earnest is running.");
    expect((await api().request("GET", "/me", { token: session.token })).status).toBe(200);
  });

  const pidOf = (name: string): number => {
    const lock = JSON.parse(readFileSync(join(state, "lock.json"), "utf8"));
    return lock.children.find((child: { name: string }) => child.name === name).pid;
  };

  test.each(["the worker", "the indexer"])("starts %s again when it ends", async (name) => {
    const before = pidOf(name);
    process.kill(before, "SIGKILL");
    await left.says(`${name} ended (SIGKILL) and is started again`);
    await expect.poll(() => pidOf(name)).not.toBe(before);
    const isServed = async () => {
      const answer = await api().request("GET", "/me", { token: session.token });
      return answer.status;
    };
    await expect.poll(() => isServed().catch(() => 0), { timeout: 40_000 }).toBe(200);
  });

  test("stops everything when the chain ends", async () => {
    const pids = readPids();
    process.kill(pidOf("anvil"), "SIGKILL");
    expect(await left.ended).toBe(1);
    expect(left.output()).toContain("anvil ended (SIGKILL)");
    expect(running(pids)).toEqual([]);
  });

  test.each([
    ["Ctrl-C", (pid: number) => process.kill(-pid, "SIGINT")],
    ["SIGTERM", (pid: number) => process.kill(pid, "SIGTERM")],
  ])("stops what has started when %s comes before the rest", async (_, stop) => {
    const program = start();
    await program.says("PostgreSQL    ready");
    const pids = readPids();
    stop(program.pid);
    expect(await program.ended).toBe(0);
    expect(program.output()).toContain("Everything is stopped");
    expect(program.output()).not.toContain("Earnest is running.");
    expect(running(pids)).toEqual([]);
    expect(existsSync(join(state, "lock.json"))).toBe(false);
  });

  test.each(["PORT", "METRICS_PORT", "ANVIL_PORT", "POSTGRES_PORT"])(
    "names %s when that port is taken",
    async (name) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(Number(env[name]), "127.0.0.1", resolve));
      try {
        const output = await refused();
        expect(output).toContain(`Port ${env[name]}`);
        expect(output).toContain(`set ${name} to a free port`);
      } finally {
        server.close();
      }
      expect(existsSync(join(state, "lock.json"))).toBe(false);
    },
  );

  test("says what is wrong with a setting", async () => {
    const wrong = startProgram(process.execPath, ourProgram("scripts/start.ts"), {
      env: { ...env, PORT: "http" },
    });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toMatch(/^These settings are wrong:\n {2}PORT: /);
  });

  describe.sequential("on a state that cannot be used says why, and names --reset", () => {
    test.each([
      ["the manifest is gone", "deployments/31337.json", "the manifest of the deployed contracts"],
      ["the signing key is gone", "keys/signing.json", "the key that signs receipts"],
      ["the chain is gone", "chain.json", "the chain's saved state"],
    ])("%s", async (_, file, named) => {
      await spoiling(file, () => rmSync(join(state, file)), named);
    });

    test("the chain's saved state is cut short", async () => {
      const chain = join(state, "chain.json");
      await spoiling("chain.json", () => truncateSync(chain, 1000), `anvil cannot use ${chain}.`);
    });

    test("the chain lost blocks that were final", async () => {
      const spoil = () => cpSync(earlyChain, join(state, "chain.json"));
      await spoiling("chain.json", spoil, "as final, but the chain ends at block");
    });

    test("the database is damaged", async () => {
      const cluster = placePostgres(join(state, "postgres"));
      await spoiling(
        "postgres",
        () => rmSync(join(cluster, "global", "pg_control")),
        "PostgreSQL cannot use",
      );
    });

    async function spoiling(part: string, spoil: () => void, sentence: string): Promise<void> {
      const path = part === "postgres" ? placePostgres(join(state, part)) : join(state, part);
      const copy = join(folder, "copy");
      cpSync(path, copy, { recursive: true, preserveTimestamps: true });
      spoil();
      const output = await refused();
      expect(output).toContain(sentence);
      expect(output).toContain("npm start -- --reset");
      expect(existsSync(join(state, "lock.json"))).toBe(false);
      // The database stays damaged: copies of it belong to the wrong user, and the reset below wants a bad state.
      if (part !== "postgres") cpSync(copy, path, { recursive: true });
      rmSync(copy, { recursive: true });
    }
  });

  test("--reset begins with an empty state, under npm too, and ends with npm", async () => {
    const program = startProgram("npm", ["start", "--", "--no-demo", "--reset"], { env });
    programs.push(program);
    await program.says("Earnest is running.");
    expect(program.output()).toContain("deployed: escrow");
    expect((await api().request("GET", "/me", { token: session.token })).status).toBe(401);
    const pids = readPids();
    process.kill(program.pid, "SIGTERM");
    await program.ended;
    await expect.poll(() => running(pids), { timeout: 30_000 }).toEqual([]);
  });
});

test("help names every way to start", async () => {
  const help = startProgram(process.execPath, ourProgram("scripts/start.ts", "--help"), { env, cwd: root });
  expect(await help.ended).toBe(0);
  for (const option of ["--no-demo", "--reset", "EARNEST_STATE_DIR"]) expect(help.output()).toContain(option);
});
