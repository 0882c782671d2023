import { randomBytes, randomInt } from "node:crypto";
import { type Account, encodeFunctionData, erc20Abi, type Hex, maxUint256, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, test } from "vitest";
import { escrowAbi } from "../abis/escrow.ts";
import { encodeBatch } from "../jobs/relay/batches.ts";
import { type SignedMessages, typedDataOf } from "../settlement/signatures.ts";
import { depositAddressOf, escrowIdOf, type Terms } from "../settlement/terms.ts";
import { authorizationData, multicall3Address, receiveAuthorizationData } from "../settlement/x402.ts";
import { forkChain, type TestChain } from "../test/harness/chain.ts";
import { printTable } from "./figures.ts";
import { published } from "./published.ts";

const amount = 12_345_678n;
const buyer = privateKeyToAccount(generatePrivateKey());
const provider = privateKeyToAccount(generatePrivateKey());
const arbiter = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const hash = (): Hex => toHex(randomBytes(32));
/** Calls of one transaction, as the relayer has them at most. */
const together = 20;

let chain: TestChain;
let reader: TestChain["publicClient"];
beforeAll(async () => {
  chain = await forkChain();
  reader = chain.publicClient;
  // In use, each account that a payment touches holds some of the token already.
  for (const account of [buyer, provider, arbiter, stranger]) await chain.fund(account);
  await chain.fund({ address: chain.chain.escrow_contract });
  const { address } = chain.chain.token;
  const spender = chain.chain.escrow_contract;
  await chain
    .wallet(buyer)
    .writeContract({ abi: erc20Abi, address, functionName: "approve", args: [spender, maxUint256] });
});
afterAll(() => chain?.close());

