import type { RequestListener } from "node:http";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { account, agent, agentDomain, event } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { domainLeases, findDue } from "../../../jobs/domains/due-domains.ts";
import { claimDomain, removeDomain } from "../../../trade/domains/domain-claim.ts";
import { readDomain } from "../../../trade/domains/domain-name.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { lookAtDomains } from "../../harness/jobs/domains.ts";
import { addAccount, addAgent } from "../../harness/jobs/probes.ts";
import { type NameServer, startNameServer, type Zone } from "../../harness/outbound/dns.ts";
import { createAuthority, type Receiver, startReceiver } from "../../harness/outbound/receiver.ts";
import { makeParty } from "../../harness/party.ts";

/** A new domain for each test, all under one certificate. */
let domain = "";
let count = 0;
let database: TestDatabase;
let dns: NameServer;
let site: Receiver;
let ca: string;
let zone: Zone;
let file: RequestListener;

beforeAll(async () => {
  const authority = await createAuthority();
  ca = authority.ca;
  [database, dns, site] = await Promise.all([
    createTestDatabase(),
    startNameServer((...query) => zone(...query)),
    startReceiver(await authority.issue(["*.proofs.example"]), (request, response) =>
      file(request, response),
    ),
  ]);
});
afterAll(async () => {
  await site?.close();
  await dns?.close();
  await database?.close();
});
beforeEach(async () => {
  domain = `d${++count}.proofs.example`;
  zone = () => "NXDOMAIN";
  file = (_, response) => response.writeHead(404).end();
  // Used by one test only.
  await database.db.update(agentDomain).set({ status: "removed" });
});

/** Claims a domain for an agent of an account, a new one by default. */
async function claim(name = domain, accountId?: string) {
  const owner = accountId ?? (await addAccount(database.db));
  const agentId = await addAgent(database.db, { accountId: owner, apiEndpoint: "https://agent.example/" });
  return claimAgain({ id: agentId, slug: agentId.replace("_", "-") }, owner, name);
}

async function claimAgain(own: { id: string; slug: string }, accountId: string, name = domain) {
  const claimed = await readDomain(name);
  return inTransaction(database.db, (tx) => claimDomain(tx, { accountId }, own, claimed, "earnest.example"));
}

type Row = Awaited<ReturnType<typeof claim>>;

const look = (signal?: AbortSignal) =>
  lookAtDomains(database.db, { dns: dns.server, ca, port: site.port, ...(signal ? { signal } : {}) });

async function lookAgain(...rows: Row[]) {
  for (const { id } of rows) {
    await database.db.update(agentDomain).set({ nextCheckAt: sql`now()` }).where(eq(agentDomain.id, id));
  }
  await look();
}

async function stateOf({ id }: Row) {
  const [row] = await database.db.select().from(agentDomain).where(eq(agentDomain.id, id));
  if (!row) throw new Error("The claim is gone.");
  return row;
}

async function shownBy({ agentId }: Row) {
  const [row] = await database.db
    .select()
    .from(agent)
    .where(eq(agent.id, agentId ?? ""));
  return row?.verified;
}

const eventsOf = async ({ accountId }: Row) =>
  (await database.db.select().from(event).where(eq(event.accountId, accountId)).orderBy(event.seq)).map(
    ({ type, data }) => [type, (data as { domain: string }).domain],
  );

/** The zone with these texts at each name; every other name is the test's server. */
const textsAt =
  (texts: Record<string, string[]>): Zone =>
  (name, type) => {
    const found = texts[name];
    if (found) return { texts: found };
    return name.startsWith("_") || (type !== "A" && type !== "AAAA") ? "NXDOMAIN" : ["127.0.0.1"];
  };
const recordAt = (name: string) => `_earnest-agent.${name}`;
const holding =
  (...lines: string[]): RequestListener =>
  (request, response) =>
    request.url === "/.well-known/earnest-agent.txt"
      ? response.end(lines.join("\n"))
      : response.writeHead(404).end();

