import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, test } from "vitest";
import { Caller } from "../../clients/typescript/src/sessions/caller.ts";
import { KeyedFile } from "../../clients/typescript/src/sessions/keyed-file.ts";
import { keyAccount } from "../../clients/typescript/src/sessions/native-keys.ts";
import type { SessionTerms } from "../../clients/typescript/src/sessions/session-terms.ts";
import { printTable, reportFigure } from "./figures.ts";
import type { Held } from "./sessions.server.ts";

/** Sessions that call at once, the calls of a round, and the rounds. Rounds alternate, because the machine's speed varies. */
const sessions = 32;
const calls = 4_000;
const [warmings, rounds] = [1, 5];

const buyer = keyAccount(generatePrivateKey());
const input = { text: "a call of a few words" };
const body = Buffer.from(JSON.stringify(input));

let folder: string;
let server: ChildProcess;
let bareUrl: string;
let callers: Caller[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "earnest-bench-"));
  const terms = Array.from({ length: sessions }, (_, index) => termsOf(index));
  server = fork(fileURLToPath(new URL("./sessions.server.ts", import.meta.url)));
  const held: Held = {
    file: join(folder, "calls.jsonl"),
    sessions: terms.map((one) => ({ ...one, price: String(one.price), balance: String(one.balance) })),
  };
  server.send(held);
  const [{ url, sessionKey }] = (await once(server, "message")) as [{ url: string; sessionKey: string }];
  bareUrl = `${url}/bare`;
  const signer = {
    signDigest: async (hash: `0x${string}`) => (await buyer.sign?.({ hash })) ?? "0x",
    signData: () => Promise.reject(new Error("not used")),
  };
  callers = await Promise.all(
    terms.map(async (one, index) => {
      const file = await KeyedFile.open(join(folder, `session-${index}.jsonl`));
      return new Caller({ ...one, endpointUrl: `${url}/calls`, sessionKey }, file, signer, {});
    }),
  );
});
afterAll(() => {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test("calls of sessions beside bare fetch with the same handler", async () => {
  const figures: Record<"session" | "bare", number[]> = { session: [], bare: [] };
  for (let round = -warmings; round < rounds; round += 1) {
    const bare = await rateOf((_, count) => fetchBare(count));
    const session = await rateOf(callSession);
    if (round < 0) continue;
    figures.bare.push(bare);
    figures.session.push(session);
  }
  const [bare, session] = [median(figures.bare), median(figures.session)];
  printTable("calls of 32 sessions", [
    ["load", "calls a second"],
    ["bare fetch", bare.toFixed(0)],
    ["sessions", session.toFixed(0)],
  ]);
  reportFigure({
    name: `sessions: calls, ${sessions} sessions`,
    of: "bare fetch with the same handler",
    value: session / bare,
    better: "higher",
  });
  reportFigure({ name: "sessions: calls a second", of: "1/s", value: session, better: "higher" });
});

async function rateOf(load: (index: number, count: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  await Promise.all(Array.from({ length: sessions }, (_, index) => load(index, calls / sessions)));
  return (calls / (performance.now() - start)) * 1000;
}

async function fetchBare(count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const response = await fetch(bareUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    await response.json();
  }
}

async function callSession(index: number, count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) await callers[index]?.call(body, "application/json");
}

function termsOf(index: number): SessionTerms {
  return {
    orderId: `ord_${index}`,
    chainId: 31337,
    escrowContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    escrowId: `0x${randomBytes(32).toString("hex")}`,
    buyer: buyer.address,
    provider: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    escrowTerms: {} as SessionTerms["escrowTerms"],
    price: 1_000n,
    balance: 10n ** 12n,
    decimals: 6,
    endsAt: Date.now() + 3_600_000,
    windowMs: 3_600_000,
    endpointUrl: "",
    sessionKey: "",
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
