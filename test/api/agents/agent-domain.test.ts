import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentDomain, agentIdentity, auditEntry, walletAge } from "../../../db/schema.ts";
import { updateFigures } from "../../../jobs/market/market-figures.ts";
import {
  createKey,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { lookAtDomains } from "../../harness/jobs/domains.ts";
import { type NameServer, startNameServer } from "../../harness/outbound/dns.ts";

const nothing = { domain: null, erc8004: null, wallet: null };

let api: TestApi;
let owner: Session;
let dns: NameServer;
/** The TXT records by name. */
const texts = new Map<string, string>();
let slug = "";
let agentId = "";
let domain = "";
let made = 0;

beforeAll(async () => {
  [api, dns] = await Promise.all([
    createDocumentedApi(),
    startNameServer((name) => {
      const text = texts.get(name);
      return text === undefined ? "NXDOMAIN" : { texts: [text] };
    }),
  ]);
  owner = await signIn(api);
});
afterAll(async () => {
  await dns?.close();
  await api?.close();
});
beforeEach(async () => {
  const { agent } = await publishService(api, owner, { title: "Verifiable things", tags: ["verifiable"] });
  slug = agent.slug;
  agentId = agent.id;
  domain = `d${++made}.example`;
});

const ask = (method: string, body?: object, token = owner.token) =>
  api.request(method, `/agents/${slug}/domain`, { token, body });
const claim = async (name = domain) => expectStatus(200, await ask("POST", { domain: name }));
const readClaimToken = async () => expectStatus(200, await ask("GET")).claim;
const look = () => lookAtDomains(api.db, { dns: dns.server });
const read = async (path: string) => expectStatus(200, await api.request("GET", path));
const slugsIn = async (query: string) =>
  (await read(`/marketplace/${query}`)).items.map((item: { slug: string; agent?: { slug: string } }) =>
    item.agent ? item.agent.slug : item.slug,
  );

async function prove() {
  const claimed = await claim();
  texts.set(claimed.proof.record_name, claimed.proof.line);
  await look();
  return claimed;
}

describe("an agent's domain", () => {
  test("is claimed, proved and shown in each answer about the agent", async () => {
    const claimed = await claim(domain.toUpperCase());
    expect(claimed).toMatchObject({
      domain,
      status: "pending",
      proof: {
        line: expect.stringContaining(`/${slug} token=`),
        record_name: `_earnest-agent.${domain}`,
        file_url: `https://${domain}/.well-known/earnest-agent.txt`,
      },
      method: null,
      verified_at: null,
      failed_checks: 0,
      problems: { dns: null, file: null },
    });
    expect((await read(`/agents/${slug}`)).verified).toEqual(nothing);
    await look();
    const missed = await readClaimToken();
    expect(missed).toMatchObject({
      status: "pending",
      failed_checks: 1,
      problems: { dns: { code: "no_record" } },
    });

    // A repeated claim is checked within a minute, with the same TXT record.
    expect((await claim()).proof).toEqual(claimed.proof);
    await api.db.update(agentDomain).set({ nextCheckAt: sql`now()` }).where(eq(agentDomain.agentId, agentId));
    await prove();
    expect(await readClaimToken()).toMatchObject({ status: "verified", method: "dns" });
    const verified = { ...nothing, domain: { name: domain, since: expect.any(String) } };
    expect((await read(`/agents/${slug}`)).verified).toEqual(verified);
    expect((await read(`/agents/${slug}/services/a-service`)).agent.verified).toEqual(verified);
    const { items } = await read("/marketplace/services?q=verifiable");
    expect(
      items.find(({ agent }: { agent: { slug: string } }) => agent.slug === slug).agent.verified,
    ).toEqual(verified);
    expectStatus(200, await ask("DELETE"));
    expect((await read(`/agents/${slug}`)).verified).toEqual(nothing);
    expect(expectStatus(200, await ask("GET"))).toEqual({ claim: null });
    expect(expectStatus(200, await ask("DELETE"))).toEqual({ claim: null });
    const entries = await api.db.select().from(auditEntry).where(eq(auditEntry.target, agentId));
    const actions = entries.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith("agent.domain"))).toEqual([
      "agent.domain_claimed",
      "agent.domain_removed",
    ]);
  });

  test("is replaced by another domain, which needs its own TXT record", async () => {
    const first = await prove();
    const second = await claim(`other-${domain}`);
    expect(second).toMatchObject({ status: "pending", domain: `other-${domain}` });
    expect((await read(`/agents/${slug}`)).verified).toEqual(nothing);
    texts.set(second.proof.record_name, first.proof.line);
    await look();
    expect((await readClaimToken()).status).toBe("pending");
  });

  test.each([
    ["a public suffix", "github.io", "public_suffix"],
    ["an address", "93.184.216.34", "form"],
    ["a URL", "https://translator.example", "form"],
  ])("is refused when it is %s", async (_, name, keyword) => {
    const refused = await ask("POST", { domain: name });
    expect([refused.status, refused.body.error.details[0]]).toMatchObject([
      400,
      { path: "/domain", keyword },
    ]);
  });

  test("is visible to its owner only until it is proved, and only the owner can claim it", async () => {
    await claim();
    const outsider = await signIn(api);
    for (const method of ["GET", "POST", "DELETE"]) {
      const body = method === "POST" ? { domain } : undefined;
      expect((await ask(method, body, outsider.token)).status).toBe(404);
      expect((await api.request(method, `/agents/${slug}/domain`, { body })).status).toBe(401);
    }
    const reader = await createKey(api, owner, ["agents:read"]);
    expect((await ask("GET", undefined, reader)).status).toBe(200);
    expect((await ask("DELETE", undefined, reader)).body.error.code).toBe("insufficient_scope");
  });
});

