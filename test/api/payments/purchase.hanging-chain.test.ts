import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { describeTwoChains, firstChain, secondChain as hanging } from "../../harness/second-chain.ts";

// Two chains. The node of the second accepts connections, and answers nothing while it hangs.
/** Milliseconds in which a silent node may delay the first answer, and the answers after that. */
const [first, later] = [4000, 1500];
let isHanging = true;
let connections = 0;
/** The questions for the newest block that the node got. */
let headsAsked = 0;
let node: Server;
const open = new Set<Socket>();
let chains: Awaited<ReturnType<typeof describeTwoChains>>;
let api: TestApi;
let provider: Session;
let token: string;
beforeAll(async () => {
  let onwardTo = new URL("http://127.0.0.1:9");
  node = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    socket.on("data", (data) => {
      headsAsked += data.toString().split("eth_blockNumber").length - 1;
    });
    if (isHanging) return;
    const onward = createConnection({ host: onwardTo.hostname, port: Number(onwardTo.port) });
    onward.on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await once(node.listen(0, "127.0.0.1"), "listening");
  chains = await describeTwoChains(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
  ({ token } = chains);
  onwardTo = new URL(String(chains.env[`RPC_URL_${firstChain}`]));
  api = await createTestApi({ env: chains.env });
  provider = await signIn(api);
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  node?.close();
  await api?.close();
  chains?.remove();
});

/** Publishes a service that accepts the token on these chains, and returns the path that buys it. */
async function publishFor(...accepted: number[]): Promise<string> {
  const accepts = accepted.map((chain_id) => ({ chain_id, token }));
  const { agent, service } = await publishService(api, provider, { accepts });
  return `/buy/${agent.slug}/${service.slug}`;
}

const body = { buyer_address: "0x976EA74026E726554dB657fA54763abd0C3a0aa9" };

async function measure<Answer>(work: () => Promise<Answer>): Promise<[Answer, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

test("a chain whose node hangs delays no purchase, is left out with a reason, and returns", async () => {
  const path = await publishFor(hanging, firstChain);
  const buy = (sent: object = body) => measure(() => api.request("POST", path, { body: sent }));
  const leftOut = [{ chain_id: hanging, token, message: "The chain cannot be reached. Try again." }];

  const [asked, waited] = await buy();
  const terms = expectStatus(402, asked);
  expect(terms.left_out).toEqual(leftOut);
  expect(new Set(terms.accepts.map(({ network }: { network: string }) => network))).toEqual(
    new Set([`eip155:${firstChain}`]),
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

  const [only, refused] = await measure(async () => api.request("POST", await publishFor(hanging), { body }));
  expect(expectStatus(503, only).error.code).toBe("dependency_unavailable");
  expect(refused).toBeLessThan(first);

  const [listed, shown] = await measure(() => api.request("GET", "/chains"));
  const listedChains: { chain_id: number; rpc_reachable: boolean; tokens: { methods: unknown }[] }[] =
    expectStatus(200, listed).items;
  expect(shown).toBeLessThan(later);
  expect(listedChains.map(({ chain_id, rpc_reachable }) => [chain_id, rpc_reachable])).toEqual([
    [firstChain, true],
    [hanging, false],
  ]);
  expect(listedChains[1]?.tokens[0]?.methods).toBeNull();

  isHanging = false;
  for (const socket of open) socket.destroy();
  await expect
    .poll(async () => expectStatus(402, (await buy())[0]).left_out ?? "none", { interval: 500 })
    .toBe("none");
  const { accepts } = expectStatus(402, (await buy())[0]);
  expect(accepts[0].network).toBe(`eip155:${hanging}`);
});

test("equal questions about the chains share one call to each node", async () => {
  isHanging = false;
  await expect
    .poll(async () => expectStatus(200, await api.request("GET", "/chains")).items[1].rpc_reachable)
    .toBe(true);
  const before = headsAsked;
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.request("GET", "/chains")));
  for (const answer of answers) expectStatus(200, answer);
  // The head is read again after a second.
  const seconds = Math.ceil((performance.now() - startedAt) / 1000);
  expect(headsAsked - before).toBeLessThanOrEqual(1 + seconds);
});
