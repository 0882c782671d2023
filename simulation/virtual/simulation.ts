import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  type LocalAccount,
  toHex,
  zeroAddress,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import { findDue } from "../../facts/bare-claim.ts";
import { type Fact, refuseDelivery, refuseStep } from "../../facts/lifecycle.ts";
import { type Situation, unixOf } from "../../settlement/actions.ts";
import {
  createEscrowCall,
  createEscrowFromDepositCall,
  decideDisputeCall,
  disputeCall,
  plainCall,
  recordDeliveryCall,
  recordSignedDeliveryCall,
  returnDepositCall,
  signedActCall,
} from "../../settlement/calls.ts";
import { settlementOptions } from "../../settlement/options.ts";
import {
  recordDeliveryData,
  type SignedAct,
  signedActData,
  type TypedData,
} from "../../settlement/signatures.ts";
import type { Terms } from "../../settlement/terms.ts";
import type { Role } from "../../settlement/vocabulary.ts";
import { localAccount } from "../../stack/anvil.ts";
import { judge } from "../checker/judge.ts";
import type { Reading, Scene } from "../checker/reading.ts";
import { createRandom } from "../random.ts";
import { chainId, createVirtualChain, escrowContract, relayer as relayerAddress, token } from "./chain.ts";
import { deliverAll, secretOf } from "./deliveries.ts";
import { createLedger, type Order } from "./ledger.ts";
import { createLogIndex, loadHandlers } from "./log-index.ts";
import { createRelayer } from "./relayer.ts";
import { balanceAt, viewOf } from "./view.ts";
import { createWorker } from "./workers.ts";

export type VirtualResult = {
  scene: Scene;
  reading: Reading;
  wrong: string[];
  blocks: number;
  facts: number;
  reverted: number;
  statuses: string[];
};

const wallets = {
  buyer: localAccount(3),
  provider: localAccount(4),
  arbiter: localAccount(2),
  stranger: localAccount(9),
} satisfies Record<string, LocalAccount>;
type Who = keyof typeof wallets;

const start = 1_800_000_000;
const minted = 10n ** 12n;
const confirmations = 2;
const orderCount = 4;
const rounds = 45;

/** What all seeds of a process share: the hash, and the indexer's handlers. */
export async function prepareVirtual() {
  return { handlers: await loadHandlers() };
}

/**
 * Lives one seed in this process, in virtual time: the real contracts, the real handlers of the indexer and the real
 * rules of `facts/`, `settlement/` and `webhooks/`, with everything between them late, doubled, lost or taken back.
 */
