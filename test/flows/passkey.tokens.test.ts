import { type Address, encodeFunctionData, erc20Abi, type Hex, type LocalAccount } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAndExecuteCall } from "../../protocol/settlement/passkey.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { type Answer, expectStatus, signIn } from "../harness/api.ts";
import { openTokenMarket, type TokenMarket } from "../harness/flows/token-market.ts";
import { newAccount, reach } from "../harness/flows/x402-order.ts";
import { createAuthenticator, passkeyWallet } from "../harness/passkey.ts";

let shop: TokenMarket;
beforeAll(async () => {
  shop = await openTokenMarket();
});
afterAll(() => shop?.close());

const price = 2_500_000n;
const had = 100_000_000n;

/** A person with a passkey and a token like USDT, without any other wallet and without native coin. */
async function newPerson() {
  const { api, baseUrl } = shop.market;
  const { chain } = shop;
  const wallet = passkeyWallet(chain, createAuthenticator(baseUrl));
  const chainId = chain.chain.chain_id;
  const { token } = await signIn(api, wallet as unknown as LocalAccount, chainId);
  const asked = await api.request("POST", "/auth/nonce", {
    body: { address: wallet.address, chain_id: chainId },
  });
  const { message, nonce } = asked.body;
  const signature = await wallet.signMessage({ message });
  const body = { message, nonce, signature, passkey: wallet.key };
  expectStatus(200, await api.request("POST", "/auth/signin", { body }));
  await shop.tools.call(shop.deployed.USDT.address, "mint", [wallet.address, had]);
  return { wallet, token };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const ask = async (token: string, method: string, path: string, body?: unknown, status = 200) =>
  expectStatus(
    status,
    await shop.market.api.request(method, path, { token, ...(body === undefined ? {} : { body }) }),
  );

const place = ({ token }: Person, rail: "escrow" | "x402"): Promise<Answer["body"]> => {
  const body = { service_id: shop.services.exact, settlement_rail: rail, pay_with: shop.nameOf("USDT") };
  return ask(token, "POST", "/orders", { ...body, input_payload: {} }, 201);
};

/** Signs the payment that the instructions offer. */
async function sign({ wallet, token }: Person, order: Answer["body"]) {
  const { account_payment: shown } = await ask(token, "GET", `/orders/${order.id}/payment-instructions`);
  const { account, nonce, deadline } = shown;
  const calls = shown.calls.map(({ to, data }: { to: Address; data: Hex }) => ({ to, value: 0n, data }));
  const signature = wallet.signCalls({ calls, nonce: BigInt(nonce), deadline: BigInt(deadline) });
  return { calls, body: { signature, accountCalls: { account, nonce, deadline } } };
}

const seenBy = ({ token }: Person) => ({ ...shop.market, buyerKey: token });
const holds = (account: Address) => shop.holds("USDT", account);

test("a passkey account pays a token like USDT by one signature, and its money is released and moved out", async () => {
  const person = await newPerson();
  const { wallet, token } = person;
  const provider = shop.market.provider;
  const earned = await holds(provider.account.address);
  for (const rail of ["x402", "escrow"] as const) {
    const order = await place(person, rail);
    const { calls, body } = await sign(person, order);
    expect(calls.map(({ to }: { to: Address }) => to)).toEqual([
      shop.deployed.USDT.address,
      shop.chain.chain.escrow_contract,
    ]);
    const { payment } = await ask(token, "POST", `/orders/${order.id}/payment`, body, 202);
    expect(payment).toMatchObject({ method: "account_calls", payer: wallet.address });
    // A repeated request gets the same payment.
    const again = await ask(token, "POST", `/orders/${order.id}/payment`, body, 202);
    expect(again.payment.id).toBe(payment.id);
    await reach(seenBy(person), order, "funded");
    await expect
      .poll(async () => (await ask(token, "GET", `/orders/${order.id}/payment`)).payment)
      .toMatchObject({ status: "confirmed", error: null });
    const { payment: done } = await ask(token, "GET", `/orders/${order.id}/payment`);
    const { gasUsed } = await shop.chain.publicClient.getTransactionReceipt({ hash: done.transaction_hash });
    // The first payment deploys the account.
    expect(gasUsed).toBeLessThan(BigInt(gasBounds.accountPayment) / 2n);

    await ask(provider.token, "POST", `/orders/${order.id}/start`);
    await ask(provider.token, "POST", `/orders/${order.id}/deliver`, { output_payload: {} });
    const { typed_data } = await ask(token, "GET", `/orders/${order.id}/release`);
    const signature = await wallet.signTypedData(typed_data);
    const release = { signature, deadline: typed_data.message.deadline };
    await ask(token, "POST", `/orders/${order.id}/release`, release, 202);
    await reach(seenBy(person), order, "released");
  }
  expect((await holds(provider.account.address)) - earned).toBe(2n * price);

  const receiver = newAccount().address;
  const { items } = await ask(token, "GET", "/auth/me/wallets");
  const path = `/auth/me/wallets/${items[0].id}/transfer`;
  const query = `to=${receiver}&amount=95&token=${shop.deployed.USDT.address}`;
  const shown = await ask(token, "GET", `${path}?${query}`);
  expect(shown.nonce).toBe("2");
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [receiver, 95_000_000n] });
  const transfer = {
    calls: [{ to: shop.deployed.USDT.address, value: 0n, data }],
    nonce: BigInt(shown.nonce),
    deadline: BigInt(shown.deadline),
  };
  const moved = { to: receiver, amount: "95", token: shop.deployed.USDT.address };
  const signed = { nonce: shown.nonce, deadline: shown.deadline, signature: wallet.signCalls(transfer) };
  await ask(token, "POST", path, { ...moved, ...signed }, 202);
  await expect.poll(() => holds(receiver)).toBe(95_000_000n);
  expect(await holds(wallet.address)).toBe(0n);
});

