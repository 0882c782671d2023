import { type Address, encodeFunctionData, erc20Abi, type Hex, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { depositAddressOf, escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { randomHash } from "../harness/jobs/ledger.ts";
import { deployUsdc, type Usdc } from "../harness/usdc.ts";

// The escrow contract with Circle's own contracts. The issuer may stop the token, or block an address, in any state.
let usdc: Usdc;
let chain: TestChain;
beforeAll(async () => {
  chain = await forkChain({
    async placeToken(rpcUrl) {
      usdc = await deployUsdc(rpcUrl);
      return usdc.address;
    },
  });
});
afterAll(() => chain?.close());

const amount = 5_000_000n;
type Party = "buyer" | "provider" | "arbiter";
type Deal = { terms: Terms; deposit: Address; people: Record<Party, LocalAccount> };

const balanceOf = (address: Address) =>
  chain.publicClient.readContract({
    address: usdc.address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [address],
  });
const owedTo = (payee: Address) =>
  chain.publicClient.readContract({
    address: chain.chain.escrow_contract,
    abi: escrowAbi,
    functionName: "owed",
    args: [payee, usdc.address],
  });

/** Sends a call with a fixed gas, so that a refused one is mined too. Returns whether it succeeded. */
async function send(account: LocalAccount, to: Address, data: Hex): Promise<boolean> {
  const hash = await chain.wallet(account).sendTransaction({ to, data, gas: 1_500_000n });
  return (await chain.publicClient.waitForTransactionReceipt({ hash })).status === "success";
}
const escrow = (account: LocalAccount, functionName: string, ...args: unknown[]) =>
  send(
    account,
    chain.chain.escrow_contract,
    encodeFunctionData({ abi: escrowAbi, functionName, args } as never),
  );
const transfer = (account: LocalAccount, to: Address, value: bigint) =>
  send(
    account,
    usdc.address,
    encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, value] }),
  );
const wait = async (seconds: number) => {
  await chain.node.increaseTime({ seconds });
  await chain.node.mine({ blocks: 1 });
};

/** Agrees on an escrow between new parties. The buyer has its amount, and lets the escrow contract spend it. */
async function agree(): Promise<Deal> {
  const person = () => privateKeyToAccount(generatePrivateKey());
  const people = { buyer: person(), provider: person(), arbiter: person() };
  for (const { address } of Object.values(people))
    await chain.node.setBalance({ address, value: 10n ** 18n });
  await usdc.mint(people.buyer.address, amount);
  const { escrow_contract, chain_id, deposit_implementation } = chain.chain;
  const args = [escrow_contract, amount] as const;
  await send(
    people.buyer,
    usdc.address,
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
  );
  const { timestamp } = await chain.publicClient.getBlock();
  const terms: Terms = {
    buyer: people.buyer.address,
    provider: people.provider.address,
    token: usdc.address,
    amount,
    fundBy: Number(timestamp) + 1_000,
    deliveryWindow: 2_000,
    acceptanceWindow: 3_000,
    disputeWindow: 4_000,
    appealWindow: 500,
    arbiter: people.arbiter.address,
    orderHash: randomHash(),
  };
  const escrowId = escrowIdOf(chain_id, escrow_contract, terms);
  return { terms, deposit: depositAddressOf(escrow_contract, deposit_implementation, escrowId), people };
}

async function agreeAndFund(): Promise<Deal> {
  const deal = await agree();
  expect(await escrow(deal.people.buyer, "createEscrow", deal.terms)).toBe(true);
  return deal;
}

/** Each way in which an escrow ends: what leads to it, the last call, and the provider's part. */
const endings: Record<
  string,
  { before?(deal: Deal): Promise<unknown>; end(deal: Deal): Promise<boolean>; provider: bigint }