describe("the filter `verified`", () => {
  const link = async (id: string) =>
    api.db.insert(agentIdentity).values({
      agentId: id,
      chainId: 31_337,
      registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      tokenId: BigInt(++made),
      wallet: owner.account.address,
      authority: "owner",
      verifiedAt: new Date(),
      verifiedBlock: 1n,
    });

  test("finds agents and services by what is proved now, with words, tags, price and time alike", async () => {
    const searches = [
      "agents?",
      "agents?q=test&",
      "services?",
      "services?q=verifiable&",
      "services?tags=verifiable&sort=newest&",
      "services?min_price=1&max_price=5&sort=price_low&",
      "services?max_delivery_hours=24&",
    ];
    const found = async (kinds: string) => {
      await updateFigures(api.db);
      return Promise.all(
        searches.map(async (search) => (await slugsIn(`${search}verified=${kinds}`)).includes(slug)),
      );
    };
    const all = searches.map(() => true);
    const none = searches.map(() => false);
    expect(await found("domain")).toEqual(none);
    await prove();
    expect(await found("domain")).toEqual(all);
    expect(await found("erc8004")).toEqual(none);
    await link(agentId);
    expect(await found("erc8004,domain")).toEqual(all);
    expect(await slugsIn("services?verified=domain")).toEqual(
      (await slugsIn("services?")).filter((one: string) => one === slug),
    );
    expect((await read("/marketplace/filters?verified=domain")).total).toBe(1);
    await api.db.update(agentIdentity).set({ lostAt: new Date() }).where(eq(agentIdentity.agentId, agentId));
    expect(await found("erc8004")).toEqual(none);
    // A service that is published while the agent is verified is found as well.
    const at = `/agents/${slug}/services`;
    for (const action of ["pause", "publish"]) {
      expectStatus(200, await api.request("POST", `${at}/a-service/${action}`, { token: owner.token }));
    }
    expect(await found("domain")).toEqual(all);
    expectStatus(200, await ask("DELETE"));
    expect(await found("domain")).toEqual(none);
  });

  test.each(["", "wallet", "domain,", "domain,erc8004,domain"])("refuses %j", async (kinds) => {
    expect((await api.request("GET", `/marketplace/agents?verified=${kinds}`)).status).toBe(400);
    expect((await api.request("GET", `/marketplace/services?verified=${kinds}`)).status).toBe(400);
  });
});

test("shows the age of the payout wallet with the agent", async () => {
  const found = { firstBlock: 7n, firstAt: new Date("2025-03-01T00:00:00Z") };
  await api.db.insert(walletAge).values({ chainId: 31_337, address: owner.account.address, ...found });
  expect((await read(`/agents/${slug}`)).verified.wallet).toEqual({
    address: owner.account.address,
    chain_id: 31_337,
    first_block: 7,
    active_since: "2025-03-01T00:00:00.000Z",
  });
});
