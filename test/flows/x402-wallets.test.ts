import { asc, eq } from "drizzle-orm";
import { type Address, getAddress, type LocalAccount, parseAbi, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { wallet as known, order as placed, relay } from "../../db/schema.ts";
import type { Answer } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import { deployCode, lengthWalletCode } from "../harness/contract-wallet.ts";
import { walletFactory as factory } from "../harness/flows/wallet-factory.ts";
import {
  delegationTo,
  deployCostlyWallet,
  deployDelegate,
  deployFactory,
  deployVault,
  deployWallet,
  type Form,
  foreseeWallet,
  type Signing,
  signAs,
} from "../harness/flows/wallets.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  reachPayment,
  readBuyUrl,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

let chain: TestChain;
let stack: SharedStack;
let market: Market;
testOnStack.beforeAll(async ({ stack: shared }) => {
  stack = shared;
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
});

const amount = 2_500_000n;
const had = 10_000_000_000n;
const forms: [what: string, form: Form][] = [
  ["of its own form", "named"],
  ["of 65 bytes", "plain"],
];

test.each(forms)("a deployed contract wallet pays by a signature %s", async (_, form) => {
  const owner = newAccount();
  const wallet = await deployWallet(chain, owner.address);
  const order = await placeOrder(market);
  await expectPaid(order, signAs(wallet, owner, form));
});

test("a deployed contract wallet that accepts an empty signature pays by it", async () => {
  const address = await deployCode(chain, lengthWalletCode(0));
  const order = await placeOrder(market);
  await expectPaid(order, { address, signTypedData: async () => "0x" });
});

test.each(forms)("an undeployed wallet is deployed and pays by a signature %s", async (_, form) => {
  const wallet = foreseeWallet(factory, newAccount(), form);
  const order = await placeOrder(market);
  await expectPaid(order, wallet.signing);
  expect(await chain.publicClient.getCode({ address: wallet.address })).toBeDefined();
  // The event confirms the payment, which the relayer may learn of later.
  await expect
    .poll(async () => (await relaysOf(order))[0])
    .toMatchObject({ to: factory.toLowerCase(), data: wallet.deployment.data, status: "mined" });
});

test("an undeployed wallet buys without an account: the order is the contract's, on this chain only", async () => {
  const foreseen = foreseeWallet(factory, newAccount(), "named");
  await chain.fund(foreseen);
  const bought = await stockFetch(market, foreseen.signing)(await readBuyUrl(market), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: foreseen.address }),
  });
  const { order } = (await bought.json()) as Answer["body"];
  expect(bought.status).toBe(202);
  const [made] = await stack.db.select().from(known).where(eq(known.address, foreseen.address));
  expect(made).toMatchObject({ chainId: chain.chain.chain_id, provedBy: "contract", isPrimary: true });
  const status = async () => (await stack.db.select().from(placed).where(eq(placed.id, order.id)))[0]?.status;
  await expect.poll(status, { interval: 50 }).toBe("funded");
});

test.each(forms)(
  "a deployed wallet that sends its deployment along pays by a signature %s",
  async (_, form) => {
    const wallet = foreseeWallet(factory, newAccount(), form);
    await send(wallet.deployment);
    const order = await placeOrder(market);
    await expectPaid(order, wallet.signing);
    const sent = await relaysOf(order);
    expect(sent.map(({ to }) => to)).not.toContain(factory.toLowerCase());
  },
);

test("a wallet of a factory that is not allowed is refused, and stays undeployed", async () => {
  const wallet = foreseeWallet(await deployFactory(chain), newAccount(), "named");
  const order = await placeOrder(market);
  await expectRefused(order, wallet.signing, "eip6492_factory_not_allowed");
  expect(await chain.publicClient.getCode({ address: wallet.address })).toBeUndefined();
});

test("another key's signature is refused, for a deployed and an undeployed wallet", async () => {
  const [owner, thief] = [newAccount(), newAccount()];
  const wallet = await deployWallet(chain, owner.address);
  const order = await placeOrder(market);
  await expectRefused(order, signAs(wallet, thief, "plain"), "invalid_exact_evm_signature");
  const foreseen = foreseeWallet(factory, owner, "plain");
  const stolen = { ...foreseeWallet(factory, thief, "plain").signing, address: foreseen.address };
  await expectRefused(order, stolen, "invalid_exact_evm_transaction_simulation_failed");
});

test("a key's account that delegates to a contract which signs for it (EIP-7702) pays", async () => {
  const payer = newAccount();
  await delegate(payer, await deployDelegate(chain));
  const order = await placeOrder(market);
  await expectPaid(order, payer);
});

test("a key's account that delegates to a contract which signs nothing is refused", async () => {
  const payer = newAccount();
  await delegate(payer, await deployVault(chain));
  const order = await placeOrder(market);
  await expectRefused(order, payer, "invalid_exact_evm_signature");
});