> = {
  "released by the buyer": {
    end: ({ people, terms }) => escrow(people.buyer, "release", terms),
    provider: amount,
  },
  "released after the acceptance window": {
    async before({ people, terms }) {
      await escrow(people.provider, "recordDelivery", terms, randomHash());
      await wait(terms.acceptanceWindow + 1);
    },
    end: ({ people, terms }) => escrow(people.arbiter, "release", terms),
    provider: amount,
  },
  "refunded by the provider": {
    end: ({ people, terms }) => escrow(people.provider, "refund", terms),
    provider: 0n,
  },
  "refunded after the delivery window": {
    before: ({ terms }) => wait(terms.deliveryWindow + 1),
    end: ({ people, terms }) => escrow(people.arbiter, "refund", terms),
    provider: 0n,
  },
  "split by the arbiter": {
    async before({ people, terms }) {
      await escrow(people.buyer, "dispute", terms, randomHash());
      await escrow(people.arbiter, "decideDispute", terms, 2_000_000n, randomHash());
      await wait(terms.appealWindow + 1);
    },
    end: ({ people, terms }) => escrow(people.arbiter, "settleDispute", terms),
    provider: 2_000_000n,
  },
  "settled without a decision": {
    async before({ people, terms }) {
      await escrow(people.provider, "recordDelivery", terms, randomHash());
      await escrow(people.buyer, "dispute", terms, randomHash());
      await wait(terms.disputeWindow + terms.deliveryWindow + 2);
    },
    end: ({ people, terms }) => escrow(people.arbiter, "settleDispute", terms),
    provider: amount,
  },
};

/** The issuer blocks an order in each of these ways, and lifts the block again. */
const blocks: Record<
  string,
  { set(deal: Deal): Promise<void>; lift(deal: Deal): Promise<void>; hits: Party[] }
> = {
  "the buyer is blacklisted": {
    set: ({ people }) => usdc.call("blacklist", people.buyer.address),
    lift: ({ people }) => usdc.call("unBlacklist", people.buyer.address),
    hits: ["buyer"],
  },
  "the provider is blacklisted": {
    set: ({ people }) => usdc.call("blacklist", people.provider.address),
    lift: ({ people }) => usdc.call("unBlacklist", people.provider.address),
    hits: ["provider"],
  },
  "the escrow contract is blacklisted": {
    set: () => usdc.call("blacklist", chain.chain.escrow_contract),
    lift: () => usdc.call("unBlacklist", chain.chain.escrow_contract),
    hits: ["buyer", "provider"],
  },
  "the token is paused": {
    set: () => usdc.call("pause"),
    lift: () => usdc.call("unpause"),
    hits: ["buyer", "provider"],
  },
};

const cases = Object.keys(endings).flatMap((ending) => Object.keys(blocks).map((block) => [ending, block]));

describe("an escrow ends for both parties, and what the token refuses waits for its owner", () => {
  test.each(cases)("%s while %s", async (ending, block) => {
    const { before, end, provider } = endings[ending as string] as (typeof endings)[string];
    const { set, lift, hits } = blocks[block as string] as (typeof blocks)[string];
    const deal = await agreeAndFund();
    await before?.(deal);
    await set(deal);
    try {
      expect(await end(deal)).toBe(true);
      const parts = { buyer: amount - provider, provider };
      for (const party of ["buyer", "provider"] as const) {
        const { address } = deal.people[party];
        const isHit = hits.includes(party);
        expect([await balanceOf(address), await owedTo(address)], party).toEqual(
          isHit ? [0n, parts[party]] : [parts[party], 0n],
        );
        if (isHit && parts[party])
          expect(await escrow(deal.people.arbiter, "withdraw", usdc.address, address)).toBe(false);
      }
    } finally {
      await lift(deal);
    }
    for (const [party, part] of [
      ["buyer", amount - provider],
      ["provider", provider],
    ] as const) {
      const { address } = deal.people[party];
      if (await owedTo(address)) await escrow(deal.people.arbiter, "withdraw", usdc.address, address);
      expect([await balanceOf(address), await owedTo(address)], party).toEqual([part, 0n]);
    }
    expect(await balanceOf(chain.chain.escrow_contract)).toBe(0n);
  });
});

