import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { foldOutcomes } from "../../protocol/reputation/agent-record.ts";
import { outcomesRootOf } from "../../protocol/reputation/outcomes-root.ts";
import { type Outcome, recordedUntil } from "../../protocol/reputation/public-outcome.ts";
import { Installation } from "../../protocol/reputation/public-record.ts";
import { type AuditOptions, auditAgent, reportAudit } from "../../protocol/reputation/reputation-report.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { ourProgram } from "../harness/programs.ts";
import { type PublishedRecord, startInstallation } from "../harness/reputation/installation.ts";

let installation: Awaited<ReturnType<typeof startInstallation>>;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.close());
beforeEach(() => installation.say(installation.honest));

/** Runs the command as a user does, with a node of the chain by default. */
async function run(...args: string[]) {
  const { url, rpc } = installation;
  const given = args.length > 0 ? args : ["--rpc", rpc, "--lag", "0"];
  const program = ourProgram("scripts/reputation.ts", "--agent", `${url}/agents/translator`, ...given);
  const child = spawn(process.execPath, program, { stdio: "pipe" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** The installation's answers after a lie; its numbers follow from the lie unless they are changed too. */
async function lie(
  change: (published: PublishedRecord) => void,
  record?: Parameters<typeof installation.say>[1],
  statement?: Parameters<typeof installation.say>[2],
) {
  const published = structuredClone(installation.honest);
  change(published);
  installation.say(published, record, statement);
  return audit({ isStrict: true });
}
const hideBad = (published: PublishedRecord) => {
  published.outcomes.splice(2, 1);
  published.counterparties.splice(2, 1);
};

/** The output and exit code of the command, without a process for each lie. */
async function audit(options: Partial<AuditOptions> = {}) {
  const { url, rpc } = installation;
  const audit = await auditAgent({
    api: `${url}/api/v1`,
    slug: "translator",
    issuer: issuerOf(url),
    also: [],
    contracts: [],
    nodes: [{ chainId: 31_337, client: createPublicClient({ transport: http(rpc) }) }],
    firstBlocks: new Map<number, bigint>(),
    lag: 0,
    checksReceipts: true,
    storedReceipts: [],
    isStrict: false,
    ...options,
  });
  return { verdict: audit.verdict, out: reportAudit(audit).join("\n") };
}
const line = (published: PublishedRecord, number: number): Outcome => {
  const found = published.outcomes[number];
  if (!found) throw new Error(`There is no line ${number}.`);
  return found;
};

test("the lists of other agents are read in turn, and no more once there are many lines", async () => {
  const read: string[] = [];
  class Counted extends Installation {
    override async readOutcomes(slug: string) {
      read.push(slug);
      return super.readOutcomes(slug);
    }
  }
  const other = new Counted(`${installation.url}/api/v1`);
  const slugs = ["proofreader", "proofreader", "proofreader"];
  expect(await other.readOutcomesOf(slugs, 3)).toMatchObject({ isWhole: true });
  expect(read).toEqual(slugs);
  const cut = await other.readOutcomesOf(slugs, 2);
  expect([cut.outcomes.length, cut.isWhole, read.length]).toEqual([2, false, 5]);
});

test("an escrow in no list is no fault where the record names the maximum of agents", async () => {
  const full = (published: PublishedRecord) =>
    Object.assign(published, {
      same_wallet: Array.from({ length: 1000 }, () => "proofreader"),
      elsewhere: [],
    });
  const { verdict, out } = await lie((published) => void full(published));
  expect(verdict).toBe("unknown");
  expect(out).toContain("too many to read");
  expect((await lie((published) => void Object.assign(published, { elsewhere: [] }))).verdict).toBe(
    "differs",
  );
});

test("a page has no more lines than requested", async () => {
  const [line] = installation.honest.outcomes;
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ items: Array(101).fill(line), next_cursor: null })),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const reading = new Installation(`http://127.0.0.1:${port}/api/v1`).readOutcomes("translator");
  await expect(reading).rejects.toThrow(/has an invalid response: .*100 items/s);
  server.close();
});

