import { rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { hashLeaf } from "../../../protocol/tlog/merkle.ts";
import { formatVerifierKey, keyTypes } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createLogFolder, findFaults, queueFacts, startSequencer } from "../../harness/jobs/tlog.ts";
import { startWitness, type TestWitness } from "../../harness/tlog/witness.ts";

let database: TestDatabase;
let folder: ReturnType<typeof createLogFolder>;
let closing: (() => unknown)[] = [];
/** One witness for all tests: it knows each log by its own key, and so each as a new one. */
const witnesses: TestWitness[] = [];

beforeEach(async () => {
  folder = createLogFolder();
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
  await database.close();
  folder.remove();
});
afterAll(async () => {
  for (const witness of witnesses) await witness.close();
});

async function readHead() {
  const { rows } = await database.db.execute<Record<string, string | boolean | null>>(
    sql`select * from earnest.log_head`,
  );
  return rows[0] ?? {};
}

/** The log's own key, without a policy. */
async function ourKey(): Promise<string> {
  const { settings } = await startSequencer(database.db, folder.files);
  return formatVerifierKey(settings.signer.key);
}

async function realWitness(name: string): Promise<TestWitness> {
  const witness = await startWitness([await ourKey()], name);
  witnesses.push(witness);
  return witness;
}

