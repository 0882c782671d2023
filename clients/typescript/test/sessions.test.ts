import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  sessionHeader,
  statementOf,
  voucherDigests,
  voucherHeader,
  workHashOf,
  writeVoucher,
} from "../../../protocol/sessions/index.ts";
import { DeclinedError } from "../src/serving/errors.ts";
import { Session } from "../src/sessions/buyer-session.ts";
import { Caller } from "../src/sessions/caller.ts";
import {
  BalanceUsedError,
  CallRefusedError,
  CallUnansweredError,
  UntrustedSessionError,
} from "../src/sessions/errors.ts";
import { FileInUseError } from "../src/sessions/file-lock.ts";
import { KeyedFile, SessionFileError } from "../src/sessions/keyed-file.ts";
import { sha256 } from "../src/sessions/provider-session.ts";
import { isPrivateHost, lookupPublic, PrivateAddressError } from "../src/sessions/public-addresses.ts";
import { buyer, newFolder, openCaller, signer, startEndpoint, termsOf } from "./sessions.fixture.ts";

/** Whether this user may start a program with a network of its own. */
const canSeparate = spawnSync("unshare", ["--net", "true"]).status === 0;

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const echo = (input: unknown) => ({ echo: input });

async function opened(handler: (input: never) => unknown = echo, more = {}) {
  const terms = termsOf(more);
  const endpoint = await startEndpoint([terms], handler);
  onTestFinished(endpoint.stop);
  const { caller, file, path } = await openCaller(terms);
  return { terms, endpoint, caller, file, path };
}

async function voucherFor(terms: ReturnType<typeof termsOf>, amount: bigint, input: Uint8Array) {
  const workHash = workHashOf({
    escrowId: terms.escrowId,
    cumulativeAmount: amount,
    inputHash: sha256(input),
  });
  const signature = await buyer.sign({ hash: voucherDigests(terms)({ cumulativeAmount: amount, workHash }) });
  return { cumulativeAmount: amount, workHash, signature };
}

async function post(
  terms: ReturnType<typeof termsOf>,
  voucher: Awaited<ReturnType<typeof voucherFor>>,
  input: Uint8Array<ArrayBuffer>,
) {
  const headers = {
    [sessionHeader]: terms.escrowId,
    [voucherHeader]: writeVoucher(voucher),
    "content-type": "application/json",
  };
  const response = await fetch(terms.endpointUrl, { method: "POST", headers, body: input });
  const body = (await response.json()) as { error?: { code: string; expected_amount?: string } };
  return { status: response.status, body, code: body.error?.code };
}