describe("npm run reputation", () => {
  test("escapes control characters in foreign text", async () => {
    const published = structuredClone(installation.honest);
    Object.assign(published.outcomes[0] ?? {}, { "\u001b[2J\u009b1m\u202e": 1 });
    installation.say(published);
    const { code, out, err } = await run();
    expect(err).toContain("\\u001b[2J");
    expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(code).toBe(2);
  });

  test("an honest installation's numbers, receipts and escrows agree", async () => {
    const { code, out, err } = await run();
    expect(err + out).toMatch(/All checks agree\.\n$/);
    expect(code).toBe(0);
    expect(out).toMatch(/receipts: 12 valid\nstatement: valid\nchain eip155:31337: 6 of 6 outcomes agree/);
    expect(out).toMatch(/ {2}score.value +(\d+) +\1\n/);
    expect(out).toMatch(/only the installation states:\n {2}which agent/);
  });

  test("shows without a node that the chain was not checked", async () => {
    const { code, out } = await run("--skip-receipts");
    expect([code, out.includes("receipts: not checked\nstatement: not checked\nchain: not checked")]).toEqual(
      [0, true],
    );
  });

  test("names a chain without a node or an answer, compares the other, and has no result", async () => {
    const other = { chain_id: 31_338, network_name: "Other", escrow_contract: `0x${"12".repeat(20)}` };
    installation.say({ ...installation.honest, chains: [other] });
    const { rpc } = installation;
    const without = await run("--rpc", rpc, "--lag", "0");
    expect(without.out).toContain(
      "The installation settles on Other (eip155:31338), which has no node: give the URL",
    );
    const dead = await run("--rpc", rpc, "--rpc", "31338=http://127.0.0.1:9", "--lag", "0");
    expect(dead.out).toMatch(/not known:\n {2}eip155:31338: /);
    for (const { code, out } of [without, dead]) {
      expect(code).toBe(2);
      expect(out).toContain("chain eip155:31337: 6 of 6 outcomes agree\nchain eip155:31338: not checked");
    }
    const twice = await run("--rpc", rpc, "--rpc", `31337=${rpc}`);
    expect([twice.code, twice.err]).toEqual([
      2,
      expect.stringContaining("are nodes of chain 31337. Give one of them."),
    ]);
  });

  test("prints JSON", async () => {
    const { code, out } = await run("--json");
    const audit = JSON.parse(out);
    expect([code, audit.verdict, audit.checked.outcomes]).toEqual([0, "agrees", 6]);
    expect(audit.comparisons[0].computed).toEqual(audit.comparisons[0].claimed);
  });

  test("neither accuses nor clears an installation of an escrow that it may not know", async () => {
    const published = structuredClone(installation.honest);
    hideBad(published);
    installation.say(published);
    const { code, out } = await run();
    expect(out).toMatch(
      /not known:\n {2}escrow 0x[0-9a-f]{64} .* 5000000 refunded\. The escrow is hidden, of another installation/,
    );
    expect(code).toBe(2);
    const [strict] = [await audit({ isStrict: true })];
    expect(strict.verdict).toBe("differs");
  });

  test("accepts a buyer's stored receipt as proof of a hidden escrow", async () => {
    const published = structuredClone(installation.honest);
    hideBad(published);
    installation.say(published);
    const storedReceipt = installation.keep(line(installation.honest, 2));
    const { verdict, out } = await audit({ storedReceipts: [storedReceipt] });
    expect([verdict, out]).toEqual([
      "differs",
      expect.stringMatching(/unlisted: escrow .* a receipt shows that it was settled here/),
    ]);
    const forged = await audit({ storedReceipts: [storedReceipt.replace("refunded", "released")] });
    expect([forged.verdict, forged.out]).toEqual(["unknown", expect.stringMatching(/the kept receipt 1: /)]);
  });

  test("reports an unknown agent", async () => {
    const { code, err } = await run("--agent", `${installation.url}/agents/nobody`);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/nobody\/record could not be read: the status is 404/),
    ]);
  });
});

