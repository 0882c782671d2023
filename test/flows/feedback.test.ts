import { encodeFunctionData } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reputationRegistryAbi } from "../../abis/registries.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { expectStatus, requesterOf, signIn } from "../harness/api.ts";
import { changeIdentities, registriesOf, sendCall } from "../harness/identities.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

// The stack is this file's own, because the test reorganises its chain.
let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ env: { NODE_ENV: "production" } });
});
afterAll(() => stack?.close());

test("an agent is registered and linked, its settled order brings it feedback on chain, and who buys it takes it along", async () => {
  const [buyer, provider] = [
    privateKeyToAccount(generatePrivateKey()),
    privateKeyToAccount(generatePrivateKey()),
  ];
  await stack.chain.fund(buyer);
  await stack.chain.fund(provider);
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const { baseUrl, chain } = stack;
  await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, feedback: true, print });
  const text = lines.join("\n");
  expect(text).toContain("the feedback is confirmed: the agent's number 1 from this buyer");

  const slug = /\((counter-\w+)\)/.exec(text)?.[1] ?? "";
  const api = requesterOf(baseUrl);
  const readAgent = async () => expectStatus(200, await api.request("GET", `/agents/${slug}`));
  const { erc8004 } = await readAgent();
  expect(text).toContain(erc8004.id);
  const registration = (await (await fetch(erc8004.agent_uri)).json()) as { registrations: unknown };
  expect(registration.registrations).toEqual([
    { agentId: Number(erc8004.agent_id), agentRegistry: `eip155:31337:${erc8004.registry}` },
  ]);

  const { token } = await signIn(api, buyer);
  const [order] = expectStatus(200, await api.request("GET", "/orders", { token })).items;
  const readFeedback = async () =>
    expectStatus(200, await api.request("GET", `/orders/${order.id}/portable-feedback`, { token })).feedback;
  const given = await readFeedback();
  expect(given).toMatchObject({ status: "confirmed", revoked: false });

  // A reorganisation removes the transaction; the wallet sends it again, without a request to the API.
  const head = await chain.publicClient.getBlockNumber();
  const depth = Number(head) - given.transaction.block_number + 1;
  await chain.node.request({ method: "anvil_reorg", params: [depth, []] } as never);
  await chain.node.mine({ blocks: 1 });
  const poll = (read: () => Promise<unknown>) => expect.poll(read, { interval: 100 });
  await poll(async () => (await readFeedback()).status).toBe("prepared");
  const again = await sendCall(chain, buyer, (await readFeedback()).call);
  await poll(async () => (await readFeedback()).status).toBe("confirmed");
  const standing = await readFeedback();
  expect(standing.transaction.hash).toBe(again);

  await sendCall(chain, buyer, {
    to: registriesOf(chain).reputation_registry,
    data: encodeFunctionData({
      abi: reputationRegistryAbi,
      functionName: "revokeFeedback",
      args: [BigInt(erc8004.agent_id), BigInt(standing.feedback_index)],
    }),
  });
  await poll(async () => (await readFeedback()).revoked).toBe(true);

  await changeIdentities(chain, provider, "transferFrom", [
    provider.address,
    buyer.address,
    erc8004.agent_id,
  ]);
  await poll(async () => (await readAgent()).erc8004).toBeNull();
  const state = expectStatus(200, await api.request("GET", `/agents/${slug}/erc8004`));
  expect(state).toMatchObject({ agent_id: erc8004.agent_id, lost_at: expect.any(String) });
});