test("gas of each call as its receipt has it, beside what others publish of theirs", async () => {
  const used = new Map<string, bigint>();
  const measure = async (name: string, account: Account, functionName: string, ...args: unknown[]) => {
    used.set(name, await call(account, functionName, ...args));
  };
  const deadline = BigInt((await now()) + 365 * 86_400);

  await measure("createEscrow", buyer, "createEscrow", await newTerms());
  const authorized = await newTerms();
  const authorization = await authorize(authorized);
  await measure("createEscrowWithAuthorization", stranger, "createEscrowWithAuthorization", ...authorization);
  const received = await newTerms();
  const receipt = await authorizeReceipt(received);
  const direct = "createEscrowWithReceiveAuthorization";
  await measure(direct, stranger, direct, ...receipt);
  const deposited = await newTerms();
  await pay(deposited);
  await measure("createEscrowFromDeposit", stranger, "createEscrowFromDeposit", deposited);

  let terms = await newFunded();
  await measure("recordDelivery, first", provider, "recordDelivery", terms, hash());
  await measure("recordDelivery, again", provider, "recordDelivery", terms, hash());
  await pass(terms.acceptanceWindow);
  await measure("release by anyone", stranger, "release", terms);

  terms = await newFunded();
  const delivery = { escrowId: idOf(terms), outputHash: hash(), number: 1, deadline };
  await measure(
    "recordDelivery, signed",
    stranger,
    "recordDeliveryWithSignature",
    terms,
    delivery.outputHash,
    deadline,
    await sign(provider, "RecordDelivery", delivery),
  );
  await measure("release by the buyer", buyer, "release", terms);

  terms = await newFunded();
  const signedRelease = await sign(buyer, "Release", { escrowId: idOf(terms), deadline });
  await measure("release, signed", stranger, "releaseWithSignature", terms, deadline, signedRelease);

  terms = await newFunded();
  await measure("refund by the provider", provider, "refund", terms);
  terms = await newFunded();
  const signedRefund = await sign(provider, "Refund", { escrowId: idOf(terms), deadline });
  await measure("refund, signed", stranger, "refundWithSignature", terms, deadline, signedRefund);
  terms = await newFunded();
  await pass(terms.deliveryWindow + 1);
  await measure("refund by anyone", stranger, "refund", terms);

  terms = await newFunded();
  await measure("dispute", buyer, "dispute", terms, hash());
  await measure("decideDispute", arbiter, "decideDispute", terms, amount / 3n, hash());
  await pass(terms.appealWindow);
  await measure("settleDispute, split", stranger, "settleDispute", terms);
  terms = await newFunded();
  await call(buyer, "dispute", terms, hash());
  await pass(terms.disputeWindow + 1);
  await measure("settleDispute, silent arbiter", stranger, "settleDispute", terms);

  terms = await newTerms();
  await pay(terms);
  await pass(2000);
  await measure("returnDeposit, first", stranger, "returnDeposit", terms, terms.token);
  await pay(terms);
  await measure("returnDeposit, again", stranger, "returnDeposit", terms, terms.token);

  terms = await newFunded();
  await withoutToken(() => call(buyer, "release", terms));
  await measure("withdraw", stranger, "withdraw", terms.token, provider.address);

  const parties = Array.from({ length: together }, () => ({
    buyer: privateKeyToAccount(generatePrivateKey()),
    provider: privateKeyToAccount(generatePrivateKey()),
  }));
  const orders: { terms: Terms; buyer: typeof buyer; provider: typeof provider }[] = [];
  for (const { buyer, provider } of parties) {
    for (const account of [buyer, provider]) await chain.fund(account);
    const amount = BigInt(randomInt(1_000_000, 500_000_000));
    const terms = await newTerms();
    const fundBy = terms.fundBy + randomInt(86_400);
    orders.push({
      terms: { ...terms, buyer: buyer.address, provider: provider.address, amount, fundBy },
      buyer,
      provider,
    });
  }
  const payments: Batched[] = [];
  const signedReleases: Batched[] = [];
  const dueReleases: Batched[] = [];
  for (const { terms, buyer } of orders) {
    payments.push([direct, await authorizeReceipt(terms, buyer)]);
    const deadline = BigInt((await now()) + randomInt(3600, 30 * 86_400));
    const signature = await sign(buyer, "Release", { escrowId: idOf(terms), deadline });
    signedReleases.push(["releaseWithSignature", [terms, deadline, signature]]);
    dueReleases.push(["release", [terms]]);
  }
  const paid = await callTogether(payments);
  const before = await reader.request({ method: "evm_snapshot" } as never);
  const released = await callTogether(signedReleases);
  await reader.request({ method: "evm_revert", params: [before] } as never);
  for (const { terms, provider } of orders) await call(provider, "recordDelivery", terms, hash());
  await pass(orders[0]?.terms.acceptanceWindow ?? 0);
  const releasedDue = await callTogether(dueReleases);
  const batched = new Map([
    [`${direct}, ${together} at once, each`, paid],
    [`release, signed, ${together} at once, each`, released],
    [`release by anyone, ${together} at once, each`, releasedDue],
    [`payment and signed release, ${together} at once, each`, paid + released],
    [`payment and release by anyone, ${together} at once, each`, paid + releasedDue],
  ]);

  const figure = (gas: bigint | number) => gas.toLocaleString("en-US");
  const beside = (ours: bigint, theirs: number | undefined) =>
    theirs === undefined ? ["", ""] : [figure(theirs), (Number(ours) / theirs).toFixed(2)];
  const besidePeer = (ours: bigint, { of, call, gas, receipt }: (typeof published)[number]) => [
    `${of} ${call}`,
    ...beside(ours, gas),
    ...beside(ours, receipt),
  ];
  const calls = [...used].flatMap(([name, gas]) => {
    const [peer, ...peers] = published.filter(({ like }) => like.length === 1 && like[0] === name);
    if (!peer) return [[name, figure(gas), "", "", "", "", ""]];
    return [
      [name, figure(gas), ...besidePeer(gas, peer)],
      ...peers.map((other) => ["", "", ...besidePeer(gas, other)]),
    ];
  });
  const ways = published
    .filter(({ like }) => like.length > 1)
    .map((peer) => {
      const ours = peer.like.reduce((sum, name) => sum + (used.get(name) ?? 0n), 0n);
      return [peer.like.join(" + "), figure(ours), ...besidePeer(ours, peer)];
    });
  printTable("Gas of a call by its receipt, beside others'", [
    ["", "gas", "others", "published", "ratio", "receipt", "ratio"],
    ...calls,
    ...ways,
    ...[...batched].map(([name, gas]) => [name, figure(gas), "", "", "", "", ""]),
  ]);
  const sources = new Set(published.map(({ of, source }) => `  ${of}: ${source}`));
  process.stdout.write(
    `${[...sources].join("\n")}\n` +
      "  What they publish was measured inside forge's tests with tokens of their own; a receipt counts the whole transaction.\n",
  );
});

/** Sends a call of the escrow contract; the gas that its receipt says it used. */
async function call(account: Account, functionName: string, ...args: unknown[]): Promise<bigint> {
  const sent = { abi: escrowAbi, address: chain.chain.escrow_contract, functionName, args, gas: 1_000_000n };
  const transaction = await chain.wallet(account).writeContract(sent as never);
  const { status, gasUsed } = await reader.waitForTransactionReceipt({ hash: transaction });
  if (status !== "success") throw new Error(`${functionName} reverted.`);
  return gasUsed;
}