describe("before an escrow exists", () => {
  test.each(Object.keys(blocks))(
    "while %s, nothing is half done, and the escrow is funded later",
    async (name) => {
      const { set, lift, hits } = blocks[name] as (typeof blocks)[string];
      const deal = await agree();
      const { buyer } = deal.people;
      await set(deal);
      const isHit = hits.includes("buyer");
      expect(await escrow(buyer, "createEscrow", deal.terms)).toBe(!isHit);
      await lift(deal);
      if (isHit) expect(await balanceOf(buyer.address)).toBe(amount);
      expect(await escrow(buyer, "createEscrow", deal.terms)).toBe(isHit);
      expect(await escrow(buyer, "release", deal.terms)).toBe(true);
      expect(await balanceOf(deal.people.provider.address)).toBe(amount);
    },
  );

  test("money at a blacklisted deposit address waits, and goes back to the buyer afterwards", async () => {
    const deal = await agree();
    const { buyer, arbiter } = deal.people;
    expect(await transfer(buyer, deal.deposit, amount)).toBe(true);
    await usdc.call("blacklist", deal.deposit);
    expect(await escrow(arbiter, "createEscrowFromDeposit", deal.terms)).toBe(false);
    await wait(1_001);
    expect(await escrow(arbiter, "returnDeposit", deal.terms, usdc.address)).toBe(false);
    await usdc.call("unBlacklist", deal.deposit);
    expect(await escrow(arbiter, "returnDeposit", deal.terms, usdc.address)).toBe(true);
    expect(await balanceOf(buyer.address)).toBe(amount);
  });

  test("a buyer who is blacklisted after paying the deposit address can still get the work", async () => {
    const deal = await agree();
    const { buyer, provider, arbiter } = deal.people;
    expect(await transfer(buyer, deal.deposit, amount)).toBe(true);
    await usdc.call("blacklist", buyer.address);
    expect(await escrow(arbiter, "createEscrowFromDeposit", deal.terms)).toBe(true);
    expect(await escrow(buyer, "release", deal.terms)).toBe(true);
    expect(await balanceOf(provider.address)).toBe(amount);
    await usdc.call("unBlacklist", buyer.address);
  });
});

test("an upgrade behind the token's proxy changes no escrow", async () => {
  const deal = await agreeAndFund();
  await usdc.upgrade();
  expect(await balanceOf(chain.chain.escrow_contract)).toBe(amount);
  expect(await escrow(deal.people.buyer, "release", deal.terms)).toBe(true);
  expect(await balanceOf(deal.people.provider.address)).toBe(amount);
});

test("a minter at its limit mints no more, and escrows settle all the same", async () => {
  const deal = await agreeAndFund();
  await expect(usdc.call("mint", deal.people.buyer.address, 1n)).rejects.toThrow(/minter/i);
  expect(await escrow(deal.people.provider, "refund", deal.terms)).toBe(true);
  expect(await balanceOf(deal.people.buyer.address)).toBe(amount);
});

test("a payout that the token refuses leaves the money of other escrows alone", async () => {
  const [first, second] = [await agreeAndFund(), await agreeAndFund()];
  await usdc.call("blacklist", first.people.provider.address);
  expect(await escrow(first.people.buyer, "release", first.terms)).toBe(true);
  expect(await escrow(second.people.buyer, "release", second.terms)).toBe(true);
  expect(await balanceOf(second.people.provider.address)).toBe(amount);
  expect(await balanceOf(chain.chain.escrow_contract)).toBe(amount);
  expect(await owedTo(first.people.provider.address)).toBe(amount);
  await usdc.call("unBlacklist", first.people.provider.address);
  expect(await escrow(second.people.arbiter, "withdraw", usdc.address, first.people.provider.address)).toBe(
    true,
  );
  expect(await balanceOf(first.people.provider.address)).toBe(amount);
});
