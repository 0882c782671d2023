import { randomBytes } from "node:crypto";
import {
  type Address,
  BaseError,
  ExecutionRevertedError,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  type LocalAccount,
  maxUint256,
  zeroAddress,
  zeroHash,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Situation } from "../../protocol/settlement/actions.ts";
import type { Call } from "../../protocol/settlement/calls.ts";
import { type SettlementAction, settlementOptions } from "../../protocol/settlement/settlement-options.ts";
import type { TypedData } from "../../protocol/settlement/signatures.ts";
import { depositAddressOf, escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { escrowStatuses, type Role } from "../../protocol/settlement/vocabulary.ts";
import { forkChain } from "./chain.ts";

export const amount = 5_000_000n;
export type Person = Role | "outsider";
export const people: Record<Person, LocalAccount> = {
  buyer: privateKeyToAccount(generatePrivateKey()),
  provider: privateKeyToAccount(generatePrivateKey()),
  arbiter: privateKeyToAccount(generatePrivateKey()),
  outsider: privateKeyToAccount(generatePrivateKey()),
};
const names = Object.keys(people) as Person[];

export const randomHash = (): Hex => `0x${randomBytes(32).toString("hex")}`;

/** The names of the actions that each role may do. */
export type Rights = Record<Person, string[]>;

type Sendable = Pick<Call, "to" | "data">;

export type OptionsBench = Awaited<ReturnType<typeof startOptionsBench>>;

/** A chain of its own on which every role has tokens and lets the escrow contract spend them. */
export async function startOptionsBench() {
  const testChain = await forkChain();
  const { chain, node, publicClient } = testChain;
  const { chain_id: chainId, escrow_contract: escrowContract, token } = chain;
  const contract = { abi: escrowAbi, address: escrowContract } as const;
  // A block is mined on command, with the transactions sent until then.
  await node.setAutomine(false);
  for (const account of Object.values(people)) {
    await testChain.fund(account);
    const args = [escrowContract, maxUint256] as const;
    await send(account, token.address, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }));
  }

  /**
   * Sends a transaction with a fixed gas, so that a refused one is mined too. Returns whether it succeeded.
   */
  async function send(account: LocalAccount, to: Address, data: Hex): Promise<boolean> {
    const nonce = await publicClient.getTransactionCount({ address: account.address });
    const serializedTransaction = await account.signTransaction({
      type: "eip1559",
      chainId,
      nonce,
      to,
      data,
      gas: 1_000_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 0n,
    });
    const hash = await publicClient.sendRawTransaction({ serializedTransaction });
    await node.mine({ blocks: 1 });
    const { status } = await publicClient.getTransactionReceipt({ hash });
    return status === "success";
  }

  /**
   * Runs a transaction in the next block at exactly this time, and reverts it. Returns whether it
   * succeeded.
   */
  async function attempt(person: Person, { to, data }: Sendable, at: bigint): Promise<boolean> {
    try {
      const account = people[person].address;
      await publicClient.call({ account, to, data, gas: 1_000_000n, blockOverrides: { time: at } });
      return true;
    } catch (error) {
      if (error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))
        return false;
      throw error;
    }
  }

  const bench = {
    close: () => testChain.close(),
    clock: async () => (await publicClient.getBlock()).timestamp,

    async newTerms(changes: Partial<Terms> = {}): Promise<Terms> {
      return {
        buyer: people.buyer.address,
        provider: people.provider.address,
        token: token.address,
        amount,
        fundBy: Number(await bench.clock()) + 1000,
        deliveryWindow: 2000,
        acceptanceWindow: 3000,
        disputeWindow: 4000,
        appealWindow: 500,
        arbiter: people.arbiter.address,
        orderHash: randomHash(),
        ...changes,
      };
    },

    /** Calls the escrow contract in the chain's next second. Returns the time of the block. */
    async call(person: Person, functionName: string, ...args: unknown[]): Promise<bigint> {
      await node.setNextBlockTimestamp({ timestamp: (await bench.clock()) + 1n });
      const data = encodeFunctionData({ abi: escrowAbi, functionName, args } as never);
      if (!(await send(people[person], escrowContract, data))) throw new Error(`${functionName} reverted.`);
      return bench.clock();
    },

    /** Sends tokens to the order's deposit address, as anybody can. */
    async deposit(terms: Terms, value: bigint): Promise<void> {
      const args = [depositOf(terms), value] as const;
      await send(
        people.outsider,
        token.address,
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }),
      );
    },

    /** Moves the chain's clock to just before a time. */
    async moveBefore(at: bigint): Promise<void> {
      if ((await bench.clock()) >= at - 1n) return;
      await node.setNextBlockTimestamp({ timestamp: at - 1n });
      await node.mine({ blocks: 1 });
    },

    /**
     * Computes every role's options at this time, and tries each of them on the chain. An available act
     * succeeds, as a call by that wallet and as its signature sent by another account. An unavailable act
     * is refused by the contract. An act with `available_at` is refused in the last second before it, and
     * succeeds from then on.
     * @param at unix seconds; the next block's when left out
     * @param outputHash of the latest delivery that the service has; a new one when left out
     */
    async tryEverything(
      terms: Terms,
      { at, outputHash }: { at?: bigint; outputHash?: Hex | null } = {},
    ): Promise<Rights> {
      const now = at ?? (await bench.clock()) + 1n;
      await bench.moveBefore(now);
      const rights: Rights = { buyer: [], provider: [], arbiter: [], outsider: [] };
      const given = outputHash === undefined ? randomHash() : outputHash;
      const situation = await situationOf(terms, now, given);
      for (const person of names) {
        const roles: Role[] = person === "outsider" ? [] : [person];
        for (const option of settlementOptions({ ...situation, roles })) {
          if (option.available) rights[person].push(option.action);
          await tryOption(person, option, situation);
        }
      }
      return rights;
    },
  };
  return bench;

  async function tryOption(person: Person, option: SettlementAction, situation: Situation): Promise<void> {
    const { available, available_at, reason, typed_data, choices } = option;
    const { now, terms } = situation;
    const of = `${option.action} by the ${person}`;
    expect(reason === null, of).toBe(available);
    for (const call of callsOf(option, situation)) {
      expect(await attempt(person, call, now), of).toBe(available);
      if (!available_at) continue;
      const from = BigInt(Date.parse(available_at) / 1000);
      expect(from, of).toBeGreaterThan(now);
      expect(await attempt(person, call, from - 1n), `${of}, a second before ${available_at}`).toBe(false);
      expect(await attempt(person, call, from), `${of}, at ${available_at}`).toBe(true);
    }
    for (const typedData of [typed_data, ...choices.map((choice) => choice.typed_data)]) {
      if (!typedData) continue;
      const call = await signedCall(people[person], terms, typedData);
      expect([available, await attempt("outsider", call, now)], `${of}, signed`).toEqual([true, true]);
    }
  }

  /**
   * Returns the calls of an option. A decision, which is the arbiter's choice, also has one between its
   * ends.
   */
  function callsOf({ action, call, choices }: SettlementAction, { terms }: Situation): Sendable[] {
    if (call) return [call];
    if (action !== "decideDispute") return [];
    const args = [terms, terms.amount / 2n, zeroHash] as const;
    const data = encodeFunctionData({ abi: escrowAbi, functionName: "decideDispute", args });
    return [...choices.map((choice) => choice.call), { to: escrowContract, data }];
  }

  /** Signs typed data from JSON, and puts the signature into the call that takes it. */
  async function signedCall(account: LocalAccount, terms: Terms, typedData: TypedData) {
    const signature = await account.signTypedData(JSON.parse(JSON.stringify(typedData)));
    const { deadline, outputHash, reasonHash, providerAmount, rulingHash } = typedData.message;
    const args = {
      RecordDelivery: ["recordDeliveryWithSignature", terms, outputHash, deadline, signature],
      Release: ["releaseWithSignature", terms, deadline, signature],
      Refund: ["refundWithSignature", terms, deadline, signature],
      Dispute: ["disputeWithSignature", terms, account.address, reasonHash, deadline, signature],
      DecideDispute: [
        ...["decideDisputeWithSignature", terms, providerAmount, rulingHash, deadline],
        signature,
      ],
    }[typedData.primaryType];
    if (!args) throw new Error(`No call takes ${typedData.primaryType}.`);
    const [functionName, ...rest] = args;
    const data = encodeFunctionData({ abi: escrowAbi, functionName, args: rest } as never);
    return { to: escrowContract, data };
  }

  function depositOf(terms: Terms): Address {
    return depositAddressOf(
      escrowContract,
      chain.deposit_implementation,
      escrowIdOf(chainId, escrowContract, terms),
    );
  }

  /** Returns the contract's data of an escrow, in the indexer's form. */
  async function situationOf(terms: Terms, now: bigint, outputHash: Hex | null): Promise<Situation> {
    const escrowId = escrowIdOf(chainId, escrowContract, terms);
    const args = [escrowId] as const;
    const [state, decision, records, depositBalance] = await Promise.all([
      publicClient.readContract({ ...contract, functionName: "getEscrow", args }),
      publicClient.readContract({ ...contract, functionName: "getDecision", args }),
      publicClient.getContractEvents({
        ...contract,
        eventName: "DeliveryRecorded",
        args: { escrowId },
        fromBlock: 0n,
        strict: true,
      }),
      publicClient.readContract({
        abi: erc20Abi,
        address: terms.token,
        functionName: "balanceOf",
        args: [depositOf(terms)],
      }),
    ]);
    const status = escrowStatuses[state.status] ?? "none";
    const plus = (from: number, window: number) => (from === 0 ? null : BigInt(from + window));
    return {
      chainId,
      escrowContract,
      escrowId,
      terms,
      outputHash,
      depositBalance,
      now,
      roles: [],
      escrow:
        status === "none"
          ? null
          : {
              status,
              deliveryDeadline: BigInt(state.fundedAt + terms.deliveryWindow),
              deliveryCount: state.deliveryCount,
              earnedAmount: state.deliveredAt === 0 ? 0n : terms.amount,
              paidAmount: 0n,
              claimAcceptedAt: null,
              acceptedAmount: null,
              autoReleaseAt: plus(state.deliveredAt, terms.acceptanceWindow),
              outputHash: records.at(-1)?.args.outputHash ?? null,
              decideBy: plus(state.disputedAt, terms.disputeWindow),
              settleableAt: plus(decision.decidedAt, terms.appealWindow),
            },
    };
  }
}

/** Terms without an arbiter. */
export const withoutArbiter: Partial<Terms> = { arbiter: zeroAddress };
