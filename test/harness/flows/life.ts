import { type Address, erc20Abi, type Hex, type LocalAccount, parseUnits } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { encodeEntry, receiptEntry } from "../../../protocol/tlog/entry.ts";
import { verifyProof } from "../../../protocol/tlog/proof.ts";
import { confirmOnChain, issuerOf, verifyReceipt, verifyX402Receipt } from "../../../receipts/index.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  type RequestOptions,
  requesterOf,
  signIn,
} from "../api.ts";
import type { SharedStack } from "../stack.ts";
import { readEscrowChange } from "./escrowed.ts";

const inputSchema = {
  type: "object",
  properties: { question: { type: "string" } },
  required: ["question"],
  additionalProperties: false,
};
const outputSchema = {
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
};

/**
 * Takes an order through its life on real parts, and expects at each step what API, chain and receipts say of it.
 *
 * @param price of the service, a decimal string with all of the token's decimals
 */
export async function settleOneOrder(stack: SharedStack, price: string): Promise<void> {
  const { chain, publicClient } = stack.chain;
  const amount = parseUnits(price, chain.token.decimals);
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [newAccount(), newAccount()];
  await stack.chain.fund(buyer);
  const balanceOf = (account: Address) =>
    publicClient.readContract({
      address: chain.token.address,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [account],
    });
  const buyerHad = await balanceOf(buyer.address);

  const buyerSession = await signIn(api, buyer, chain.chain_id);
  const providerSession = await signIn(api, provider, chain.chain_id);
  const buyerKey = await createKey(api, buyerSession, ["orders:read", "orders:write"]);
  const providerKey = await createKey(api, providerSession, ["orders:read", "orders:write"]);
  const ask = async (apiKey: string, method: string, path: string, body?: unknown, status = 200) =>
    expectStatus(status, await api.request(method, path, { apiKey, body } as RequestOptions));

  const { agent, service } = await publishService(api, providerSession, {
    price,
    input_schema: inputSchema,
    output_schema: outputSchema,
  });
  expect(service).toMatchObject({ price, price_currency: chain.token.symbol, status: "published" });
  const listed = expectStatus(200, await api.request("GET", `/marketplace/services?agent=${agent.slug}`));
  expect(listed).toMatchObject({ total: 1, items: [{ id: service.id, completed_order_count: 0 }] });

  // Placed: no money has moved.
  const input = { question: "What is six times seven?" };
  const order = await ask(buyerKey, "POST", "/orders", { service_id: service.id, input_payload: input }, 201);
  const path = `/orders/${order.id}`;
  expect(order).toMatchObject({ status: "created", total_amount: price, currency: chain.token.symbol });
  expect(order.escrow).toMatchObject({ chain_id: chain.chain_id, status: "none" });
  expect(await balanceOf(buyer.address)).toBe(buyerHad);

  // Funded: by exactly the calls of the instructions, and known from the chain only.
  const instructions = await ask(buyerKey, "GET", `${path}/payment-instructions`);
  expect(instructions).toMatchObject({
    settlement_rail: "escrow",
    chain_id: chain.chain_id,
    escrow_contract: chain.escrow_contract,
    token_address: chain.token.address,
    token_symbol: chain.token.symbol,
    token_decimals: chain.token.decimals,
    amount: price,
    amount_base_units: amount.toString(),
    provider_address: provider.address,
  });
  const agreement = await ask(buyerKey, "GET", `${path}/agreement`);
  expect(instructions.terms.orderHash).toBe(digestOf(agreement));
  let funding: Hex = "0x";
  for (const call of instructions.calls) funding = await send(buyer, call);
  await reach(buyerKey, "funded");
  expect(await balanceOf(buyer.address)).toBe(buyerHad - amount);
  expect(await readEscrowChange(stack.chain, funding)).toBe(amount);

  // Started, and delivered only once the output satisfies the schema.
  await ask(providerKey, "POST", `${path}/start`);
  await reach(providerKey, "started");
  const wrong = await api.request("POST", `${path}/deliver`, {
    apiKey: providerKey,
    body: { output_payload: { answer: "42" } },
  });
  expect(wrong).toMatchObject({ status: 422, body: { error: { code: "output_schema_violation" } } });
  await reach(providerKey, "started");
  const output = { answer: 42 };
  await ask(providerKey, "POST", `${path}/deliver`, { output_payload: output });
  const delivered = await reach(buyerKey, "delivered");
  expect(delivered.output_payload).toEqual(output);
  expect(delivered.auto_release_at).toBeNull();
  expect(Date.parse(delivered.acceptance_ends_at)).toBeGreaterThan(Date.parse(delivered.delivered_at));

  // Recorded on the chain: signed by the provider, sent by the relayer.
  const { typed_data } = await ask(providerKey, "GET", `${path}/delivery-record`);
  expect(typed_data.message.outputHash).toBe(digestOf(output));
  const signature = await provider.signTypedData(typed_data);
  const { relay } = await ask(providerKey, "POST", `${path}/delivery-record`, { signature }, 202);
  expect(relay.id).toMatch(/^rly_/);
  const record = await findEntry("delivery.recorded");
  expect(record.data.output_hash).toBe(digestOf(output));
  expect((await ask(buyerKey, "GET", path)).auto_release_at).toBe(record.data.auto_release_at);

  // Released: by the buyer's own transaction.
  const { your_roles, onchain_status, actions } = await ask(buyerKey, "GET", `${path}/settlement-options`);
  expect({ your_roles, onchain_status }).toEqual({ your_roles: ["buyer"], onchain_status: "funded" });
  const release = actions.find((action: { action: string }) => action.action === "release");
  expect(release).toMatchObject({ available: true, reason: null });
  const releasing = await send(buyer, release.call);
  const settled = await reach(buyerKey, "released");
  expect(settled.escrow.status).toBe("released");
  expect(settled.completed_at).not.toBeNull();
  expect(await readEscrowChange(stack.chain, releasing)).toBe(-amount);
  expect(await balanceOf(provider.address)).toBe(amount);

  const trail = (await ask(providerKey, "GET", `${path}/events`)).items;
  expect(
    trail.map((entry: Answer["body"]) => [entry.type, entry.actor, entry.confirmed, entry.transaction?.hash]),
  ).toEqual([
    ["order.created", "buyer", true, undefined],
    ["order.funded", "chain", true, funding],
    ["order.started", "provider", true, undefined],
    ["order.delivered", "provider", true, undefined],
    ["delivery.recorded", "chain", true, record.transaction.hash],
    ["order.released", "chain", true, releasing],
  ]);

  // Receipts: one for each claim, valid under the published keys and on the chain.
  const issuer = issuerOf(stack.baseUrl);
  const receipts = (await ask(buyerKey, "GET", `${path}/receipts`)).items;
  expect(receipts.map((receipt: { claim: string }) => receipt.claim)).toEqual(["funded", "released"]);
  for (const receipt of receipts) {
    const verified = await verifyReceipt(receipt.document, { issuer });
    expect(verified).toMatchObject({ valid: true, claim: receipt.claim });
    if (!verified.valid) continue;
    expect(verified.document).toMatchObject({
      order_id: order.id,
      agreement_hash: digestOf(agreement),
      chain: `eip155:${chain.chain_id}`,
      amount: amount.toString(),
      transaction: receipt.claim === "funded" ? funding : releasing,
    });
    expect(await confirmOnChain(verified, publicClient)).toMatchObject({ agrees: true });
  }
  // The log has the receipts within seconds, under the public checkpoint.
  const vkey = (await (await fetch(`${stack.baseUrl}/log/vkey`)).text()).trim();
  for (const receipt of receipts) {
    const proof = await findProof(receipt.id);
    const entry = encodeEntry(receiptEntry(receipt.id, receipt.document, receipt.x402_receipt));
    expect(verifyProof(proof, entry, { vkey })).toMatchObject({ valid: true });
  }
  const final = await ask(buyerKey, "GET", `${path}/receipt`);
  expect(final).toEqual(receipts[1].document);
  const jws = await ask(buyerKey, "GET", `${path}/receipt/x402`);
  const paid = await verifyX402Receipt(jws, { issuer, transaction: releasing });
  expect(paid).toMatchObject({ valid: true, receipt: { resourceUrl: `${stack.baseUrl}/api/v1${path}` } });

  // The marketplace counts the order.
  const readCount = async () =>
    expectStatus(200, await api.request("GET", `/marketplace/services?agent=${agent.slug}`)).items[0]
      .completed_order_count;
  await expect.poll(readCount).toBe(1);
  expect(expectStatus(200, await api.request("GET", `/agents/${agent.slug}`)).completed_orders).toBe(1);

  async function send(account: LocalAccount, call: { to: Address; data: Hex; value: string }): Promise<Hex> {
    const hash = await stack.chain
      .wallet(account)
      .sendTransaction({ to: call.to, data: call.data, value: BigInt(call.value) });
    const receipt = await publicClient.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe("success");
    return hash;
  }

  async function reach(apiKey: string, status: string) {
    let now: Answer["body"];
    await expect
      .poll(
        async () => {
          now = await ask(apiKey, "GET", path);
          return now.status;
        },
        { interval: 50 },
      )
      .toBe(status);
    return now;
  }

  async function findProof(receiptId: string): Promise<string> {
    let answer: Answer | undefined;
    await expect
      .poll(
        async () => {
          answer = await api.request("GET", `/log/proofs/${receiptId}`);
          return answer.status;
        },
        { interval: 50 },
      )
      .toBe(200);
    return answer?.body;
  }

  async function findEntry(type: string) {
    let entry: Answer["body"];
    await expect
      .poll(
        async () => {
          const { items } = await ask(providerKey, "GET", `${path}/events`);
          entry = items.find((one: Answer["body"]) => one.type === type && one.confirmed);
          return entry?.type;
        },
        { interval: 50 },
      )
      .toBe(type);
    return entry;
  }
}

function newAccount(): LocalAccount {
  return privateKeyToAccount(generatePrivateKey());
}