/** A server that claims to be a witness. */
async function falseWitness(
  answer: RequestListener,
): Promise<{ vkey: string; url: string; requestCount: () => number }> {
  let requestCount = 0;
  const server = createServer((request, response) => {
    // Besides, each worker that takes the log requests the last signed checkpoint.
    if (request.method === "POST") requestCount += 1;
    request.resume();
    request.once("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const seed = new Uint8Array(32).fill(++seeds);
  return {
    vkey: formatVerifierKey(createSigner(`false.example/${seeds}`, keyTypes.cosignature, seed).key),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCount: () => requestCount,
  };
}
let seeds = 0;

const lineOf = (name: string, { vkey, url }: { vkey: string; url: string }) =>
  `witness ${name} ${vkey} ${url}\n`;
/** Makes the checkpoint this old. */
const age = (seconds: number) =>
  database.db.execute(
    sql`update earnest.log_head set waiting_since = now() - make_interval(secs => ${seconds})`,
  );

test("a checkpoint is public once as many witnesses as the policy requires have signed it, with their signatures", async () => {
  const [one, two] = [await realWitness("w.example/1"), await realWitness("w.example/2")];
  const policy = `${lineOf("one", one)}${lineOf("two", two)}group both all one two\nquorum both\n`;
  const sequencer = await startSequencer(database.db, folder.files, policy);
  for (const count of [3, 300]) {
    await queueFacts(database.db, count);
    await sequencer.run();
    expect((await readHead()).published_size).toBe(count === 3 ? "0" : "3");
    await sequencer.cosign();
    const head = await readHead();
    expect(head).toMatchObject({ published_size: head.size, is_witnessed: true, waiting_since: null });
    const opened = verifyCheckpoint(String(head.published), { policy: sequencer.settings.policyText });
    expect(opened).toMatchObject({ valid: true, cosignatures: [{ witness: "one" }, { witness: "two" }] });
  }
  expect(await findFaults(database.db, sequencer)).toEqual([]);
  expect(sequencer.alerts()).toEqual([]);
});

test("a checkpoint without its witnesses is public after ten seconds without them, and gets their signatures later", async () => {
  let isAway = true;
  const real = await realWitness("w.example/3");
  const proxy = await falseWitness(async (_, response) => response.writeHead(isAway ? 503 : 404).end());
  const policy = `${lineOf("one", real)}${lineOf("two", proxy)}group both all one two\nquorum both\n`;
  const sequencer = await startSequencer(database.db, folder.files, policy);
  await queueFacts(database.db, 2);
  await sequencer.run();
  await sequencer.cosign();
  await age(9);
  await sequencer.run();
  expect(await readHead()).toMatchObject({ published_size: "0" });
  await age(10);
  await sequencer.run();
  expect(await readHead()).toMatchObject({ published_size: "2", is_witnessed: false, waiting_since: null });
  isAway = false;
  // A cosignature is shown beside the log's signature even if the quorum is not reached. A witness that was slow in the
  // first round is retried after its backoff.
  const vkey = await ourKey();
  const only = `${lineOf("one", real)}quorum one\n`;
  const verifyShown = async () => {
    await sequencer.cosign();
    const { published } = await readHead();
    return verifyCheckpoint(String(published), { vkey, policy: only });
  };
  await expect.poll(verifyShown).toMatchObject({ valid: true });
  expect(sequencer.alerts()).toContain("status_503");
});

test("a witness that hangs, sends megabytes, or signs nothing delays nobody", async () => {
  const real = await realWitness("w.example/4");
  const hanging = await falseWitness(() => {});
  const flooding = await falseWitness((_, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, "— ");
    const write = () => {
      while (!response.destroyed && response.write(chunk));
      response.once("drain", write);
    };
    write();
  });
  const lying = await falseWitness((_, response) =>
    response.writeHead(200).end("— false.example/3 AAAAAAAA\n"),
  );
  const names = ["real", "hanging", "flooding", "lying"];
  const lines = [real, hanging, flooding, lying].map((one, i) => lineOf(names[i] as string, one)).join("");
  const policy = `${lines}group any any ${names.join(" ")}\nquorum any\n`;
  const sequencer = await startSequencer(database.db, folder.files, policy);
  await queueFacts(database.db, 2);
  await sequencer.run();
  const began = performance.now();
  await sequencer.cosign();
  expect(performance.now() - began).toBeLessThan(3500);
  expect(await readHead()).toMatchObject({ published_size: "2", is_witnessed: true, halted: null });
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    await queueFacts(database.db, 1);
    await sequencer.run();
    await sequencer.cosign();
  }
  // They pause after a failure, or have not answered yet.
  expect(lying.requestCount()).toBeLessThan(rounds);
  expect(hanging.requestCount()).toBe(1);
  expect(await readHead()).toMatchObject({ published_size: "5", is_witnessed: true, halted: null });
});

test.each([
  ["409 with a larger size", 409, "1000000\n"],
  ["409 with one size after the other", 409, "1\n"],
  ["409 with nonsense", 409, "9".repeat(40)],
  ["422", 422, "no"],
])("%s alone does not halt the log", async (_, status, body) => {
  const liar = await falseWitness((request, response) => {
    if (request.method === "GET") {
      const other = createSigner("localhost:42069/log", keyTypes.ed25519, new Uint8Array(32).fill(99));
      return response
        .writeHead(200)
        .end(signCheckpoint({ size: 7, root: hashLeaf(new Uint8Array()) }, other));
    }
    return response.writeHead(status, { "content-type": "text/x.tlog.size" }).end(body);
  });
  const sequencer = await startSequencer(database.db, folder.files, `${lineOf("w", liar)}quorum w\n`);
  await queueFacts(database.db, 3);
  await sequencer.run();
  await sequencer.cosign();
  await queueFacts(database.db, 1);
  await sequencer.run();
  expect(await readHead()).toMatchObject({ size: "4", halted: null });
  expect(liar.requestCount()).toBeLessThan(6);
});

test("a database restored from an old copy is detected by the witness, also without the file's memory", async () => {
  const witness = await realWitness("w.example/5");
  const policy = `${lineOf("w", witness)}quorum w\n`;
  const sequencer = await startSequencer(database.db, folder.files, policy);
  await queueFacts(database.db, 10);
  await sequencer.run();
  await sequencer.cosign();
  expect(await readHead()).toMatchObject({ published_size: "10", is_witnessed: true });
  await sequencer.end();
  // The state of a copy from before the first entry; other facts come meanwhile.
  for (const table of ["log_head", "log_entry", "log_tile", "log_witness"]) {
    await database.db.execute(sql.raw(`delete from earnest.${table}`));
  }
  rmSync(folder.files.logMemoryFile);
  await queueFacts(database.db, 4);
  const restored = await startSequencer(database.db, folder.files, policy);
  await restored.run();
  await restored.cosign();
  await queueFacts(database.db, 4);
  await restored.run();
  // No entry was signed before the witness was asked.
  expect(await readHead()).toMatchObject({ size: "0", checkpoint: null, halted: "rolled_back" });
  expect(restored.alerts()).toContain("rolled_back");

  // The entries are more than the witness knows, from a worker without a witness, and still other ones.
  await database.db.execute(sql`update earnest.log_head set halted = null, halted_by = null`);
  await queueFacts(database.db, 20);
  await restored.end();
  const careless = await startSequencer(database.db, folder.files);
  await careless.run();
  await careless.end();
  const next = await startSequencer(database.db, folder.files, policy);
  await next.run();
  await next.cosign();
  await next.run();
  expect(await readHead()).toMatchObject({ size: "28", halted: "forked" });
});
