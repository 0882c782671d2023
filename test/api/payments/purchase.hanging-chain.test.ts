import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";

// Two chains. The node of the second accepts connections, and answers nothing while it hangs.
const folder = mkdtempSync(join(tmpdir(), "earnest-chains-"));
const hanging = 424_242;
/** Milliseconds in which a silent node may delay the first answer, and the answers after that. */
const [first, later] = [4000, 1500];
let isHanging = true;
let connections = 0;
let node: Server;
const open = new Set<Socket>();
let api: TestApi;
let provider: Session;
let token: string;
beforeAll(async () => {
  const { deployments, rpcUrl } = await getFixture("baseChain");
  const real = new URL(rpcUrl);
  node = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    if (isHanging) return;
    const onward = createConnection({ host: real.hostname, port: Number(real.port) });
    onward.on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await once(node.listen(0, "127.0.0.1"), "listening");
  const manifest = JSON.parse(readFileSync(join(deployments, "31337.json"), "utf8"));
  token = manifest.token.address;
  for (const chain_id of [31_337, hanging])
    writeFileSync(join(folder, `${chain_id}.json`), JSON.stringify({ ...manifest, chain_id }));
  api = await createTestApi({
    env: {
      DEPLOYMENTS_DIR: folder,
      RPC_URL_31337: rpcUrl,
      [`RPC_URL_${hanging}`]: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    },
  });
  provider = await signIn(api);
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  node?.close();
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Publishes a service that accepts the token on these chains, and returns the path that buys it. */
async function publishFor(...chains: number[]): Promise<string> {
  const accepts = chains.map((chain_id) => ({ chain_id, token }));
  const { agent, service } = await publishService(api, provider, { accepts });
  return `/buy/${agent.slug}/${service.slug}`;
}

const body = { buyer_address: "0x976EA74026E726554dB657fA54763abd0C3a0aa9" };

async function measure<Answer>(work: () => Promise<Answer>): Promise<[Answer, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

test("a chain whose node hangs delays no purchase, is left out with a reason, and returns", async () => {
  const path = await publishFor(hanging, 31_337);
  const buy = (sent: object = body) => measure(() => api.request("POST", path, { body: sent }));
  const leftOut = [{ chain_id: hanging, token, message: "The chain cannot be reached. Try again." }];

  const [asked, waited] = await buy();
  const terms = expectStatus(402, asked);
  expect(terms.left_out).toEqual(leftOut);
  expect(new Set(terms.accepts.map(({ network }: { network: string }) => network))).toEqual(
    new Set(["eip155:31337"]),
  );
  expect(waited).toBeLessThan(first);

  const before = connections;
  for (const sent of [body, {}]) {
    const [again, soon] = await buy(sent);
    expect(expectStatus(402, again).left_out).toEqual(leftOut);
    expect(soon).toBeLessThan(later);
  }
  const many = await Promise.all(Array.from({ length: 10 }, () => buy()));
  for (const [answer, soon] of many) {
    expectStatus(402, answer);
    expect(soon).toBeLessThan(later);
  }
  // The node that was silent is not asked for each purchase.
  expect(connections - before).toBeLessThanOrEqual(3);

  const [only, refused] = await measure(async () =>
    api.request("POST", await publishFor(hanging), { body }),
  );
  expect(expectStatus(503, only).error.code).toBe("dependency_unavailable");
  expect(refused).toBeLessThan(first);

  const [listed, shown] = await measure(() => api.request("GET", "/chains"));
  const chains: { chain_id: number; rpc_reachable: boolean; tokens: { methods: unknown }[] }[] = expectStatus(
    200,
    listed,
  ).items;
  expect(shown).toBeLessThan(later);
  expect(chains.map(({ chain_id, rpc_reachable }) => [chain_id, rpc_reachable])).toEqual([
    [31_337, true],
    [hanging, false],
  ]);
  expect(chains[1]?.tokens[0]?.methods).toBeNull();

  isHanging = false;
  for (const socket of open) socket.destroy();
  await expect
    .poll(async () => expectStatus(402, (await buy())[0]).left_out ?? "none", { timeout: 30_000, interval: 500 })
    .toBe("none");
  const { accepts } = expectStatus(402, (await buy())[0]);
  expect(accepts[0].network).toBe(`eip155:${hanging}`);
});

test("equal questions about the chains share one call to each node", async () => {
  let calls = 0;
  const { client } = api.context.chain(31_337) ?? {};
  if (!client) throw new Error("The chain is not served.");
  const { getBlockNumber } = client;
  client.getBlockNumber = (...given) => {
    calls += 1;
    return getBlockNumber(...given);
  };
  try {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.request("GET", "/chains")));
    for (const answer of answers) expectStatus(200, answer);
    expect(calls).toBeLessThanOrEqual(2);
  } finally {
    client.getBlockNumber = getBlockNumber;
  }
});
