import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../config/log.ts";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { openCosignature } from "../../../protocol/tlog/cosignature.ts";
import { emptyRoot } from "../../../protocol/tlog/merkle.ts";
import {
  findSignature,
  formatNote,
  parseNote,
  parseSignatures,
  parseVerifierKey,
  signNote,
} from "../../../protocol/tlog/note.ts";
import { createWitness, hashOrigin } from "../../../verifiers/witness/witness.ts";
import { createWitnessFolder, readWitnessSigner } from "../../../verifiers/witness/witness-key.ts";
import { serveWitness, type WitnessServer } from "../../../verifiers/witness/witness-server.ts";
import { openState } from "../../../verifiers/witness/witness-state.ts";
import { TestLog } from "../../harness/tlog/log.ts";
import { requestCosignature } from "../../harness/tlog/witness.ts";

const origin = "log.example/log";
let folder: string;
let log: TestLog;
let other: TestLog;
let vkey: string;
let server: WitnessServer;
let url: string;
let clock: number;
const lines: string[] = [];
const failures: unknown[] = [];

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "earnest-witness-")), "state");
  log = new TestLog(origin).grow(5);
  other = new TestLog("other.example/log").grow(3);
  vkey = await createWitnessFolder(folder, "witness.example/w1");
  clock = Date.parse("2026-11-23T12:00:00Z");
  lines.length = failures.length = 0;
  await start();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(timeouts?: { headers: number; request: number; idle: number }): Promise<void> {
  const state = await openState(folder);
  const witness = createWitness({
    logs: [log, other].map(({ signer }) => signer.key),
    signer: readWitnessSigner(folder, state.witness),
    state,
    log: createLog({ logLevel: "info", chains: [] }, "witness", { write: (line) => void lines.push(line) }),
    now: () => clock,
  });
  server = await serveWitness(witness, {
    port: 0,
    host: "127.0.0.1",
    fail: (error) => failures.push(error),
    ...(timeouts ? { timeouts } : {}),
  });
  url = `http://127.0.0.1:${server.port}`;
}
const ask = (body: string) => requestCosignature(url, body);