/** Posts a call whose input never ends. */
async function postSlowly(
  terms: ReturnType<typeof termsOf>,
  voucher: Awaited<ReturnType<typeof voucherFor>>,
): Promise<Response> {
  const headers = { [sessionHeader]: terms.escrowId, [voucherHeader]: writeVoucher(voucher) };
  let chunks = 0;
  const body = new ReadableStream({
    pull: (to) => (chunks++ === 0 ? to.enqueue(new Uint8Array(1)) : new Promise(() => {})),
  });
  return await fetch(terms.endpointUrl, { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

describe("calls of a session", () => {
  test("each pays its price, and gets its output with a statement", async () => {
    const { terms, caller, endpoint } = await opened();
    for (let number = 1; number <= 3; number += 1) {
      const answer = await caller.call(json({ number }), "application/json");
      expect(answer.output).toEqual({ echo: { number } });
      expect(answer.spent).toBe(BigInt(number) * 1_000n);
    }
    expect(endpoint.sessions.get(terms.escrowId)?.newest?.cumulativeAmount).toBe(3_000n);
  });

  test("a lost answer is given again for the same voucher, and the handler runs once", async () => {
    let runs = 0;
    const { terms, endpoint } = await opened(() => {
      runs += 1;
      return { runs };
    });
    const input = json("once");
    const voucher = await voucherFor(terms, 1_000n, input);
    expect((await post(terms, voucher, input)).body).toEqual({ runs: 1 });
    expect((await post(terms, voucher, input)).body).toEqual({ runs: 1 });
    // After the close the chain shows the voucher to everybody, but not its input.
    await endpoint.sessions.get(terms.escrowId)?.close();
    expect((await post(terms, voucher, json("guessed"))).code).toBe("wrong_work_hash");
    expect((await post(terms, voucher, input)).body).toEqual({ runs: 1 });
    expect(runs).toBe(1);
  });

  test("a skipped and a lower amount are refused with the expected one", async () => {
    const { terms, caller } = await opened();
    await caller.call(json(1), "application/json");
    const input = json(2);
    for (const amount of [500n, 1_000n, 3_000n]) {
      const refused = await post(terms, await voucherFor(terms, amount, input), input);
      expect([refused.status, refused.code, refused.body.error?.expected_amount]).toEqual([
        409,
        "wrong_amount",
        "2000",
      ]);
    }
  });

  test("a voucher of another session, another input or another key is refused", async () => {
    const { terms } = await opened();
    const input = json("mine");
    const other = await voucherFor(termsOf(), 1_000n, input);
    expect((await post(terms, other, input)).code).toBe("wrong_signature");
    const mine = await voucherFor(terms, 1_000n, input);
    expect((await post(terms, mine, json("other"))).code).toBe("wrong_work_hash");
    const stolen = { ...mine, signature: other.signature };
    expect((await post(terms, stolen, input)).code).toBe("wrong_signature");
    // A second check, by the table of the key's multiples, finds the same.
    expect((await post(terms, mine, input)).status).toBe(200);
    const next = await voucherFor(terms, 2_000n, input);
    expect((await post(terms, { ...next, signature: mine.signature }, input)).code).toBe("wrong_signature");
    expect((await post(terms, next, input)).status).toBe(200);
  });

  test("a second call while one is at work is refused, and the same call waits for its answer", async () => {
    let finish = (_: unknown) => {};
    const { terms } = await opened(() => new Promise((resolve) => (finish = resolve)));
    const [input, second] = [json("slow"), json("second")];
    const voucher = await voucherFor(terms, 1_000n, input);
    const first = post(terms, voucher, input);
    await expect
      .poll(async () => (await post(terms, await voucherFor(terms, 1_000n, second), second)).code)
      .toBe("call_in_progress");
    const again = post(terms, voucher, input);
    finish({ done: true });
    expect((await first).body).toEqual({ done: true });
    expect((await again).body).toEqual({ done: true });
  });

  test("a call whose handler fails costs nothing, and the next call uses its amount", async () => {
    const { caller } = await opened((input) => {
      if (input === "bad") throw new DeclinedError("This text has no words.");
      if (input === "broken") throw new Error("a secret");
      return echo(input);
    });
    const refusal = await caller.call(json("bad"), "application/json").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(CallRefusedError);
    expect(String(refusal)).toContain("This text has no words.");
    await expect(caller.call(json("broken"), "application/json")).rejects.toThrow(/^(?!.*secret)/);
    expect((await caller.call(json("good"), "application/json")).spent).toBe(1_000n);
  });

  test("the balance pays no more than it holds", async () => {
    const { terms, caller } = await opened(echo, { balance: 2_500n });
    await caller.call(json(1), "application/json");
    await caller.call(json(2), "application/json");
    expect(caller.paysOneMore).toBe(false);
    const input = json(3);
    expect((await post(terms, await voucherFor(terms, 3_000n, input), input)).code).toBe("balance_used");
  });

  test("no call is taken near the deadline", async () => {
    const { terms } = await opened(echo, { endsAt: Date.now() + 60_000 });
    const input = json(1);
    const refused = await post(terms, await voucherFor(terms, 1_000n, input), input);
    expect([refused.status, refused.code]).toEqual([410, "session_ended"]);
  });

  test("an input that is too large, too slow or not JSON is refused", async () => {
    const terms = termsOf();
    const endpoint = await startEndpoint([terms], echo, { maxInputBytes: 1_000, inputTimeoutMs: 200 });
    onTestFinished(endpoint.stop);
    const large = json("x".repeat(2_000));
    expect((await post(terms, await voucherFor(terms, 1_000n, large), large)).code).toBe("input_too_large");
    const broken = Buffer.from("{");
    expect((await post(terms, await voucherFor(terms, 1_000n, broken), broken)).code).toBe("malformed");
    const response = await postSlowly(terms, await voucherFor(terms, 1_000n, large));
    expect(response.status).toBe(408);
  });

  test("only the buyer's signature lets an input be read, and a session has eight requests at once", async () => {
    const [terms, others] = [termsOf(), termsOf()];
    const endpoint = await startEndpoint([terms, others], echo);
    onTestFinished(endpoint.stop);
    const voucher = await voucherFor(terms, 1_000n, json(1));
    const forged = { ...voucher, signature: `0x${"11".repeat(65)}` as const };
    const session = endpoint.sessions.get(terms.escrowId);
    const usedAt = session?.usedAt;
    expect((await postSlowly(terms, forged)).status).toBe(401);
    expect(session?.usedAt).toBe(usedAt);
    const held = Array.from({ length: 8 }, () => postSlowly(terms, voucher).catch(() => null));
    await expect.poll(async () => (await post(terms, voucher, json(1))).code).toBe("busy");
    const input = json(2);
    expect((await post(others, await voucherFor(others, 1_000n, input), input)).status).toBe(200);
    endpoint.server.closeAllConnections();
    await Promise.all(held);
    await expect.poll(async () => (await post(terms, voucher, json(1))).status).toBe(200);
  });

  test("a session that is not known is refused without a read", async () => {
    const { terms, endpoint } = await opened();
    const stranger = { ...termsOf(), endpointUrl: terms.endpointUrl };
    const input = json(1);
    expect((await post(stranger, await voucherFor(stranger, 1_000n, input), input)).code).toBe(
      "unknown_session",
    );
    expect(endpoint.unknown).toHaveLength(1);
  });
});

describe("a buyer's session", () => {
  test("refuses an answer of another key, and signs no more", async () => {
    const { terms, caller, file } = await opened();
    const other = { ...terms, sessionKey: "_HpP3NYtYtKo3JW7ywUlD14HQHmAknyl9ay0WWehQrc" };
    const deceived = new Caller(other, file, signer, { timeoutMs: 2_000, allowPrivate: true });
    await expect(deceived.call(json(1), "application/json")).rejects.toThrow(UntrustedSessionError);
    await expect(deceived.call(json(2), "application/json")).rejects.toThrow(UntrustedSessionError);
    // Also in a later run. The signed price counts as spent: no more than one is lost.
    const later = new Caller(terms, file, signer, { timeoutMs: 2_000, allowPrivate: true });
    await expect(later.call(json(3), "application/json")).rejects.toThrow(UntrustedSessionError);
    expect([later.spent, caller.spent]).toEqual([1_000n, 0n]);
  });

  test("asks first for an answer that it lost, also after a restart", async () => {
    const inputs: unknown[] = [];
    const { terms, endpoint, file, path } = await opened((input) => inputs.push(input) && echo(input));
    file.close();
    endpoint.losesAnswers = true;
    const before = await openCaller(terms, { path, timeoutMs: 300 });
    await expect(before.caller.call(json("paid"), "application/json")).rejects.toThrow(CallUnansweredError);
    before.file.close();
    endpoint.losesAnswers = false;
    const after = await openCaller(terms, { path });
    const late: unknown[] = [];
    const session = new Session({
      ...after,
      openNext: null,
      closeDeadline: async () => 2_000_000_000n,
      onLateAnswer: ({ output }) => late.push(output),
    });
    expect((await session.call("next")).spent).toBe(2_000n);
    expect(late).toEqual([{ echo: "paid" }]);
    expect(inputs).toEqual(["paid", "next"]);
    expect(endpoint.sessions.get(terms.escrowId)?.newest?.cumulativeAmount).toBe(2_000n);
    await session.close();
    expect(endpoint.sessions.get(terms.escrowId)?.isClosing).toBe(true);
  });

  test("gets its newest answer again, at no cost", async () => {
    const { caller } = await opened();
    expect(await caller.repeatLast()).toBeNull();
    await caller.call(json(1), "application/json");
    const answer = await caller.call(json(2), "application/json");
    expect(await caller.repeatLast()).toEqual(answer);
    expect(caller.spent).toBe(2_000n);
  });

  test("continues by its own newest voucher after its file is lost", async () => {
    const { terms, caller } = await opened();
    await caller.call(json(1), "application/json");
    await caller.call(json(2), "application/json");
    const { caller: again } = await openCaller(terms);
    expect((await again.call(json(3), "application/json")).spent).toBe(3_000n);
  });

  test("continues after its file is lost, also if it was killed in its first call then", async () => {
    const { terms, endpoint, caller } = await opened();
    for (const number of [1, 2]) await caller.call(json(number), "application/json");
    const { caller: killed, file, path } = await openCaller(terms, { timeoutMs: 100 });
    endpoint.losesAnswers = true;
    await expect(killed.call(json(3), "application/json")).rejects.toThrow(CallUnansweredError);
    endpoint.losesAnswers = false;
    file.close();
    const { caller: again } = await openCaller(terms, { path });
    expect((await again.finishPending())?.answer).toMatchObject({ output: { echo: 3 }, spent: 3_000n });
  });

  test("stops if the provider counts a call that it refused", async () => {
    let fails = true;
    const { terms, caller, endpoint } = await opened(() => {
      if (fails) throw new Error("down");
      return "ok";
    });
    const input = json("failed");
    await expect(caller.call(input, "application/json")).rejects.toThrow(CallRefusedError);
    fails = false;
    // The provider answers the refused voucher for itself.
    await post(terms, await voucherFor(terms, 1_000n, input), input);
    expect(endpoint.sessions.get(terms.escrowId)?.newest?.cumulativeAmount).toBe(1_000n);
    await expect(caller.call(json("other"), "application/json")).rejects.toThrow(UntrustedSessionError);
    await expect(caller.call(json("third"), "application/json")).rejects.toThrow(UntrustedSessionError);
  });

  test("sends calls at once one after the other, and continues with the next balance", async () => {
    const [first, second] = [termsOf({ balance: 3_000n }), termsOf({ balance: 3_000n })];
    const endpoint = await startEndpoint([first, second], echo);
    onTestFinished(endpoint.stop);
    const { caller, file } = await openCaller(first);
    const session = new Session({
      file,
      caller,
      openNext: async () => new Caller(second, file, signer, { allowPrivate: true }),
      closeDeadline: async () => 2_000_000_000n,
    });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => session.call(number)));
    expect(answers.map(({ output }) => output)).toEqual([1, 2, 3, 4, 5].map((number) => ({ echo: number })));
    expect([session.orderId, session.spent]).toEqual([second.orderId, 2_000n]);
    expect(endpoint.sessions.get(first.escrowId)?.isClosing).toBe(true);
    const last = new Session({ file, caller, openNext: null, closeDeadline: async () => 0n });
    await expect(last.call("more")).rejects.toThrow(BalanceUsedError);
  });
});

test("a buyer sends nothing to an endpoint in a private network that it does not allow", async () => {
  const { terms, endpoint } = await opened();
  const { caller } = await openCaller(terms, { allowPrivate: false });
  await expect(caller.call(json(1), "application/json")).rejects.toThrow(/is in a private network/);
  for (const host of ["localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "intranet"]) {
    expect([host, isPrivateHost(host)]).toEqual([host, true]);
  }
  expect(["words.example", "8.8.8.8", "[2606:4700::1111]"].filter(isPrivateHost)).toEqual([]);
  // A name is checked by the addresses that are connected to.
  for (const all of [true, false]) {
    const found = new Promise((resolve) => lookupPublic("localhost", { all }, resolve));
    await expect(found).resolves.toBeInstanceOf(PrivateAddressError);
  }
  expect([...endpoint.sessions.values()].map(({ newest }) => newest)).toEqual([null]);
});

describe("a provider's endpoint", () => {
  test("continues after a restart where it was, and keeps a closing session closed", async () => {
    const [terms, closing] = [termsOf(), termsOf()];
    const path = join(newFolder(), "calls.jsonl");
    const first = await startEndpoint([terms, closing], echo, { path });
    const { caller } = await openCaller(terms);
    await caller.call(json(1), "application/json");
    await first.sessions.get(closing.escrowId)?.close();
    await first.stop();
    const port = Number(new URL(first.url).port);
    const second = await startEndpoint([terms, closing], echo, { path, port });
    onTestFinished(second.stop);
    expect((await caller.call(json(2), "application/json")).spent).toBe(2_000n);
    const input = json(1);
    expect((await post(closing, await voucherFor(closing, 1_000n, input), input)).code).toBe("session_ended");
  });

  test("gives up a call that takes too long, and takes nothing for it", async () => {
    let finish = (_: string) => {};
    const { terms, endpoint, caller } = await opened((input: unknown) =>
      input === "slow" ? new Promise<string>((resolve) => (finish = resolve)) : "done",
    );
    await caller.call(json("quick"), "application/json");
    const session = endpoint.sessions.get(terms.escrowId);
    const input = json("slow");
    const answer = post(terms, await voucherFor(terms, 2_000n, input), input);
    await expect.poll(() => session?.isBusy).toBe(true);
    const closed = session?.close();
    session?.giveUpCall();
    await session?.close();
    finish("late");
    await closed;
    expect((await answer).code).toBe("session_ended");
    expect(session?.newest?.cumulativeAmount).toBe(1_000n);
    expect(endpoint.file.get(terms.escrowId)).toMatchObject({ amount: "1000", closing: true });
  });

  test("answers nothing that it cannot store, so that the buyer sends the call again", async () => {
    let handled = 0;
    const { terms, endpoint } = await opened(() => {
      handled += 1;
      endpoint.file.close();
      return "done";
    });
    const voucher = await voucherFor(terms, 1_000n, json(1));
    for (const _ of ["after the work", "before the work"]) {
      expect(await post(terms, voucher, json(1))).toMatchObject({ status: 429, code: "busy" });
    }
    expect(handled).toBe(1);
  });

  test("does not close for another key, or for less than the calls cost", async () => {
    const { terms, caller, endpoint } = await opened();
    await caller.call(json(1), "application/json");
    const { caller: fresh } = await openCaller(terms);
    await expect(fresh.close(2_000_000_000n)).rejects.toThrow(/1000 base units/);
    expect(endpoint.sessions.get(terms.escrowId)?.isClosing).toBe(false);
    await caller.close(2_000_000_000n);
    expect(endpoint.sessions.get(terms.escrowId)?.isClosing).toBe(true);
  });
});

describe("a session file", () => {
  test("is readable by its owner alone, and has one user at a time", async () => {
    const path = join(newFolder(), "file.jsonl");
    const file = await KeyedFile.open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(KeyedFile.open(path)).rejects.toThrow(FileInUseError);
    file.close();
    (await KeyedFile.open(path)).close();
  });

  test.runIf(canSeparate)(
    "has one user among containers that share its folder, and none after a kill",
    async () => {
      const path = join(
        newFolder(),
        "a name of a file that is longer than the address of a socket may be ".repeat(3),
      );
      const keyedFile = new URL("../src/sessions/keyed-file.ts", import.meta.url);
      const script = `
      const { KeyedFile } = await import(${JSON.stringify(keyedFile.href)});
      const file = await KeyedFile.open(process.argv[1]).catch((error) => console.log(error.name));
      if (file) console.log("open");
      setInterval(() => {}, 1000);`;
      // Like a container, the program has its own network, and so its own abstract sockets.
      const start = () => {
        const flags = ["--net", process.execPath, "--input-type=module", "-e", script, path];
        const child = spawn("unshare", flags, { stdio: ["ignore", "pipe", "inherit"] });
        return { child, said: once(child.stdout, "data").then(([text]) => String(text).trim()) };
      };
      const own = await KeyedFile.open(path);
      const other = start();
      expect(await other.said).toBe("FileInUseError");
      own.close();
      const next = start();
      expect(await next.said).toBe("open");
      await expect(KeyedFile.open(path)).rejects.toThrow(FileInUseError);
      for (const { child } of [other, next]) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      (await KeyedFile.open(path)).close();
    },
  );

  test("drops a line that was cut, and refuses a damaged one", async () => {
    const path = join(newFolder(), "file.jsonl");
    const file = await KeyedFile.open(path);
    await file.putDurably("one", 1);
    file.put("one", 2);
    file.close();
    appendFileSync(path, '["one",3');
    const again = await KeyedFile.open(path);
    expect(again.get("one")).toBe(2);
    again.put("two", 2);
    again.close();
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('["one",2]', '["one",2'));
    await expect(KeyedFile.open(path)).rejects.toThrow(SessionFileError);
  });

  test("stays small, and keeps the newest values", async () => {
    const path = join(newFolder(), "file.jsonl");
    const file = await KeyedFile.open(path, { compactAbove: 10_000 });
    for (let number = 0; number < 2_000; number += 1)
      file.put(`key ${number % 10}`, { number, filler: "x".repeat(20) });
    file.put("key 3", undefined);
    await Promise.all([1, 2, 3].map((number) => file.putDurably("together", number)));
    expect(statSync(path).size).toBeLessThan(12_000);
    file.close();
    const again = await KeyedFile.open(path);
    expect(again.keys().sort()).toEqual(
      ["together", ...[0, 1, 2, 4, 5, 6, 7, 8, 9].map((one) => `key ${one}`)].sort(),
    );
    expect(again.get("key 9")).toMatchObject({ number: 1_999 });
    expect(again.get("together")).toBe(3);
    again.close();
  });

  test("notices another writer", async () => {
    const path = join(newFolder(), "file.jsonl");
    const file = await KeyedFile.open(path);
    appendFileSync(path, '["one",1]\n');
    expect(() => file.put("one", 2)).toThrow(SessionFileError);
  });
});

test("statements name the session, the amount, the call and the output", () => {
  const answer = { escrowId: "0x01", cumulativeAmount: 5n, workHash: "0x02", outputHash: "0x03" } as const;
  expect(statementOf(answer)).toBe("earnest-answer/1\n0x01\n5\n0x02\n0x03");
});
