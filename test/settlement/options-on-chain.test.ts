import { randomBytes } from "node:crypto";
import {
  type Account,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  type LocalAccount,
  maxUint256,
  zeroHash,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { type Role, type Situation, settlementOptions } from "../../settlement/options.ts";
import type { TypedData } from "../../settlement/signatures.ts";
import { depositAddressOf, escrowIdOf, type Terms } from "../../settlement/terms.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";

const amount = 5_000_000n;
const buyer = privateKeyToAccount(generatePrivateKey());
const provider = privateKeyToAccount(generatePrivateKey());
const arbiter = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const people: [LocalAccount, Role[]][] = [
  [buyer, ["buyer"]],
  [provider, ["provider"]],
  [arbiter, ["arbiter"]],
  [stranger, []],
];

let chain: TestChain;

beforeAll(async () => {
  chain = await forkChain();
  const { escrow_contract, token } = chain.chain;
  for (const [account] of people) {
    await chain.fund(account);
    await send(account, {
      abi: erc20Abi,
      address: token.address,
      functionName: "approve",
      args: [escrow_contract, maxUint256],
    });
  }
});
afterAll(() => chain.close());

/** Sends a contract call as a wallet would and waits until it is mined. */
async function send(
  account: Account,
  call: { abi: unknown; address: Hex; functionName: string; args: unknown[] },
) {
  const hash = await chain.wallet(account).writeContract(call as never);
  const { status } = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error(`${call.functionName} reverted.`);
}

const call = (account: Account, functionName: string, ...args: unknown[]) =>
  send(account, { abi: escrowAbi, address: chain.chain.escrow_contract, functionName, args });

/** Moves the chain's clock: the newest block then has this time. */
async function moveTo(timestamp: bigint): Promise<void> {
  await chain.node.setNextBlockTimestamp({ timestamp });
  await chain.node.mine({ blocks: 1 });
}

async function clock(): Promise<bigint> {
  return (await chain.publicClient.getBlock()).timestamp;
}

async function newTerms(changes: Partial<Terms> = {}): Promise<Terms> {
  return {
    buyer: buyer.address,
    provider: provider.address,
    token: chain.chain.token.address,
    amount,
    fundBy: Number(await clock()) + 1000,
    deliveryWindow: 2000,
    acceptanceWindow: 3000,
    disputeWindow: 4000,
    appealWindow: 500,
    arbiter: arbiter.address,
    orderHash: randomHash(),
    ...changes,
  };
}

const randomHash = (): Hex => `0x${randomBytes(32).toString("hex")}`;
const statuses = ["none", "funded", "disputed", "decided", "released", "refunded", "split"] as const;

/** What the contract has of an escrow, put as the indexer puts it. */
async function situationOf(terms: Terms, roles: Role[]): Promise<Situation> {
  const { chain_id: chainId, escrow_contract: escrowContract, deposit_implementation } = chain.chain;
  const escrowId = escrowIdOf(chainId, escrowContract, terms);
  const contract = { abi: escrowAbi, address: escrowContract } as const;
  const state = await chain.publicClient.readContract({
    ...contract,
    functionName: "getEscrow",
    args: [escrowId],
  });
  const decision = await chain.publicClient.readContract({
    ...contract,
    functionName: "getDecision",
    args: [escrowId],
  });
  const status = statuses[state.status];
  const plus = (from: number, window: number) => (from === 0 ? null : BigInt(from + window));
  return {
    chainId,
    escrowContract,
    escrowId,
    terms,
    escrow:
      status === "none" || status === undefined
        ? null
        : {
            status,
            deliveryDeadline: BigInt(state.fundedAt + terms.deliveryWindow),
            deliveryCount: state.deliveryCount,
            autoReleaseAt: plus(state.deliveredAt, terms.acceptanceWindow),
            outputHash: state.deliveryCount > 0 ? randomHash() : null,
            decideBy: plus(state.disputedAt, terms.disputeWindow),
            settleableAt: plus(decision.decidedAt, terms.appealWindow),
          },
    outputHash: randomHash(),
    depositBalance: await chain.publicClient.readContract({
      abi: erc20Abi,
      address: terms.token,
      functionName: "balanceOf",
      args: [depositAddressOf(escrowContract, deposit_implementation, escrowId)],
    }),
    now: await clock(),
    roles,
  };
}

/**
 * Asks the contract itself about every action, for everybody: a call must go through exactly where it is said to be
 * available, and so must what may be signed instead.
 *
 * @returns the names of what each may do, by role
 */
async function compareWithContract(terms: Terms): Promise<Record<string, string[]>> {
  const may: Record<string, string[]> = {};
  for (const [account, roles] of people) {
    const situation = await situationOf(terms, roles);
    const who = roles[0] ?? "stranger";
    may[who] = [];
    for (const option of settlementOptions(situation)) {
      if (option.available) may[who].push(option.action);
      const of = `${option.action} by the ${who}`;
      expect(option.available ? option.reason : typeof option.reason, of).toBe(
        option.available ? null : "string",
      );
      if (option.call) expect(await goesThrough(account, option.call), of).toBe(option.available);
      else expect(option.action).toBe("decideDispute");
      if (option.typed_data) {
        expect(await goesThrough(stranger, await signedCall(account, terms, option.typed_data)), of).toBe(
          true,
        );
      }
    }
  }
  return may;
}

async function goesThrough(account: Account, { to, data }: { to: Hex; data: Hex }): Promise<boolean> {
  try {
    await chain.publicClient.call({ account, to, data });
    return true;
  } catch {
    return false;
  }
}

/** Signs typed data as it came, JSON and all, and puts it into the call that takes the signature. */
async function signedCall(account: LocalAccount, terms: Terms, typedData: TypedData) {
  const signature = await account.signTypedData(JSON.parse(JSON.stringify(typedData)));
  const { deadline, outputHash, reasonHash } = typedData.message;
  const args = {
    RecordDelivery: ["recordDeliveryWithSignature", terms, outputHash, deadline, signature],
    Release: ["releaseWithSignature", terms, deadline, signature],
    Refund: ["refundWithSignature", terms, deadline, signature],
    Dispute: ["disputeWithSignature", terms, account.address, reasonHash, deadline, signature],
  }[typedData.primaryType];
  if (!args) throw new Error(`No call takes ${typedData.primaryType}.`);
  const [functionName, ...rest] = args;
  const data = encodeFunctionData({ abi: escrowAbi, functionName, args: rest } as never);
  return { to: chain.chain.escrow_contract, data };
}

describe("settlement options agree with the contract", () => {
  test("before funding, to its last second and after", async () => {
    const terms = await newTerms();
    const everybody = { buyer: ["fund"], provider: ["fund"], arbiter: ["fund"], stranger: ["fund"] };
    expect(await compareWithContract(terms)).toEqual(everybody);
    await moveTo(BigInt(terms.fundBy));
    expect(await compareWithContract(terms)).toEqual(everybody);
    await moveTo(BigInt(terms.fundBy) + 1n);
    expect(await compareWithContract(terms)).toEqual({ buyer: [], provider: [], arbiter: [], stranger: [] });
  });

  test("with money at the deposit address, which is the buyer's to take back first and anyone's to return later", async () => {
    const terms = await newTerms();
    const { escrow_contract, deposit_implementation, chain_id, token } = chain.chain;
    const deposit = depositAddressOf(
      escrow_contract,
      deposit_implementation,
      escrowIdOf(chain_id, escrow_contract, terms),
    );
    await send(stranger, {
      abi: erc20Abi,
      address: token.address,
      functionName: "transfer",
      args: [deposit, 1n],
    });
    expect(await compareWithContract(terms)).toMatchObject({
      buyer: ["fund", "returnDeposit"],
      provider: ["fund"],
    });
    await moveTo(BigInt(terms.fundBy) + 1n);
    expect(await compareWithContract(terms)).toMatchObject({
      buyer: ["returnDeposit"],
      stranger: ["returnDeposit"],
    });
  });

  test("funded and never delivered: anyone may refund after the deadline", async () => {
    const terms = await newTerms();
    await call(buyer, "createEscrow", terms);
    const fundedAt = await clock();
    expect(await compareWithContract(terms)).toEqual({
      buyer: ["release", "dispute"],
      provider: ["recordDelivery", "refund", "dispute"],
      arbiter: [],
      stranger: [],
    });
    await moveTo(fundedAt + BigInt(terms.deliveryWindow));
    expect(await compareWithContract(terms)).toMatchObject({
      provider: ["recordDelivery", "refund", "dispute"],
      stranger: [],
    });
    await moveTo(fundedAt + BigInt(terms.deliveryWindow) + 1n);
    expect(await compareWithContract(terms)).toEqual({
      buyer: ["release", "refund", "dispute"],
      provider: ["refund", "dispute"],
      arbiter: ["refund"],
      stranger: ["refund"],
    });
    await call(stranger, "refund", terms);
    expect(await compareWithContract(terms)).toEqual({ buyer: [], provider: [], arbiter: [], stranger: [] });
  });

  test("delivered: anyone may release once the acceptance window has passed", async () => {
    const terms = await newTerms();
    await call(buyer, "createEscrow", terms);
    await call(provider, "recordDelivery", terms, randomHash());
    const deliveredAt = await clock();
    const before = {
      buyer: ["release", "dispute"],
      provider: ["recordDelivery", "refund", "dispute"],
      arbiter: [],
      stranger: [],
    };
    expect(await compareWithContract(terms)).toEqual(before);
    // Past the delivery deadline: a recorded delivery keeps the buyer from refunding himself.
    await moveTo(deliveredAt + BigInt(terms.acceptanceWindow) - 1n);
    expect(await compareWithContract(terms)).toEqual({ ...before, provider: ["refund", "dispute"] });
    await moveTo(deliveredAt + BigInt(terms.acceptanceWindow));
    expect(await compareWithContract(terms)).toEqual({
      buyer: ["release", "dispute"],
      provider: ["release", "refund", "dispute"],
      arbiter: ["release"],
      stranger: ["release"],
    });
    await call(stranger, "release", terms);
    expect(await compareWithContract(terms)).toEqual({ buyer: [], provider: [], arbiter: [], stranger: [] });
  });

  test("disputed and decided: anyone may settle after the appeal window", async () => {
    const terms = await newTerms();
    await call(buyer, "createEscrow", terms);
    await call(buyer, "dispute", terms, zeroHash);
    expect(await compareWithContract(terms)).toEqual({
      buyer: [],
      provider: ["recordDelivery"],
      arbiter: ["decideDispute"],
      stranger: [],
    });
    await call(arbiter, "decideDispute", terms, 1n, zeroHash);
    const decidedAt = await clock();
    expect(await compareWithContract(terms)).toEqual({ buyer: [], provider: [], arbiter: [], stranger: [] });
    await moveTo(decidedAt + BigInt(terms.appealWindow) - 1n);
    expect(await compareWithContract(terms)).toMatchObject({ buyer: [] });
    await moveTo(decidedAt + BigInt(terms.appealWindow));
    const all = ["settleDispute"];
    expect(await compareWithContract(terms)).toEqual({
      buyer: all,
      provider: all,
      arbiter: all,
      stranger: all,
    });
    await call(stranger, "settleDispute", terms);
    expect(await compareWithContract(terms)).toMatchObject({ buyer: [], provider: [] });
  });

  test("disputed and not decided: anyone may settle once the arbiter's time is over", async () => {
    const terms = await newTerms();
    await call(buyer, "createEscrow", terms);
    await call(provider, "dispute", terms, zeroHash);
    const disputedAt = await clock();
    await moveTo(disputedAt + BigInt(terms.disputeWindow));
    expect(await compareWithContract(terms)).toMatchObject({ buyer: [], arbiter: ["decideDispute"] });
    await moveTo(disputedAt + BigInt(terms.disputeWindow) + 1n);
    const all = ["settleDispute"];
    expect(await compareWithContract(terms)).toEqual({
      buyer: all,
      provider: all,
      arbiter: all,
      stranger: all,
    });
  });
});
