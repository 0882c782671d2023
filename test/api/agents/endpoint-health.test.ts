import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApi, expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { startProber } from "../../harness/jobs/probes.ts";
import { createAuthority, type Receiver, startReceiver } from "../../harness/outbound/receiver.ts";

let api: TestApi;
let provider: Session;
let receiver: Receiver;
let origin: string;
let status = 200;
let prober: ReturnType<typeof startProber>;

beforeAll(async () => {
  api = await createDocumentedApi();
  provider = await signIn(api);
  const authority = await createAuthority();
  receiver = await startReceiver(await authority.issue(["agents.example"]), (_, response) =>
    response.writeHead(status).end('{"up":true}'),
  );
  origin = `https://agents.example:${receiver.port}`;
  prober = startProber(api.db, { ca: authority.ca });
});
afterAll(async () => {
  await prober?.stop();
  await receiver?.close();
  await api?.close();
});

let agents = 0;

/** Creates a published agent of the provider. */
async function publish(api_endpoint: string) {
  const { token } = provider;
  const slug = `probed-${++agents}`;
  expectStatus(
    201,
    await api.request("POST", "/agents", { token, body: { slug, name: "Probed agent", api_endpoint } }),
  );
  const wallet = { address: provider.account.address };
  expectStatus(200, await api.request("PUT", `/agents/${slug}/payout-wallet`, { token, body: wallet }));
  return expectStatus(200, await api.request("POST", `/agents/${slug}/publish`, { token }));
}

const change = (slug: string, body: unknown) =>
  api.request("PATCH", `/agents/${slug}`, { token: provider.token, body });
const read = async (slug: string) => expectStatus(200, await api.request("GET", `/agents/${slug}`));
const untilChecked = (slug: string) =>
  until(async () => {
    const { endpoint_health: health } = await read(slug);
    return health.checked && health;
  }, `a probe of ${slug}`);

const unchecked = {
  checked: false,
  last_checked_at: null,
  last_ok_at: null,
  reachable: null,
  status_code: null,
  latency_ms: null,
  tls_valid: null,
  body_is_json: null,
  consecutive_failures: null,
  availability_7d: null,
  checks_7d: null,
};

test("a new agent is unchecked, and shows the result of its first probe", async () => {
  const agent = await publish(`${origin}/first`);
  expect(agent.endpoint_health).toEqual(unchecked);
  const health = await untilChecked(agent.slug);
  expect(health).toEqual({
    checked: true,
    last_checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    last_ok_at: health.last_checked_at,
    reachable: true,
    status_code: 200,
    latency_ms: expect.any(Number),
    tls_valid: true,
    body_is_json: true,
    consecutive_failures: 0,
    availability_7d: 1,
    checks_7d: 1,
  });
});

test("a failed probe is shown without a last time at which the endpoint was healthy", async () => {
  status = 500;
  const agent = await publish(`${origin}/failing`);
  expect(await untilChecked(agent.slug)).toMatchObject({
    last_ok_at: null,
    reachable: true,
    status_code: 500,
    consecutive_failures: 1,
    availability_7d: 0,
    checks_7d: 1,
  });
  status = 200;
});

test("a changed endpoint is unchecked again at once, and so is an agent that was paused", async () => {
  const { slug } = await publish(`${origin}/before`);
  await untilChecked(slug);
  const changed = expectStatus(200, await change(slug, { api_endpoint: `${origin}/after` }));
  expect(changed.endpoint_health).toEqual(unchecked);
  expect(await untilChecked(slug)).toMatchObject({ checks_7d: 1 });
  const paused = await api.request("POST", `/agents/${slug}/pause`, { token: provider.token });
  expect(expectStatus(200, paused).endpoint_health).toEqual(unchecked);
  expect(expectStatus(200, await change(slug, { api_endpoint: null })).endpoint_health).toBeNull();
});

test("a sixth host of an account is never probed", async () => {
  const others = [];
  for (let host = 0; host < 5; host++) others.push(await publish(`https://host-${host}.example/`));
  const checked = others.slice(0, 4);
  const [sixth] = others.slice(4);
  for (const { slug } of checked) await untilChecked(slug);
  expect((await read(sixth.slug)).endpoint_health).toEqual(unchecked);
});

test("the list of agents takes as many queries for twenty agents as for one, in the same order", async () => {
  for (let index = 0; index < 20; index++) await publish(`${origin}/listed/${index}`);
  await untilChecked(`probed-${agents}`);
  let queries = 0;
  const count = () => queries++;
  api.context.db.$client.on("acquire", count);
  const list = async (limit: number) => {
    queries = 0;
    const { items } = expectStatus(200, await api.request("GET", `/marketplace/agents?limit=${limit}`));
    return { items, queries };
  };
  const [one, twenty] = [await list(1), await list(20)];
  api.context.db.$client.off("acquire", count);
  expect(twenty.items).toHaveLength(20);
  expect(twenty.queries).toBe(one.queries);
  expect(twenty.items[0].endpoint_health).toMatchObject({ checked: true, status_code: 200 });
  const times = twenty.items.map(({ created_at }: { created_at: string }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
});

test.each([
  ["plain http", "http://agents.example/"],
  ["a private address", "https://192.168.0.1/"],
  ["a metadata address", "https://169.254.169.254/"],
  ["a name inside a network", "https://db.internal/"],
  ["a password", "https://me:secret@agents.example/"],
  ["a number in disguise", "https://2130706433/"],
  ["a port of another service", "https://agents.example:6379/"],
])("an endpoint with %s is refused", async (_, api_endpoint) => {
  const { token } = provider;
  const created = await api.request("POST", "/agents", {
    token,
    body: { slug: "refused", name: "Refused", api_endpoint },
  });
  const changed = await change("probed-1", { api_endpoint });
  for (const answer of [created, changed]) {
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: "invalid_request",
      details: [{ path: "/api_endpoint" }],
    });
  }
});

test("an endpoint at localhost is accepted only where the service itself runs at localhost", async () => {
  const { token } = provider;
  const body = { slug: "local", name: "Local", api_endpoint: "http://localhost:3000/" };
  expectStatus(201, await api.request("POST", "/agents", { token, body }));
  const elsewhere = await createTestApi({ env: { PUBLIC_URL: "https://earnest.example" } });
  try {
    const other = await signIn(elsewhere);
    const refused = await elsewhere.request("POST", "/agents", { token: other.token, body });
    expect(refused.status).toBe(400);
  } finally {
    await elsewhere.close();
  }
});

test("the change that publishes or moves an agent queues the probe task", async () => {
  const tasks = async () => {
    const { rows } = await api.db.execute<{ revision: number }>(sql`
      select revision from graphile_worker.jobs where key = ${`probe_targets ${provider.accountId}`}`);
    return rows.map(({ revision }) => revision);
  };
  const { slug } = await publish(`${origin}/tasks`);
  const [before = -1, ...others] = await tasks();
  expect(others).toEqual([]);
  expectStatus(200, await change(slug, { tagline: "Not this" }));
  expect(await tasks()).toEqual([before]);
  expectStatus(200, await change(slug, { api_endpoint: `${origin}/moved` }));
  expect(await tasks()).toEqual([before + 1]);
});