test("an allowance that is left is set to zero first", async () => {
  const person = await newPerson();
  const { wallet } = person;
  const spender = shop.chain.chain.escrow_contract;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 5n] });
  const left = { calls: [{ to: shop.deployed.USDT.address, value: 0n, data }], deadline: 2n ** 40n };
  const signature = wallet.signCalls({ ...left, nonce: 0n });
  expect(await shop.send(createAndExecuteCall(wallet.factory, wallet.key, { ...left, signature }))).toBe(
    "success",
  );
  const order = await place(person, "escrow");
  const { calls, body } = await sign(person, order);
  expect(calls).toHaveLength(3);
  await ask(person.token, "POST", `/orders/${order.id}/payment`, body, 202);
  await reach(seenBy(person), order, "funded");
});

test("calls that another passkey signed, with a wrong nonce, or of another account pay nothing", async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const order = await place(person, "escrow");
  const path = `/orders/${order.id}/payment`;
  const { calls, body } = await sign(person, order);
  const { nonce, deadline, account } = body.accountCalls;
  const forged = other.wallet.signCalls({ calls, nonce: BigInt(nonce), deadline: BigInt(deadline) });
  const refusal = async (submitted: unknown) => {
    const { status, body: answer } = await shop.market.api.request("POST", path, {
      token: person.token,
      body: submitted as Record<string, unknown>,
    });
    return [status, answer.error.details?.[0]?.path ?? answer.error.code];
  };
  expect(await refusal({ ...body, signature: forged })).toEqual([400, "/signature"]);
  expect(await refusal({ ...body, accountCalls: { account, nonce: "7", deadline } })).toEqual([
    409,
    "conflict",
  ]);
  const elsewhere = { account: other.wallet.address, nonce, deadline };
  expect(await refusal({ ...body, accountCalls: elsewhere })).toEqual([400, "/accountCalls/account"]);
  expect(await refusal({ signature: body.signature, authorization: {} })).toEqual([400, expect.anything()]);
  expect(await holds(person.wallet.address)).toBe(had);

  // One nonce pays one order, and moves no other money: the second order waits for the first.
  const { wallet } = person;
  const { items } = await ask(person.token, "GET", "/auth/me/wallets");
  const moved = { to: newAccount().address, amount: "1", token: shop.deployed.USDT.address };
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [moved.to, 1_000_000n],
  });
  const transfer = { calls: [{ to: moved.token, value: 0n, data }], nonce: 0n, deadline: BigInt(deadline) };
  const signed = { nonce: "0", deadline, signature: wallet.signCalls(transfer) };
  await shop.chain.node.setAutomine(false);
  await ask(person.token, "POST", path, body, 202);
  const { error } = await ask(
    person.token,
    "POST",
    `/auth/me/wallets/${items[0].id}/transfer`,
    { ...moved, ...signed },
    409,
  );
  expect(error.message).toContain("payment");
  await shop.chain.node.setAutomine(true);
  await shop.chain.node.mine({ blocks: 1 });
  const second = await place(person, "escrow");
  await reach(seenBy(person), order, "funded");
  const next = await sign(person, second);
  expect(next.body.accountCalls.nonce).toBe("1");
  await ask(person.token, "POST", `/orders/${second.id}/payment`, next.body, 202);
  await reach(seenBy(person), second, "funded");
  expect(await holds(person.wallet.address)).toBe(had - 2n * price);
});
