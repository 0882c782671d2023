import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { openState } from "../../../verifiers/witness/witness-state.ts";
import { ourProgram, startProgram } from "../../harness/programs.ts";
import { TestLog } from "../../harness/tlog/log.ts";
import { requestCosignature, startWitness, type TestWitness } from "../../harness/tlog/witness.ts";

const origin = "log.example/log";
const log = new TestLog(origin).grow(1);
let witness: TestWitness;

beforeAll(async () => {
  witness = await startWitness([log.vkey]);
});
afterAll(() => witness.close());

test("npm run witness cosigns, so that a policy is satisfied", async () => {
  const { status, text } = await requestCosignature(witness.url, log.cosignRequest(0));
  expect(status).toBe(200);
  const policy = `log ${log.vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`;
  expect(verifyCheckpoint(log.checkpoint() + text, { policy })).toMatchObject({ valid: true });
});

test("killed between its write and its answer, it continues from its state, and cosigns no other tree", async () => {
  for (let round = 0; round < 4; round++) {
    const size = log.size;
    const versions = () =>
      readdirSync(witness.folder)
        .filter((name) => name.endsWith(".json"))
        .sort();
    const before = versions().at(-1);
    log.grow(1);
    const status = requestCosignature(witness.url, log.cosignRequest(size)).then(
      ({ status }) => status,
      () => "cut off",
    );
    // The write first shows as a file. The answer may or may not have been sent then.
    while (versions().at(-1) === before) await new Promise((resolve) => setImmediate(resolve));
    witness.program.process.kill("SIGKILL");
    await witness.program.ended;
    expect([200, "cut off"]).toContain(await status);
    await witness.start();
    expect((await openState(witness.folder)).read(origin)?.size).toBe(size + 1);
    const fork = log.keeping(size).grow(1);
    expect((await requestCosignature(witness.url, fork.cosignRequest(size))).status).toBe(409);
    expect((await requestCosignature(witness.url, fork.cosignRequest(size + 1))).status).toBe(422);
    // The log learns the witness's size by itself.
    const conflict = await requestCosignature(witness.url, log.cosignRequest(size));
    expect(conflict).toMatchObject({ status: 409, text: `${size + 1}\n` });
    expect((await requestCosignature(witness.url, log.cosignRequest(size + 1))).status).toBe(200);
  }
});

test("a second process of the folder ends once the first one has written", async () => {
  const second = startProgram(process.execPath, ourProgram("scripts/witness.ts"), {
    env: {
      ...process.env,
      WITNESS_DIR: witness.folder,
      WITNESS_LOGS: join(witness.folder, "..", "logs"),
      WITNESS_HOST: "127.0.0.1",
      WITNESS_PORT: "0",
    },
  });
  await second.says("witness ready");
  const [, port] = /"port":(\d+)/.exec(second.output()) ?? [];
  const size = log.size;
  log.grow(1);
  expect((await requestCosignature(witness.url, log.cosignRequest(size))).status).toBe(200);
  const fork = log.keeping(size).grow(1);
  expect((await requestCosignature(`http://127.0.0.1:${port}`, fork.cosignRequest(size))).status).toBe(500);
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain("state_taken");
});

test("create prints a verifier key, list prints the cosigned logs, and usage errors are explained in a sentence", async () => {
  const parent = mkdtempSync(join(tmpdir(), "earnest-witness-"));
  const run = async (folder: string, ...args: string[]) => {
    const env = {
      ...process.env,
      WITNESS_DIR: folder,
      WITNESS_LOGS: join(parent, "nowhere"),
      WITNESS_PORT: "0",
    };
    const program = startProgram(process.execPath, ourProgram("scripts/witness.ts", ...args), { env });
    return { code: await program.ended, output: program.output() };
  };
  const folder = join(parent, "made");
  expect(await run(folder, "create")).toMatchObject({ code: 2 });
  expect(await run(folder, "create", "--name", "with space")).toMatchObject({ code: 1 });
  const made = await run(folder, "create", "--name", "witness.example/w9");
  expect(made).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^witness\.example\/w9\+[0-9a-f]{8}\+/m),
  });
  expect(await run(folder, "create", "--name", "witness.example/w9")).toMatchObject({ code: 1 });
  expect((await run(folder, "list")).output.trim()).toBe(made.output.split("\n")[0]);
  expect((await run(witness.folder, "list")).output).toContain(`${origin}  ${log.size} entries`);
  expect(await run(folder)).toMatchObject({ code: 1, output: expect.stringContaining("logs_unusable") });
  expect(await run(join(parent, "none"), "list")).toMatchObject({
    code: 1,
    output: expect.stringContaining("state_missing"),
  });
  rmSync(parent, { recursive: true });
});