describe("add-checkpoint", () => {
  test("cosigns a first checkpoint and a continuation, with the time", async () => {
    const first = await ask(log.cosignRequest(0));
    expect(first).toMatchObject({ status: 200 });
    log.grow(300);
    clock += 60_000;
    const second = await ask(log.cosignRequest(5));
    expect(second).toMatchObject({ status: 200 });
    const [signature] = parseSignatures(second.text);
    const note = parseNote(log.checkpoint());
    if (!signature) throw new Error("no signature");
    expect(openCosignature(note.text, signature, parseVerifierKey(vkey))).toBe(clock / 1000);
  });

  test("serves the latest checkpoint with the log's and its own signature, and is 404 before the first", async () => {
    const path = `${url}/${hashOrigin(origin)}/checkpoint`;
    expect((await fetch(path)).status).toBe(404);
    await ask(log.cosignRequest(0));
    const note = parseNote(await (await fetch(path)).text());
    expect(note.text).toBe(parseNote(log.checkpoint()).text);
    expect(findSignature(note, log.signer.key)).toBeDefined();
    expect(findSignature(note, parseVerifierKey(vkey))).toBeDefined();
    expect(note.signatures).toHaveLength(2);
  });

  test("is 404 for an unknown log, also where the rest of the request is junk", async () => {
    const outsider = new TestLog("outsider.example/log").grow(1);
    expect((await ask(outsider.cosignRequest(0))).status).toBe(404);
    expect((await ask(`old 0\n\noutsider.example/log\njunk`)).status).toBe(404);
  });

  test("is 403 for a signature that is missing, bad, or of another's key under the log's name", async () => {
    const impostor = new TestLog(origin).grow(5);
    expect((await ask(impostor.cosignRequest(0))).status).toBe(403);
    const note = parseNote(log.checkpoint());
    const [signature] = note.signatures;
    if (!signature) throw new Error("no signature");
    const bad = { ...signature, bytes: signature.bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) };
    const ofNote = (signatures: (typeof signature)[]) =>
      `old 0\n\n${formatNote({ text: note.text, signatures })}`;
    expect((await ask(ofNote([bad]))).status).toBe(403);
    expect((await ask(ofNote([signature, bad]))).status).toBe(403);
    expect((await ask(ofNote([signature]))).status).toBe(200);
  });

  test("omits signatures of unknown keys, and cosigns", async () => {
    const text = parseNote(log.checkpoint()).text;
    const signatures = [new TestLog("else.example/log").signer, log.signer].map((signer) =>
      signNote(text, signer),
    );
    expect((await ask(`old 0\n\n${formatNote({ text, signatures })}`)).status).toBe(200);
    const cosigned = parseNote(await (await fetch(`${url}/${hashOrigin(origin)}/checkpoint`)).text());
    expect(cosigned.signatures.map(({ name }) => name)).toEqual([origin, "witness.example/w1"]);
  });

  test.each([
    ["no old size", (body: string) => body.replace(/^old 0\n/, "")],
    ["an old size with a leading zero", (body: string) => body.replace("old 0", "old 00")],
    ["an old size beyond the checkpoint's", (body: string) => body.replace("old 0", "old 6")],
    ["a proof's line that is no hash", (body: string) => body.replace("old 0\n", "old 0\nAAAA\n")],
    [
      "64 lines of proof",
      (body: string) => body.replace("old 0\n", `old 0\n${`${"A".repeat(43)}=\n`.repeat(64)}`),
    ],
    ["no empty line", (body: string) => body.replaceAll("\n\n", "\n")],
    ["a size with a leading zero", (body: string) => body.replace("\n5\n", "\n05\n")],
    ["no bytes", () => ""],
  ])("is 400 or 403 for %s, and signs nothing", async (_, change) => {
    const { status } = await ask(change(log.cosignRequest(0)));
    expect([400, 403]).toContain(status);
    expect((await ask(log.cosignRequest(0))).status).toBe(200);
  });

  test("is 409 with its size, as in the protocol, for a request from another size", async () => {
    await ask(log.cosignRequest(0));
    const size = log.size;
    log.grow(4);
    for (const old of [0, 3, 7]) {
      expect(await ask(log.cosignRequest(old))).toEqual({
        status: 409,
        type: "text/x.tlog.size",
        text: `${size}\n`,
      });
    }
    expect((await ask(other.cosignRequest(1))).text).toBe("0\n");
  });

  test("is 422 for a proof that does not fit, one too many, and an empty tree with a root of its own", async () => {
    const zero = signCheckpoint({ size: 0, root: emptyRoot }, log.signer);
    expect((await ask(`old 0\n\n${zero}`)).status).toBe(200);
    const text = zero
      .slice(0, zero.indexOf("\n\n") + 1)
      .replace(/.*\n$/, `${Buffer.alloc(32).toString("base64")}\n`);
    const wrong = formatNote({ text, signatures: [signNote(text, log.signer)] });
    expect((await ask(`old 0\n\n${wrong}`)).status).toBe(422);
    const proofOfNothing = log
      .cosignRequest(0)
      .replace("old 0\n", `old 0\n${Buffer.alloc(32).toString("base64")}\n`);
    expect((await ask(proofOfNothing)).status).toBe(422);
    await ask(log.cosignRequest(0));
    log.grow(2);
    expect((await ask(log.cosignRequest(5).replace(/\n[^\n]+=\n/, "\n"))).status).toBe(422);
  });

  test("answers the same checkpoint again without a write, and after a while with a new time", async () => {
    const first = await ask(log.cosignRequest(0));
    clock += 9000;
    expect((await ask(log.cosignRequest(5))).text).toBe(first.text);
    clock += 1000;
    const later = await ask(log.cosignRequest(5));
    expect(later.status).toBe(200);
    expect(later.text).not.toBe(first.text);
  });

  test("never signs an earlier time, although the clock went back", async () => {
    await ask(log.cosignRequest(0));
    clock -= 3_600_000;
    const { text } = await ask(log.grow(1).cosignRequest(5));
    const [signature] = parseSignatures(text);
    if (!signature) throw new Error("no signature");
    const at = openCosignature(parseNote(log.checkpoint()).text, signature, parseVerifierKey(vkey));
    expect(at).toBe((clock + 3_600_000) / 1000);
  });
});