describe("a domain claim is proved", () => {
  test("by a TXT record among others, and its owner is notified once", async () => {
    const row = await claim();
    expect(row.proof).toMatch(/^earnest-agent=earnest\.example\/agt-\w+ token=[0-9a-f]{40}$/);
    zone = textsAt({ [recordAt(domain)]: ["v=spf1 -all", ` ${row.proof} `] });
    await look();
    expect(await stateOf(row)).toMatchObject({
      status: "verified",
      method: "dns",
      failures: 0,
      problems: null,
    });
    expect(await shownBy(row)).toEqual(["domain"]);
    await lookAgain(row);
    expect(await eventsOf(row)).toEqual([["agent.domain_verified", domain]]);
  });

  test("by a record among as many as a DNS answer has room for", async () => {
    const row = await claim();
    zone = textsAt({ [recordAt(domain)]: [...Array(200).fill("x".repeat(250)), row.proof] });
    await look();
    expect(await stateOf(row)).toMatchObject({ status: "verified", method: "dns" });
  });

  test("by a record that comes by TCP only", async () => {
    const row = await claim();
    zone = (name, type) =>
      name === recordAt(domain) && type === "TXT" ? { texts: [row.proof], byTcp: true } : "NXDOMAIN";
    await look();
    expect(await stateOf(row)).toMatchObject({ status: "verified", method: "dns" });
  });

  test("by a line of a file at the domain", async () => {
    const row = await claim();
    zone = textsAt({});
    file = holding("# ours", row.proof);
    await look();
    expect(await stateOf(row)).toMatchObject({ status: "verified", method: "file" });
  });

  test("for several agents, by a line for each", async () => {
    const [first, second] = [await claim(), await claim()];
    zone = textsAt({});
    file = holding(first.proof, second.proof);
    await look();
    expect([(await stateOf(first)).status, (await stateOf(second)).status]).toEqual(["verified", "verified"]);
    // Each contested the other, whose line still exists.
    await look();
    expect((await stateOf(first)).status).toBe("verified");
    expect((await stateOf(second)).contestedAt).toBeNull();
  });
});