test("a contract that signs nothing is refused", async () => {
  const owner = newAccount();
  const order = await placeOrder(market);
  await expectRefused(order, signAs(await deployVault(chain), owner, "named"), "invalid_exact_evm_signature");
});

test("a wallet with too little money is refused with the reason", async () => {
  const owner = newAccount();
  const order = await placeOrder(market);
  const poor = signAs(await deployWallet(chain, owner.address), owner, "plain");
  await expectRefused(order, poor, "invalid_exact_evm_insufficient_balance", { funded: false });
});

test("a deployment that takes a lot of gas is refused, and one just under the bound is not", async () => {
  const order = await placeOrder(market);
  // The gas is above the service's bound, and within the node's bound for a call.
  const greedy = foreseeWallet(factory, newAccount(), "named", { gas: 1_300_000n });
  await expectRefused(order, greedy.signing, "wallet_gas_too_high");
  expect(await chain.publicClient.getCode({ address: greedy.address })).toBeUndefined();
  const endless = foreseeWallet(factory, newAccount(), "named", { gas: 10n ** 12n });
  await expectRefused(order, endless.signing, "invalid_exact_evm_transaction_simulation_failed");
  const modest = foreseeWallet(factory, newAccount(), "named", { gas: 500_000n });
  await expectPaid(order, modest.signing);
});

test("a wallet whose signature takes a lot of gas to check is refused, and one just under the bound is not", async () => {
  const owner = newAccount();
  const order = await placeOrder(market);
  const greedy = await deployCostlyWallet(chain, owner.address, 1_500_000n);
  await expectRefused(order, signAs(greedy, owner, "named"), "wallet_gas_too_high");
  const endless = await deployCostlyWallet(chain, owner.address, 10n ** 12n);
  await expectRefused(order, signAs(endless, owner, "named"), "invalid_exact_evm_signature");
  const modest = await deployCostlyWallet(chain, owner.address, 300_000n);
  await expectPaid(order, signAs(modest, owner, "named"));
});

/** Pays as a stock client with this wallet does. */
function pay(order: Answer["body"], signing: Signing): Promise<Response> {
  return stockFetch(market, signing)(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
}

async function expectPaid(order: Answer["body"], signing: Signing): Promise<void> {
  await chain.fund(signing);
  const answer = await pay(order, signing);
  expect(await answer.json()).toMatchObject({ payment: { payer: getAddress(signing.address) } });
  expect(answer.status).toBe(202);
  await reach(market, order, "funded");
  expect(await reachPayment(market, order, "confirmed")).toMatchObject({ error: null });
  expect(await balanceOf(market, signing.address)).toBe(had - amount);
  expect(await balanceOf(market, getAddress(order.escrow.deposit_address))).toBe(0n);
}

async function expectRefused(
  order: Answer["body"],
  signing: Signing,
  reason: string,
  { funded = true } = {},
): Promise<void> {
  if (funded) await chain.fund(signing);
  let nonce: unknown;
  const watched: Signing = {
    address: signing.address,
    signTypedData: (data) => {
      nonce = (data.message as { nonce: unknown }).nonce;
      return signing.signTypedData(data as never);
    },
  };
  const answer = await pay(order, watched);
  expect(answer.status).toBe(402);
  const { error } = (await answer.json()) as Answer["body"];
  expect(error).toMatchObject({ code: "payment_required", details: [{ keyword: reason }] });
  // The payment was not used, and nothing was sent.
  expect(
    await chain.publicClient.readContract({
      address: chain.chain.token.address,
      abi: parseAbi(["function authorizationState(address, bytes32) view returns (bool)"]),
      functionName: "authorizationState",
      args: [signing.address, nonce as `0x${string}`],
    }),
  ).toBe(false);
  expect(await relaysOf(order)).toEqual([]);
  if (funded) expect(await balanceOf(market, signing.address)).toBe(had);
}

function relaysOf(order: Answer["body"]) {
  return stack.db.select().from(relay).where(eq(relay.orderId, order.id)).orderBy(asc(relay.key));
}

async function send(call: { to: Address; data: `0x${string}` }): Promise<void> {
  const hash = await (await chain.newWallet()).sendTransaction(call);
  expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}

/** Makes a key's account delegate, by its own transaction of type 4. */
async function delegate(payer: LocalAccount, contractAddress: Address): Promise<void> {
  await chain.fund(payer);
  const wallet = chain.wallet(payer);
  const authorization = await wallet.signAuthorization({ account: payer, contractAddress, executor: "self" });
  const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: zeroAddress });
  await chain.publicClient.waitForTransactionReceipt({ hash });
  const code = await chain.publicClient.getCode({ address: payer.address });
  expect(code).toBe(delegationTo(contractAddress).toLowerCase());
}
