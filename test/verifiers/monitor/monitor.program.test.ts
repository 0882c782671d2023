import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ourProgram, startProgram } from "../../harness/programs.ts";
import { TestInstallation } from "../../harness/tlog/installation.ts";

let installation: TestInstallation;
let folder: string;

beforeAll(async () => {
  installation = await TestInstallation.start();
  folder = mkdtempSync(join(tmpdir(), "earnest-monitor-test-"));
  await installation.issue(3);
});
afterAll(async () => {
  await installation.close();
  rmSync(folder, { recursive: true });
});

const start = (...args: string[]) =>
  startProgram(process.execPath, ourProgram("scripts/monitor.ts", ...args), { cwd: folder });
async function run(...args: string[]) {
  const program = start(...args);
  return { code: await program.ended, output: program.output() };
}

test("npm run monitor reports no findings, exits 0, and remembers its state in the folder it runs in", async () => {
  const { code, output } = await run(installation.address);
  expect(output).toMatch(/^No findings\.\n {2}log key {3}localhost:\d+\/log\+[0-9a-f]{8}\+/);
  expect(output).toMatch(/entries {3}4; 3 receipts are served as they were logged/);
  expect(code).toBe(0);
  const pinned = await run(installation.address, "--vkey", installation.log.vkey, "--tree-only", "--json");
  const { pass } = JSON.parse(pinned.output);
  expect(pass).toMatchObject({ entries: 4, unread: 0, receipts: 0, found: {}, vkey: installation.log.vkey });
});

test("findings are printed, with their proof, as text and as JSON, and the exit code is 1", async () => {
  const honest = installation.log;
  installation.log = honest.keeping(2);
  const { code, output } = await run(installation.address);
  expect(output).toMatch(/^rolled_back {2}http:\/\/localhost/);
  expect(output).toContain(honest.checkpoint().split("\n")[2]);
  expect(output).toMatch(/^Findings: 1 rolled_back\.$/m);
  expect(code).toBe(1);
  const lines = (await run(installation.address, "--json")).output.trim().split("\n");
  const [first, last] = lines.map((line) => JSON.parse(line));
  expect(first.finding).toMatchObject({
    code: "rolled_back",
    subject: installation.address,
    evidence: [honest.checkpoint(), installation.log.checkpoint()],
  });
  expect(last.pass.found).toEqual({ rolled_back: 1 });
  installation.log = honest;
});

test("--follow runs again and again until it is stopped, and then prints all findings", async () => {
  const program = start(installation.address, "--follow", "--every", "1", "--json");
  await program.says(`"entries":4`);
  const [receipt] = await installation.issue(1);
  await program.says(`"entries":5`);
  await installation.issue(1);
  installation.receipts.delete([...installation.receipts.keys()].at(-1) ?? "");
  await program.says("receipt_missing");
  program.process.kill("SIGINT");
  expect(await program.ended).toBe(1);
  expect(program.output()).not.toContain(receipt?.id);
});

test.each([
  [[], /Give the URL/],
  [["ftp://example.org"], /Give the URL/],
  [["http://localhost:1", "--vkey", "junk"], /--vkey/],
  [["http://localhost:1", "--once", "--follow"], /either --once or --follow/],
  [["http://localhost:1", "--grace", "soon"], /--grace/],
  [["http://localhost:1", "--policy", "nowhere"], /--policy/],
  [["http://localhost:1", "--colour"], /--colour/],
])("%j is a usage error, explained in a sentence", async (args, sentence) => {
  const { code, output } = await run(...args);
  expect(output).toMatch(sentence);
  expect(code).toBe(2);
});

test("a host that does not answer is a finding, and with a node to compare with, the end", async () => {
  expect(await run("http://localhost:1")).toMatchObject({
    code: 1,
    output: expect.stringContaining("log_unreachable"),
  });
  const silent = await run("http://localhost:1", "--rpc", "http://localhost:1");
  expect(silent).toMatchObject({ code: 1, output: expect.stringContaining("so its chain is not known") });
  const ended = await run("http://localhost:1", "--rpc", "1=http://localhost:1");
  expect(ended).toMatchObject({ code: 1, output: expect.stringContaining("could not be read") });
});