describe("a domain claim is not proved", () => {
  const refused = async (row: Row) => {
    await look();
    const { status, problems } = await stateOf(row);
    expect(status).toBe("pending");
    expect(await shownBy(row)).toEqual([]);
    return [problems?.dns?.code, problems?.file?.code];
  };

  test("by another agent's line", async () => {
    const [proved, other] = [await claim(), await claim()];
    zone = textsAt({ [recordAt(domain)]: [proved.proof] });
    file = holding(proved.proof);
    expect(await refused(other)).toEqual(["other_record", "no_line"]);
  });

  test("by the line of a claim that was removed", async () => {
    const { accountId, agentId, proof } = await claim();
    const own = { id: agentId ?? "", slug: (agentId ?? "").replace("_", "-") };
    await inTransaction(database.db, (tx) => removeDomain(tx, own.id));
    const again = await claimAgain(own, accountId);
    zone = textsAt({ [recordAt(domain)]: [proof] });
    file = holding(proof);
    expect(again.proof).not.toBe(proof);
    expect(await refused(again)).toEqual(["other_record", "no_line"]);
  });

  test("by a record that an alias leads to, nor by aliases in a circle", async () => {
    const row = await claim();
    const elsewhere = "texts.attacker.example";
    zone = (name, type) =>
      name === recordAt(domain) ? { alias: elsewhere } : type === "TXT" ? { texts: [row.proof] } : "NXDOMAIN";
    expect(await refused(row)).toEqual(["alias", "name_not_found"]);
    zone = (name) => ({ alias: name });
    await lookAgain(row);
    expect((await stateOf(row)).problems).toMatchObject({ dns: { code: "alias" } });
  });

  test("by a record behind an alias, where the server denies the alias in a direct query", async () => {
    const row = await claim();
    zone = (name, type) => {
      if (name !== recordAt(domain)) return "NXDOMAIN";
      return type === "TXT" ? { alias: "texts.attacker.example", texts: [row.proof] } : [];
    };
    expect(await refused(row)).toEqual(["alias", "name_not_found"]);
  });

  test("where the DNS is silent and the server never ends its answer, within the time of a check", async () => {
    const row = await claim();
    zone = (name) => (name.startsWith("_") ? "silence" : ["127.0.0.1"]);
    file = (_, response) => {
      response.writeHead(200);
      response.write("earnest-agent=");
    };
    const began = performance.now();
    expect(await refused(row)).toEqual(["dns_failed", "timeout"]);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("by a file that breaks off before the line; a 404 that breaks off still counts as one", async () => {
    const row = await claim();
    zone = textsAt({});
    const breakOff =
      (status: number): RequestListener =>
      (_, response) => {
        response.writeHead(status, { "Content-Length": "1000" });
        response.write("# ours", () => response.destroy());
      };
    file = breakOff(200);
    expect(await refused(row)).toEqual(["no_record", "connection_failed"]);
    file = breakOff(404);
    await lookAgain(row);
    expect((await stateOf(row)).problems?.file?.code).toBe("other_status");
  });

  test("by a line after a file's first 16 KiB, or behind a redirect", async () => {
    const row = await claim();
    zone = textsAt({});
    file = holding("x".repeat(16_384), row.proof);
    expect(await refused(row)).toEqual(["no_record", "no_line"]);
    file = (request, response) =>
      request.url === "/moved"
        ? response.end(row.proof)
        : response.writeHead(301, { Location: "/moved" }).end(row.proof);
    await lookAgain(row);
    expect((await stateOf(row)).problems?.file?.code).toBe("other_status");
  });

  test("by a server at an address that is not public, which is never connected to", async () => {
    const row = await claim();
    zone = (name, type) =>
      name.startsWith("_") ? "NXDOMAIN" : type === "A" ? ["127.0.0.1", "127.0.0.2"] : [];
    file = holding(row.proof);
    const before = site.connections;
    expect(await refused(row)).toEqual(["no_record", "forbidden_address"]);
    expect(site.connections).toBe(before);
  });

  test("after seven days", async () => {
    const row = await claim();
    await database.db
      .update(agentDomain)
      .set({ createdAt: sql`now() - interval '8 days'` })
      .where(eq(agentDomain.id, row.id));
    await look();
    expect((await stateOf(row)).status).toBe("expired");
    zone = textsAt({ [recordAt(domain)]: [row.proof] });
    await lookAgain(row);
    expect((await stateOf(row)).status).toBe("expired");
  });
});

describe("a proved domain", () => {
  /** Creates a claim that is proved by a record. */
  async function prove() {
    const row = await claim();
    zone = textsAt({ [recordAt(domain)]: [row.proof] });
    await look();
    expect((await stateOf(row)).status).toBe("verified");
    return row;
  }

  test("is lost when its proof is missing three times in a row, and its owner is notified once", async () => {
    const row = await prove();
    zone = () => "SERVFAIL";
    await lookAgain(row);
    await lookAgain(row);
    expect(await shownBy(row)).toEqual(["domain"]);
    zone = textsAt({ [recordAt(domain)]: [row.proof] });
    await lookAgain(row);
    expect((await stateOf(row)).failures).toBe(0);
    zone = () => "SERVFAIL";
    for (let failed = 0; failed < 3; failed += 1) await lookAgain(row);
    expect(await stateOf(row)).toMatchObject({ status: "lost", failures: 3, lostAt: expect.any(Date) });
    expect(await shownBy(row)).toEqual([]);
    await lookAgain(row);
    expect(await eventsOf(row)).toEqual([
      ["agent.domain_verified", domain],
      ["agent.domain_lost", domain],
    ]);
  });

  test("is lost at once when another account proves it and the record is gone", async () => {
    const before = await prove();
    const taken = await claim();
    zone = textsAt({ [recordAt(domain)]: [taken.proof] });
    await look();
    expect((await stateOf(taken)).status).toBe("verified");
    await look();
    expect((await stateOf(before)).status).toBe("lost");
    expect([await shownBy(before), await shownBy(taken)]).toEqual([[], ["domain"]]);
  });

  test("stays while another's proof exists and the DNS fails, until the usual three times", async () => {
    const before = await prove();
    await database.db
      .update(agentDomain)
      .set({ contestedAt: sql`now()` })
      .where(eq(agentDomain.id, before.id));
    zone = () => "SERVFAIL";
    await lookAgain(before);
    expect(await stateOf(before)).toMatchObject({ status: "verified", failures: 1 });
  });

  test("needs a new line when it was lost and is claimed again", async () => {
    const row = await prove();
    zone = () => "NXDOMAIN";
    for (let failed = 0; failed < 3; failed += 1) await lookAgain(row);
    const agentId = row.agentId ?? "";
    const again = await claimAgain({ id: agentId, slug: agentId.replace("_", "-") }, row.accountId);
    expect(again.proof).not.toBe(row.proof);
    expect(again.status).toBe("pending");
  });
});

describe("a due check of a domain", () => {
  test("is run by one task only, with its site and its account", async () => {
    const row = await claim("own.shared.example");
    const { accountId } = row;
    const keys = ["shared.example", accountId, "unproven", row.id];
    expect(await findDue(database.db, [])).toEqual([{ id: row.id, keys }]);
    // The share of unproven accounts or of their network is full; a party of funded orders has its own.
    await database.db.update(account).set({ network: "198.51.100.0/24" }).where(eq(account.id, accountId));
    for (const full of [
      [[], [], ["unproven"], []],
      [[], [], [], ["network 198.51.100.0/24"]],
    ]) {
      expect(await findDue(database.db, full)).toEqual([]);
    }
    await makeParty(database.db, accountId);
    const spared = await findDue(database.db, [[], [], ["unproven"], ["network 198.51.100.0/24"]]);
    expect(spared.map(({ id }) => id)).toEqual([row.id]);
    expect(await findDue(database.db, [["shared.example"], []])).toEqual([]);
    expect(await findDue(database.db, [[], [row.accountId]])).toEqual([]);
    const taken = await Promise.all([1, 2, 3].map(() => domainLeases.take(database.db, [row.id])));
    expect(taken.flat().map(({ domain }) => domain)).toEqual(["own.shared.example"]);
    expect(await findDue(database.db, [])).toEqual([]);
  });

  test("runs beside one other of its site at most", async () => {
    const answers: (() => void)[] = [];
    let most = 0;
    zone = textsAt({});
    file = (_, response) => {
      answers.push(() => response.writeHead(404).end());
      most = Math.max(most, answers.length);
    };
    const rows = [];
    for (let one = 0; one < 5; one += 1) rows.push(await claim(`many${one}.proofs.example`));
    const answering = setInterval(() => answers.shift()?.(), 100);
    await look();
    clearInterval(answering);
    expect(most).toBe(2);
    for (const row of rows) expect(await stateOf(row)).toMatchObject({ status: "pending", failures: 1 });
  });

  test("is returned when the worker stops", async () => {
    const row = await claim();
    const stop = new AbortController();
    zone = () => {
      stop.abort();
      return "silence";
    };
    await look(stop.signal);
    expect(await stateOf(row)).toMatchObject({ status: "pending", failures: 0 });
  });

  test("follows thirty claims a day of one account, whatever became of them", async () => {
    const accountId = await addAccount(database.db);
    for (let one = 0; one < 30; one += 1) await claim(`many${one}.example`, accountId);
    await expect(claim("more.example", accountId)).rejects.toMatchObject({ code: "rate_limited" });
  });
});