describe("npm run reputation detects", () => {
  const lies: [name: string, lie: () => ReturnType<typeof audit>, finding: RegExp][] = [
    [
      "a number that was changed",
      () =>
        lie(
          () => {},
          (record) => void Object.assign(record.ever, { orders: 9 }),
        ),
      /number_differs: ever\.orders is claimed as 9, but is 6/,
    ],
    [
      "a score that was raised",
      () =>
        lie(
          () => {},
          (record) => void Object.assign(record.score, { value: 900 }),
        ),
      /number_differs: score\.value is claimed as 900/,
    ],
    [
      "a bad outcome that was hidden",
      () => lie(hideBad),
      /unlisted: escrow 0x[0-9a-f]{64} of 0x[0-9a-f]{40} is in no list: 0 base units were released, 5000000 refunded/,
    ],
    [
      "all outcomes that were hidden",
      () => lie((published) => void Object.assign(published, { outcomes: [], counterparties: [] })),
      /unlisted: escrow .* 5000000 refunded/,
    ],
    [
      "a bad outcome that was made good",
      () =>
        lie((published) => {
          const { released, refunded } = line(published, 2);
          const good = {
            released: refunded,
            refunded: released,
            ended: "released",
            dispute: "provider",
          } as const;
          Object.assign(line(published, 2), good);
        }),
      /chain_differs: ord_7, .*: released is claimed as 5000000, but the chain has 0/,
    ],
    [
      "a bad outcome that is said to be declined",
      () => lie((published) => void Object.assign(line(published, 2), { ended: "declined" })),
      /chain_differs: ord_7, .*: ended is claimed as declined, but the chain has refunded/,
    ],
    [
      "a session without a call that is said to be declined",
      () => lie((published) => void Object.assign(line(published, 4), { ended: "declined" })),
      /chain_differs: ord_10, .*: ended is claimed as declined, but the chain has metered/,
    ],
    [
      "a refunded order that is said to be a session",
      () => lie((published) => void Object.assign(line(published, 2), { ended: "metered" })),
      /chain_differs: ord_7, .*: ended is claimed as metered, but the chain has refunded/,
    ],
    [
      "a wallet that neither is the buyer's nor paid",
      () => lie((published) => void Object.assign(line(published, 0), { wallet: installation.provider })),
      /chain_differs: .*: wallet is claimed as 0x[0-9a-f]{40}, but the chain has 0x[0-9a-f]{40}/,
    ],
    [
      "an outcome that was invented",
      () =>
        lie((published) => {
          published.outcomes.push({
            ...line(published, 0),
            order_id: "ord_99",
            escrow_id: `0x${"9".repeat(64)}`,
          });
        }),
      /not_on_chain: ord_99, .*: the chain has no such settled escrow/,
    ],
    [
      "an outcome that counts twice",
      () => lie((published) => void published.outcomes.push({ ...line(published, 0), order_id: "ord_99" })),
      /line_twice: ord_99 or its escrow/,
    ],
    [
      "another's outcome, whose receipts name another order",
      () =>
        lie((published) => void Object.assign(line(published, 0), { receipts: line(published, 1).receipts })),
      /receipt_bad: ord_5: its receipt has order_id ord_6, the line ord_5/,
    ],
    [
      "an outcome without its receipts",
      () => lie((published) => void Object.assign(line(published, 0), { receipts: [] })),
      /receipt_missing: ord_5: it has no receipt/,
    ],
    [
      "a wallet's age that was raised",
      () =>
        lie(
          (published) =>
            void Object.assign(published.counterparties[1] ?? {}, { wallet_since: "2020-01-01T00:00:00Z" }),
        ),
      /age_raised: c2's wallets are in use since 2020-01-01/,
    ],
    [
      "other providers that nobody paid",
      () => lie((published) => void Object.assign(published.counterparties[1] ?? {}, { other_providers: 4 })),
      /other_providers_raised: c2 paid 4 other providers by the record, but at most 0 by the chain/,
    ],
    [
      "one buyer who counts as two",
      () =>
        lie((published) => {
          Object.assign(line(published, 3), { counterparty: "c6" });
          published.counterparties.push({
            ...(published.counterparties[0] as (typeof published.counterparties)[0]),
            counterparty: "c6",
          });
        }),
      /wallet_of_two: 0x[0-9a-f]{40} counts as c1 and c6/,
    ],
    [
      "a settlement that is said to be recorded later",
      () =>
        lie((published) => void Object.assign(line(published, 2), { recorded_at: "2099-01-01T00:00:00Z" })),
      /recorded_late: ord_7 was settled at/,
    ],
    [
      "an agent of the same wallet that is not named",
      () => lie((published) => void Object.assign(published, { same_wallet: [] })),
      /unlisted: escrow/,
    ],
    [
      "a statement that was signed over other lines",
      () =>
        lie(
          () => {},
          undefined,
          (statement) => void Object.assign(statement, { outcomes_root: `0x${"9".repeat(64)}` }),
        ),
      /statement_differs: its root of .* is 0x9{64}, the lines have 0x/,
    ],
    [
      "a statement with a better score, and with other figures",
      () =>
        lie(
          () => {},
          undefined,
          ({ score, ever }) =>
            void [Object.assign(score, { value: 900 }), Object.assign(ever, { refunds: 0 })],
        ),
      /statement_differs: score\.value is stated as 900, but is \d+\n.*statement_differs: ever\.refunds is stated as 0, but is 1/,
    ],
    [
      "another agent's statement",
      () =>
        lie(
          () => {},
          undefined,
          ({ agent }) => void Object.assign(agent, { slug: "proofreader" }),
        ),
      /statement_bad: unexpected_value: .*agent is proofreader/,
    ],
    [
      "receipts of another issuer",
      () => audit({ issuer: "did:web:market.example" }),
      /receipt_bad: ord_5: foreign_issuer/,
    ],
    [
      "a contract that is not the one expected",
      () => audit({ contracts: [installation.provider] }),
      /foreign_contract: 0x[0-9a-f]{40}: it was not named/,
    ],
  ];

  test.each(lies)("%s", async (_, tell, finding) => {
    const { verdict, out } = await tell();
    expect(out).toMatch(finding);
    expect(verdict).toBe("differs");
  });

  test("an older statement with figures that differ from the lines of its time", async () => {
    const { outcomes } = installation.honest;
    const old = line(installation.honest, 0).recorded_at;
    const known = recordedUntil(outcomes, new Date(old));
    const folded = foldOutcomes(known, new Date(old));
    const state = (change: object) =>
      installation.say(installation.honest, undefined, (statement) =>
        Object.assign(statement, { as_of: old, outcomes_root: outcomesRootOf(known), ...folded, ...change }),
      );
    state({});
    expect(await audit({ lag: 3_600_000 })).toMatchObject({ verdict: "agrees" });
    expect((await audit()).out).toMatch(/not known:\n {2}the record's statement is of /);
    state({ ever: { ...folded.ever, orders: 7 } });
    const { verdict, out } = await audit();
    expect([verdict, out]).toEqual([
      "differs",
      expect.stringMatching(/statement_differs: ever\.orders is stated as 7/),
    ]);
  });

  test("money that came from the provider to the payer of another wallet's order", async () => {
    const published = structuredClone(installation.honest);
    const paid = line(published, 5);
    await installation.sendTokens(paid.wallet as `0x${string}`, 2_500_000n);
    Object.assign(paid, { wallet: paid.buyer });
    Object.assign(published.counterparties[4] ?? {}, { wallets: [paid.buyer], wallet_since: null });
    installation.say(published);
    const { verdict, out } = await audit();
    expect(out).toMatch(/money_from_provider: 0x[0-9a-f]{40} paid 5000000 .* got 2500000 directly/);
    expect(verdict).toBe("differs");
  });

  test("money that came from the provider: half of all that the wallet paid to the agents of its wallets", async () => {
    const [, second] = installation.honest.outcomes;
    if (!second) throw new Error("There is no second order.");
    await installation.sendTokens(second.buyer as `0x${string}`, 4_999_999n);
    expect((await audit()).out).not.toContain(" got 4999999 ");
    await installation.sendTokens(second.buyer as `0x${string}`, 1n);
    const { code, out } = await run();
    expect(out).toMatch(
      /money_from_provider: 0x[0-9a-f]{40} paid 10000000 .* got 5000000 directly from the provider/,
    );
    expect(code).toBe(1);
  });
});