type Batched = [functionName: string, args: unknown[]];

/** Makes calls of the escrow contract as the relayer does, each failing alone; the gas of each by the receipt of all. */
async function callTogether(batch: Batched[]): Promise<bigint> {
  const target = chain.chain.escrow_contract;
  const calls = batch.map(([functionName, args]) => ({
    to: target,
    data: encodeFunctionData({ abi: escrowAbi, functionName, args } as never),
  }));
  const sent = { to: multicall3Address, data: encodeBatch(calls), gas: 12_000_000n };
  const transaction = await chain.wallet(stranger).sendTransaction(sent);
  const { gasUsed, logs } = await reader.waitForTransactionReceipt({ hash: transaction });
  const done = logs.filter(({ address }) => address.toLowerCase() === target.toLowerCase()).length;
  if (done !== batch.length) throw new Error(`Of ${batch.length} calls ${done} did something.`);
  return gasUsed / BigInt(batch.length);
}

async function now(): Promise<number> {
  return Number((await reader.getBlock()).timestamp);
}

async function newTerms(): Promise<Terms> {
  return {
    buyer: buyer.address,
    provider: provider.address,
    token: chain.chain.token.address,
    amount,
    fundBy: (await now()) + 1000,
    deliveryWindow: 86_400,
    acceptanceWindow: 259_200,
    disputeWindow: 604_800,
    appealWindow: 172_800,
    arbiter: arbiter.address,
    orderHash: hash(),
  };
}

async function newFunded(): Promise<Terms> {
  const terms = await newTerms();
  await call(buyer, "createEscrow", terms);
  return terms;
}

const idOf = (terms: Terms) => escrowIdOf(chain.chain.chain_id, chain.chain.escrow_contract, terms);
const depositOf = (terms: Terms) =>
  depositAddressOf(chain.chain.escrow_contract, chain.chain.deposit_implementation, idOf(terms));

/** Pays the amount to the deposit address by an ordinary transfer. */
async function pay(terms: Terms): Promise<void> {
  const transfer = { abi: erc20Abi, address: terms.token, functionName: "transfer" } as const;
  const transaction = await chain
    .wallet(buyer)
    .writeContract({ ...transfer, args: [depositOf(terms), terms.amount] });
  await reader.waitForTransactionReceipt({ hash: transaction });
}

/** The arguments of `createEscrowWithAuthorization`, signed by the buyer. */
async function authorize(terms: Terms): Promise<unknown[]> {
  const { chain_id: chainId, token } = chain.chain;
  const payable = { chainId, token, depositAddress: depositOf(terms), amount, fundBy: terms.fundBy };
  const data = authorizationData(payable, buyer.address, hash(), BigInt(await now()));
  const signature = await buyer.signTypedData(data as never);
  const { from, validAfter, validBefore, nonce } = data.message;
  return [terms, from, validAfter, validBefore, nonce, signature];
}

/** The arguments of `createEscrowWithReceiveAuthorization`, signed by the buyer. */
async function authorizeReceipt(terms: Terms, payer = buyer): Promise<unknown[]> {
  const { chain_id: chainId, token, escrow_contract: escrowContract } = chain.chain;
  const payable = { chainId, token, amount: terms.amount, fundBy: terms.fundBy };
  const place = { escrowContract, escrowId: idOf(terms) };
  const data = receiveAuthorizationData(payable, place, payer.address, BigInt(await now()));
  const signature = await payer.signTypedData(data as never);
  return [terms, payer.address, data.message.validBefore, signature];
}

function sign<Type extends keyof SignedMessages>(
  account: typeof buyer,
  type: Type,
  message: SignedMessages[Type],
): Promise<Hex> {
  const escrow = { chainId: chain.chain.chain_id, escrowContract: chain.chain.escrow_contract };
  return account.signTypedData(typedDataOf(escrow, type, message) as never);
}

/** Moves the chain's clock so many seconds on. */
async function pass(seconds: number): Promise<void> {
  await chain.node.increaseTime({ seconds });
  await chain.node.mine({ blocks: 1 });
}

/** Does something while the token refuses every call. */
async function withoutToken(act: () => Promise<unknown>): Promise<void> {
  const { address } = chain.chain.token;
  const code = await reader.getCode({ address });
  await chain.node.setCode({ address, bytecode: "0x5f5ffd" });
  await act();
  await chain.node.setCode({ address, bytecode: code ?? "0x" });
}