describe("a misbehaving log", () => {
  test("has its fork refused, logged, and stored as proof", async () => {
    await ask(log.cosignRequest(0));
    const fork = log.keeping(4).grow(1);
    expect((await ask(fork.cosignRequest(5))).status).toBe(422);
    expect((await ask(fork.grow(10).cosignRequest(5))).status).toBe(422);
    const alert = lines.map((line) => JSON.parse(line)).find((line) => line.alert === "log_forked");
    expect(alert.shown).toBe(log.keeping(4).signer === fork.signer ? fork.checkpoint(5) : "");
    const { fork: storedFork } = (await openState(folder)).read(origin) ?? {};
    expect(parseNote(storedFork?.held ?? "").text).toBe(parseNote(log.checkpoint()).text);
    expect(storedFork?.shown).toBe(fork.checkpoint(5));
    expect((await ask(log.grow(1).cosignRequest(5))).status).toBe(200);
    expect((await openState(folder)).read(origin)?.fork).toEqual(storedFork);
  });

  test("has its text escaped for terminals", async () => {
    await ask(log.cosignRequest(0));
    const fork = log.keeping(4).grow(1);
    const text = `${parseNote(fork.checkpoint(5)).text}\u009b31m\u007f\u202egnp.exe\u2066\n`;
    const shown = formatNote({ text, signatures: [signNote(text, log.signer)] });
    expect((await ask(`old 5\n\n${shown}`)).status).toBe(422);
    const [line = ""] = lines.filter((one) => one.includes("log_forked"));
    expect(line).toMatch(/^[ -~\u2014]*\n$/);
    expect(JSON.parse(line)).toMatchObject({ alert: "log_forked", shown });
  });

  test("has a rollback refused, whatever size it claims before", async () => {
    await ask(log.cosignRequest(0));
    const statuses = await Promise.all(
      [0, 3].map(async (old) => (await ask(log.cosignRequest(old, 3))).status),
    );
    expect(statuses).toEqual([409, 409]);
    expect((await ask(log.cosignRequest(5, 3))).status).toBe(400);
  });

  test("has a restored backup that grows another way refused at every size", async () => {
    await ask(log.cosignRequest(0));
    const restored = log.keeping(2);
    for (let i = 0; i < 6; i++) {
      restored.grow(1);
      expect((await ask(restored.cosignRequest(Math.min(restored.size, 5)))).status).not.toBe(200);
    }
  });

  test("with two sequencers of one key gets only one cosigned at a size", async () => {
    const second = log.keeping(3).grow(2);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask((i % 2 ? second : log).cosignRequest(0))),
    );
    const cosigned = answers
      .map(({ status }, i) => (status === 200 ? i % 2 : -1))
      .filter((side) => side >= 0);
    expect(new Set(cosigned).size).toBe(1);
    const winner = cosigned[0] ? second : log;
    const loser = cosigned[0] ? log : second;
    expect((await ask(winner.grow(3).cosignRequest(5))).status).toBe(200);
    expect((await ask(loser.grow(9).cosignRequest(8))).status).toBe(422);
  });

  test("many logs and many requests at once are all answered, and the last state is on the disk", async () => {
    const sizes = Array.from({ length: 24 }, (_, i) => i + 6);
    log.grow(30);
    for (const size of sizes) {
      const [mine] = await Promise.all([
        ask(log.cosignRequest(size === 6 ? 0 : size - 1, size)),
        ask(other.cosignRequest(0)),
      ]);
      expect(mine.status).toBe(200);
    }
    const state = await openState(folder);
    expect([state.read(origin)?.size, state.read("other.example/log")?.size]).toEqual([29, 3]);
    expect(failures).toEqual([]);
  });
});

describe("its state", () => {
  test("two processes of one folder: the second writer finds the file taken, and signs nothing", async () => {
    const before = server;
    const old = url;
    await start();
    expect((await ask(log.cosignRequest(0))).status).toBe(200);
    const fork = log.keeping(4).grow(1);
    expect((await requestCosignature(old, fork.cosignRequest(0))).status).toBe(500);
    expect(failures).toMatchObject([{ code: "state_taken" }]);
    // Also where the versions that it would have found were removed meanwhile.
    for (let i = 0; i < 4; i++) await ask(log.grow(1).cosignRequest(log.size - 1));
    expect((await requestCosignature(old, fork.cosignRequest(0))).status).toBe(500);
    expect((await openState(folder)).read(origin)?.root).toBe(
      parseNote(log.checkpoint()).text.split("\n")[2],
    );
    await before.close();
  });

  test("a second witness does not overwrite a first one, and a missing state is not taken for an empty one", async () => {
    await expect(createWitnessFolder(folder, "witness.example/w2")).rejects.toMatchObject({
      code: "state_exists",
    });
    await expect(openState(join(folder, "nowhere"))).rejects.toMatchObject({ code: "state_missing" });
    const elsewhere = join(folder, "elsewhere");
    await createWitnessFolder(elsewhere, "witness.example/w1");
    expect(() => readWitnessSigner(elsewhere, vkey)).toThrow(/key_foreign/);
  });
});

describe("its bounds", () => {
  test("a body that is too large is 413 before it is read", async () => {
    const { status } = await ask("x".repeat(200_000));
    expect(status).toBe(413);
  });

  test("one address gets a bounded number of connections, and is served again after it frees some", async () => {
    const sockets = Array.from({ length: 40 }, () => connect(server.port, "127.0.0.1"));
    const closed = await new Promise<number>((resolve) => {
      let count = 0;
      for (const socket of sockets)
        socket.on("error", () => {}).once("close", () => ++count === 8 && resolve(count));
    });
    expect(closed).toBe(8);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(() =>
        ask(log.cosignRequest(0)).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  test("a client that sends headers or a body too slowly is cut off", async () => {
    await server.close();
    await start({ headers: 300, request: 500, idle: 1000 });
    const begin = "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\n";
    for (const sent of [begin, `${begin}content-length: 500\r\n\r\nold `]) {
      const socket = connect(server.port, "127.0.0.1");
      socket.write(sent);
      let answer = "";
      socket.on("data", (data) => {
        answer += data;
      });
      await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
      expect(answer).toMatch(/^HTTP\/1.1 408/);
    }
  });
});
