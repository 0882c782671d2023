import { asc, eq } from "drizzle-orm";
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hashTypedData,
  type LocalAccount,
  serializeErc6492Signature,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { relay } from "../../db/schema.ts";
import {
  createAndExecuteCall,
  encodeAssertion,
  passkeyMessageHash,
  withDeployment,
} from "../../protocol/settlement/passkey.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { type Answer, expectStatus, signIn } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import type { Signing } from "../harness/flows/wallets.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  reach,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { type Authenticator, createAuthenticator, passkeyWallet } from "../harness/passkey.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let chain: TestChain;
let stack: SharedStack;
let market: Market;
beforeAll(async () => {
  stack = await joinStack();
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
});
afterAll(() => stack?.close());

const had = 10_000_000_000n;
const price = 2_500_000n;

/** A person with a passkey and tokens, without any other wallet and without native coin. */
async function newPerson(authenticator: Authenticator = createAuthenticator(stack.baseUrl)) {
  const wallet = passkeyWallet(chain, authenticator);
  await chain.fund(wallet);
  await chain.node.setBalance({ address: wallet.address, value: 0n });
  const session = await signIn(market.api, wallet as unknown as LocalAccount, chain.chain.chain_id);
  return { authenticator, wallet, token: session.token };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const ask = async (token: string, method: string, path: string, body?: unknown, status = 200) =>
  expectStatus(
    status,
    await market.api.request(method, path, { token, ...(body === undefined ? {} : { body }) }),
  );

const place = ({ token }: Person): Promise<Answer["body"]> =>
  ask(token, "POST", "/orders", { service_id: market.serviceId, settlement_rail: "x402" }, 201);

/** The market as this buyer sees it. */
const seenBy = ({ token }: Person): Market => ({ ...market, buyerKey: token });

async function pay(
  person: Person,
  order: Answer["body"],
  signing: Signing = person.wallet,
): Promise<Response> {
  return stockFetch(market, signing)(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${person.token}` },
  });
}

async function signAct({ wallet, token }: Person, path: string): Promise<void> {
  const { typed_data } = await ask(token, "GET", path);
  const signature = await wallet.signTypedData(typed_data);
  await ask(token, "POST", path, { signature, deadline: typed_data.message.deadline }, 202);
}

test("a person with a passkey alone signs in, buys without gas, is refunded once, and moves the money out", async () => {
  const person = await newPerson();
  const { wallet, token } = person;
  const isDeployed = async () => Boolean(await chain.publicClient.getCode({ address: wallet.address }));
  expect(await isDeployed()).toBe(false);

  // The first payment deploys the account, at the relayer's gas.
  const first = await place(person);
  expect((await pay(person, first)).status).toBe(202);
  await reach(seenBy(person), first, "funded");
  expect(await isDeployed()).toBe(true);
  await ask(market.provider.token, "POST", `/orders/${first.id}/start`);
  await ask(market.provider.token, "POST", `/orders/${first.id}/deliver`, { output_payload: {} });
  await signAct(person, `/orders/${first.id}/release`);
  await reach(seenBy(person), first, "released");

  // The second is refunded to the account.
  const second = await place(person);
  expect((await pay(person, second)).status).toBe(202);
  await reach(seenBy(person), second, "funded");
  expect(await balanceOf(market, wallet.address)).toBe(had - 2n * price);
  const refund = `/orders/${second.id}/refund`;
  const { typed_data } = await ask(market.provider.token, "GET", refund);
  const signature = await market.provider.account.signTypedData(typed_data);
  const body = { signature, deadline: typed_data.message.deadline };
  await ask(market.provider.token, "POST", refund, body, 202);
  await reach(seenBy(person), second, "refunded");
  expect(await balanceOf(market, wallet.address)).toBe(had - price);

  // All that is left moves to an address of the person's choice.
  const receiver = newAccount().address;
  const { items } = await ask(token, "GET", "/auth/me/wallets");
  expect(items).toMatchObject([{ address: wallet.address, chain_id: chain.chain.chain_id }]);
  await nameKey(person);
  const path = `/auth/me/wallets/${items[0].id}/transfer`;
  const shown = await ask(token, "GET", `${path}?to=${receiver}&amount=9997.5`);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [receiver, had - price] });
  const calls = [{ to: chain.chain.token.address as Address, value: 0n, data }];
  const [nonce, deadline] = [BigInt(shown.nonce), BigInt(shown.deadline)];
  const signed = wallet.signCalls({ calls, nonce, deadline });
  const moved = {
    to: receiver,
    amount: "9997.5",
    nonce: shown.nonce,
    deadline: shown.deadline,
    signature: signed,
  };
  await ask(token, "POST", path, moved, 202);
  await expect.poll(() => balanceOf(market, receiver)).toBe(had - price);
  expect(await balanceOf(market, wallet.address)).toBe(0n);
  expect(await chain.publicClient.getBalance({ address: wallet.address })).toBe(0n);

  // The chain refuses the signature a second time.
  await chain.fund(wallet);
  const call = createAndExecuteCall(wallet.factory, wallet.key, { calls, deadline, signature: signed });
  await expect(chain.publicClient.estimateGas({ ...call, account: receiver })).rejects.toThrow();
});

/** Names the public key at another sign-in, as a browser does at the first. */
async function nameKey({ wallet }: Person): Promise<void> {
  const challenge = await market.api.request("POST", "/auth/nonce", {
    body: { address: wallet.address, chain_id: chain.chain.chain_id },
  });
  const { message, nonce } = challenge.body;
  const signature = await wallet.signMessage({ message });
  const passkey = wallet.key;
  const answer = await market.api.request("POST", "/auth/signin", {
    body: { message, nonce, signature, passkey },
  });
  expectStatus(200, answer);
}

test("a person disputes an order by the passkey, also with the deployment along", async () => {
  const person = await newPerson();
  const order = await place(person);
  expect((await pay(person, order)).status).toBe(202);
  await reach(seenBy(person), order, "funded");
  const path = `/orders/${order.id}/dispute`;
  const reason = `0x${"5a".repeat(32)}` as Hex;
  const { typed_data } = await ask(person.token, "GET", `${path}?reason_hash=${reason}`);
  const signature = withDeployment(
    person.wallet.factory,
    person.wallet.key,
    await person.wallet.signTypedData(typed_data),
  );
  const body = { signature, deadline: typed_data.message.deadline, reason_hash: reason };
  await ask(person.token, "POST", path, body, 202);
  await reach(seenBy(person), order, "disputed");
});

test("a payment by another passkey, with a deployment that does more, or of another key's account is refused", async () => {
  const person = await newPerson();
  const order = await place(person);
  const { wallet } = person;
  const thief = passkeyWallet(chain, createAuthenticator(stack.baseUrl), { owner: wallet.key });
  const executing = createAndExecuteCall(wallet.factory, wallet.key, {
    calls: [],
    deadline: 2n ** 64n,
    signature: "0x",
  });
  const greedy: Signing = {
    address: wallet.address,
    signTypedData: async (data) => {
      const challenge = passkeyMessageHash(wallet.named, hashTypedData(data as never));
      const signature = encodeAssertion(person.authenticator.assert(challenge));
      return serializeErc6492Signature({ address: wallet.factory, data: executing.data, signature });
    },
  };
  const foreign = { ...passkeyWallet(chain, createAuthenticator(stack.baseUrl)), address: wallet.address };
  for (const [signing, reason] of [
    [thief, "invalid_exact_evm_transaction_simulation_failed"],
    [greedy, "eip6492_factory_not_allowed"],
    [foreign, "invalid_exact_evm_transaction_simulation_failed"],
  ] as const) {
    const answer = await pay(person, order, signing);
    const { error } = (await answer.json()) as Answer["body"];
    expect([answer.status, error?.details?.[0]?.keyword]).toEqual([402, reason]);
  }
  expect(await stack.db.$count(relay, eq(relay.orderId, order.id))).toBe(0);
  expect(await balanceOf(market, wallet.address)).toBe(had);
});

test("the relays of passkey accounts stay within their bounds, with the deployment first", async () => {
  const person = await newPerson();
  const order = await place(person);
  expect((await pay(person, order)).status).toBe(202);
  await reach(seenBy(person), order, "funded");
  const sent = await stack.db.select().from(relay).where(eq(relay.orderId, order.id)).orderBy(asc(relay.key));
  expect(sent.map(({ to }) => to)).toEqual([
    person.wallet.factory.toLowerCase(),
    chain.chain.escrow_contract.toLowerCase(),
  ]);
  for (const { transactionHash, gasBound } of sent) {
    const { gasUsed } = await chain.publicClient.getTransactionReceipt({ hash: transactionHash as Hex });
    expect(gasUsed).toBeLessThan(BigInt(gasBound));
  }
  expect(sent.map(({ gasBound }) => gasBound)).toEqual([gasBounds.deployment, gasBounds.payment]);
});