export async function simulateVirtually(
  seed: number,
  { handlers }: Awaited<ReturnType<typeof prepareVirtual>>,
): Promise<VirtualResult> {
  const random = createRandom(seed, "virtual");
  const chain = createVirtualChain(random, start);
  const index = createLogIndex(chain, handlers, random);
  let clock = start;
  const ledger = createLedger(index, () => new Date((clock + random.whole(-2, 2)) * 1000), confirmations);
  const relayer = createRelayer(chain, confirmations, () => clock);
  const parts = { chain, index, ledger, relayer };
  const workers = [createWorker(parts, random, () => clock), createWorker(parts, random, () => clock + 90)];
  const wrong: string[] = [];
  for (const who of ["buyer", "stranger"] as const) chain.fund(wallets[who].address, minted);
  chain.mine(clock);

  const call = (who: Who, data: Hex, to: Hex = escrowContract) =>
    chain.send({ from: wallets[who].address, to, data });
  const escrowOf = ({ terms }: Order) => ({ escrowContract, terms });

  for (let round = 0; round < rounds; round += 1) {
    clock += random.pick([1, 1, 2, 12, 60, 301]);
    if (ledger.orders.length < orderCount && random.chance(0.4)) place();
    for (const order of ledger.orders) if (random.chance(0.5)) await act(order);
    if (random.chance(0.12)) chain.takeBack(random.pick([1, 1, 2, 5, 12]));
    if (random.chance(0.9)) chain.mine(clock);
    if (random.chance(0.05)) index.restart();
    if (random.chance(0.8)) await index.follow(random.whole(1, 6), random.chance(0.08));
    for (const worker of workers) for (let steps = random.whole(0, 4); steps > 0; steps -= 1) worker.step();
    if (random.chance(0.7)) relayer.round();
    for (const order of ledger.orders) if (random.chance(0.1)) queueDue(order);
    for (const order of ledger.orders) if (random.chance(0.02)) compareOptions(order);
  }
  await rest();

  const parties = (Object.keys(wallets) as Who[]).map((name) => ({
    ...{ name, address: wallets[name].address, token: "", secret: secretOf(name) },
    minted: name === "buyer" || name === "stranger" ? minted : 0n,
  }));
  const scene: Scene = {
    ...{ baseUrl: "", rpcUrl: "", escrowContract, token, relayer: relayerAddress, confirmations, since: 0n },
    ...{ parties, acknowledged: ledger.orders.map(({ id }) => id), unanswered: 0 },
    received: deliverAll(ledger.told, random, start),
  };
  const reading = viewOf({ chain, ledger, confirmations }, scene);
  wrong.push(...judge(scene, reading), ...judgeSpending());
  return {
    wrong,
    scene,
    reading,
    blocks: chain.blocks.length,
    facts: ledger.orders.reduce((sum, { facts }) => sum + facts.length, 0),
    reverted: ledger.orders.reduce(
      (sum, { facts }) => sum + facts.filter(({ type }) => type === "fact.reverted").length,
      0,
    ),
    statuses: ledger.orders.map(({ state }) => state.status),
  };

  function place(): void {
    const terms: Terms = {
      ...{ buyer: wallets.buyer.address, provider: wallets.provider.address, token },
      amount: BigInt(random.whole(1, 5_000_000)),
      fundBy: clock + random.pick([5, 1000, 5000]),
      deliveryWindow: random.pick([60, 300, 2000]),
      acceptanceWindow: random.pick([0, 60, 600]),
      disputeWindow: random.pick([60, 600]),
      appealWindow: random.pick([0, 60]),
      arbiter: random.chance(0.8) ? wallets.arbiter.address : zeroAddress,
      orderHash: random.hex(32),
    };
    ledger.place(terms, { buyer: "buyer", provider: "provider", arbiter: "arbiter" });
  }

  /** Has somebody try something with an order, over the API or on the chain. */
  async function act(order: Order): Promise<void> {
    const escrow = escrowOf(order);
    const by = random.pick(["buyer", "buyer", "provider", "provider", "arbiter", "stranger"] as const);
    const acts: (() => unknown)[] = [
      ...Array.from({ length: 4 }, () => () => call("buyer", createEscrowCall(escrow).data)),
      () =>
        call(
          "stranger",
          encodeFunctionData({
            abi: erc20Abi,
            functionName: "transfer",
            args: [order.depositAddress, order.amount],
          }),
          token,
        ),
      () => call(by, createEscrowFromDepositCall(escrow).data),
      () => call(by, returnDepositCall(escrow).data),
      () => step(order, "order.started", "provider"),
      () => step(order, "order.started", "provider"),
      () => deliver(order),
      () => deliver(order),
      () => step(order, "order.revision_requested", "buyer"),
      () => call("provider", recordDeliveryCall(escrow, latestOutput(order) ?? random.hex(32)).data),
      () => call("provider", recordDeliveryCall(escrow, random.hex(32)).data),
      () => call(by, plainCall(escrow, "release").data),
      () => call(by, plainCall(escrow, "refund").data),
      () => call(by, disputeCall(escrow, random.hex(32)).data),
      () =>
        call(
          "arbiter",
          decideDisputeCall(escrow, {
            providerAmount: BigInt(random.whole(0, Number(order.amount))),
            rulingHash: random.hex(32),
          }).data,
        ),
      () => call(by, plainCall(escrow, "settleDispute").data),
      () => relaySigned(order, random.pick(["release", "refund", "dispute"])),
      () => relayRecord(order),
      () => expire(order),
    ];
    await random.pick(acts)();
  }

  function step(
    order: Order,
    type: "order.started" | "order.revision_requested",
    actor: "buyer" | "provider",
  ): void {
    if (refuseStep(order.state, type)) return;
    ledger.record(order, [
      { type, actor, key: `${order.id}:${type}:${order.facts.length}`, data: {}, chain: null },
    ]);
  }

  function deliver(order: Order): void {
    if (refuseDelivery(order.facts, new Date(clock * 1000))) return;
    const key = `${order.id}:delivered:${order.facts.length}`;
    const data = { output_hash: random.hex(32) };
    ledger.record(order, [{ type: "order.delivered", actor: "provider", key, data, chain: null }]);
  }

  function latestOutput({ facts }: Order): Hex | null {
    const found = facts.findLast((fact: Fact) => fact.type === "order.delivered");
    return (found?.data.output_hash as Hex | undefined) ?? null;
  }

  function expire(order: Order): void {
    const { terms, state, id } = order;
    const getEscrow = encodeFunctionData({
      abi: escrowAbi,
      functionName: "getEscrow",
      args: [order.escrowId],
    });
    const status = hexToBigInt(toHex(chain.read(escrowContract, getEscrow).subarray(0, 32)));
    if (index.time() <= terms.fundBy || index.escrow(order.escrowId) || status !== 0n) return;
    if (refuseStep(state, "order.expired")) return;
    ledger.record(order, [
      { type: "order.expired", actor: "service", key: `${id}:expired`, data: {}, chain: null },
    ]);
  }

  function situationOf(order: Order, roles: readonly Role[]): Situation {
    return {
      ...{ chainId, escrowContract, escrowId: order.escrowId, terms: order.terms, roles },
      escrow: index.escrow(order.escrowId),
      outputHash: latestOutput(order),
      depositBalance: balanceAt(chain, order.depositAddress),
      now: BigInt(clock),
    };
  }

  function signBy(who: Who, data: TypedData): Promise<Hex> {
    return wallets[who].signTypedData(data as Parameters<LocalAccount["signTypedData"]>[0]);
  }

  async function relaySigned(order: Order, signedAct: SignedAct): Promise<void> {
    const who =
      signedAct === "release"
        ? "buyer"
        : signedAct === "refund"
          ? "provider"
          : random.pick(["buyer", "provider"] as const);
    const deadline = BigInt(clock + 86_400);
    const signature = await signBy(
      who,
      signedActData(signedAct, situationOf(order, []), { deadline, reasonHash: order.terms.orderHash }),
    );
    const given = { deadline, signature };
    const { data } = signedActCall(
      escrowOf(order),
      signedAct === "dispute"
        ? { ...given, act: signedAct, party: wallets[who].address, reasonHash: order.terms.orderHash }
        : { ...given, act: signedAct },
    );
    const isParty = chain.evm.ask({ from: relayerAddress, to: escrowContract, data, time: clock }).ok;
    const plain =
      signedAct === "dispute"
        ? disputeCall(escrowOf(order), order.terms.orderHash)
        : plainCall(escrowOf(order), signedAct);
    const self = chain.evm.ask({
      from: wallets[who].address,
      to: escrowContract,
      data: plain.data,
      time: clock,
    }).ok;
    if (isParty !== self)
      wrong.push(`${order.id}: ${signedAct} by signature is ${isParty}, and by call ${self}`);
    relayer.queue(`${order.escrowId}:${signedAct}:${who}`, data);
  }

  async function relayRecord(order: Order): Promise<void> {
    const data = recordDeliveryData(situationOf(order, []));
    const outputHash = latestOutput(order);
    const escrow = index.escrow(order.escrowId);
    if (!data || !outputHash || !escrow) return;
    const signature = await signBy("provider", data);
    const record = recordSignedDeliveryCall(escrowOf(order), {
      outputHash,
      deadline: escrow.deliveryDeadline,
      signature,
    });
    relayer.queue(`${order.escrowId}:recordDelivery:${escrow.deliveryCount + 1}`, record.data);
  }

  /** Has the service send what time has opened. What it sends at once, the contract must take. */
  function queueDue(order: Order): void {
    const { releaseDueAt } = order.state;
    const situation = situationOf(order, []);
    const due = findDue({ ...situation, releaseDueAt: releaseDueAt && unixOf(releaseDueAt) });
    if (!due) return;
    const { data } = plainCall(escrowOf(order), due);
    const { ok } = chain.evm.ask({ from: relayerAddress, to: escrowContract, data, time: clock });
    if (!ok && index.isTrue())
      wrong.push(`${order.id}: the service would send ${due}, and the contract refuses it`);
    relayer.queue(`${order.escrowId}:due:${due}`, data);
  }

  /** What the API says that somebody may do is what the contract takes from them, no less and no more. */
  function compareOptions(order: Order): void {
    if (!index.isTrue()) return;
    for (const who of Object.keys(wallets) as Who[]) {
      const roles: Role[] = who === "stranger" ? [] : [who];
      const situation = situationOf(order, roles);
      for (const { action, available, call: plain, choices } of settlementOptions(situation)) {
        const { data } = plain ?? choices[0]?.call ?? {};
        // Only the buyer has given leave to take the price.
        if (!data || (action === "fund" && who !== "buyer")) continue;
        const { ok } = chain.evm.ask({ from: wallets[who].address, to: escrowContract, data, time: clock });
        const isRepeated =
          action === "recordDelivery" && situation.escrow?.outputHash === situation.outputHash;
        if (ok !== available && !isRepeated)
          wrong.push(
            `${order.id}: ${who} may ${action}: ${available}, and the contract: ${ok} (at ${clock})`,
          );
      }
    }
  }

  /** Everything is mended, and time passes until nothing more happens. */
  async function rest(): Promise<void> {
    // What a node left out of blocks that are final by now, only a new index brings.
    index.rebuild();
    for (let turn = 0; turn < 12; turn += 1) {
      clock += 700;
      index.restart();
      await index.follow(Number.POSITIVE_INFINITY);
      for (const worker of workers) worker.finish();
      for (const order of ledger.orders) {
        expire(order);
        queueDue(order);
      }
      if (turn < 3 && ledger.orders.length > 0) compareOptions(random.pick(ledger.orders));
      relayer.round();
      for (let blocks = 0; blocks < confirmations; blocks += 1) chain.mine(clock);
    }
    // A fact of a block that is gone is taken back once the chain is as long again.
    const highest = Math.max(
      0,
      ...ledger.orders.flatMap(({ facts }) => facts.map(({ chain: at }) => Number(at?.blockNumber ?? 0))),
    );
    while (chain.head().number < highest) chain.mine(clock);
    clock += 700;
    for (const worker of [...workers, ...workers]) {
      index.restart();
      await index.follow(Number.POSITIVE_INFINITY);
      worker.finish();
      clock += 700;
    }
    if (!workers.every(({ isIdle }) => isIdle())) wrong.push("the workers do not come to rest");
  }

  /** What counts against a key is what was paid and did not come back. */
  function judgeSpending(): string[] {
    return ledger.orders.flatMap(({ id, facts, state, spending, amount }) => {
      const isOver = ["released", "refunded", "expired"].includes(state.status);
      const found: string[] = [];
      if (spending.givenBack < 0n || spending.givenBack > amount)
        found.push(`${id} gives back ${spending.givenBack}`);
      if (spending.isOpen === isOver)
        found.push(`${id} is ${state.status} and counts as open: ${spending.isOpen}`);
      if (state.status === "expired" && spending.givenBack !== amount)
        found.push(`${id} expired and still counts`);
      if (facts.length === 0) found.push(`${id} has no facts`);
      return found;
    });
  }
}
