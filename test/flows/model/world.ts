import { sql } from "drizzle-orm";
import { type Address, getAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../../jobs/chain/reorganisations.ts";
import { settleDue } from "../../../jobs/orders/due-settlements.ts";
import { expireOrders } from "../../../jobs/orders/expire-orders.ts";
import { createTestApi, publishService, type Session, signIn } from "../../harness/api.ts";
import { forkChain } from "../../harness/chain.ts";
import { agree, type Case, countChainFacts, nameOf } from "./case.ts";
import { openChain } from "./chain.ts";
import { compareAll, compareOverApi, inLanes, readRelays, readTrails } from "./compare.ts";
import { createIndex } from "./index.ts";
import { placeOrders } from "./placing.ts";
import { amount, type Plan, type Round } from "./plan.ts";
import { requestOf } from "./requests.ts";
import type { ApiAct, ChainAct, Order, Who } from "./rules.ts";
import * as rules from "./rules.ts";

/** A transaction to be mined: its order, its act, and whether it is a relay. */
type Sending = { of: Case; act: ChainAct; key?: string; from: Address; to: Address; data: Hex };

/**
 * A chain, a database and the API, with all parties signed in. The test calls the worker's rounds one by
 * one, runs the indexer in this process, and sends the relayer's calls itself. Nothing waits, so thousands
 * of lives fit.
 */
export async function openWorld() {
  const testChain = await forkChain();
  const gas = "2000000000";
  const env = { RELAY_GAS_PER_HOUR: gas, RELAY_GAS_PER_HOUR_31337: gas };
  const api = await createTestApi({ chain: testChain, env });
  const { db, config } = api;
  const signer = readReceiptSigner(config);
  const people: Record<Who, Session> = {
    buyer: await signIn(api),
    provider: await signIn(api),
    arbiter: await signIn(api),
    outsider: await signIn(api),
  };
  const courier = privateKeyToAccount(generatePrivateKey());
  const { agent, service } = await publishService(api, people.provider);
  const parties = { ...people, agentId: agent.id as string, serviceId: service.id as string };
  const accounts = [...Object.values(people).map(({ account }) => account), courier];
  const chain = await openChain(
    testChain,
    accounts.map(({ address }) => address),
  );
  const index = await createIndex(db, testChain.chain.chain_id);
  const compare = (cases: Case[]) => compareAll({ db, chain, token: testChain.chain.token.address }, cases);
  /** The count of each act's outcomes, over all batches. */
  const tally = new Map<string, Map<string, number>>();
  /** Unix seconds of the newest block. */
  let clock = chain.opened;

  return {
    tally,
    async close(): Promise<void> {
      await api.close();
      await testChain.close();
    },

    /**
     * Runs a batch of lives. Throws at any difference from the model, on the chain, in the ledger or in an
     * answer.
     */
    async run(plan: Plan): Promise<void> {
      const rows = await placeOrders(db, testChain.chain, parties, plan.lives, clock);
      const cases = plan.lives.map((life, at): Case => {
        const { delivery, acceptance, dispute, appeal, arbitrated } = life;
        const row = rows[at] as OrderRow;
        const deal = { amount, fundBy: row.fundBy, delivery, acceptance, dispute, appeal, arbitrated };
        return { life, row, order: rules.placed(deal) };
      });
      for (const [number, round] of plan.rounds.entries()) await live(cases, number, round);
      await finish(cases);
      await compareOverApi({ api, db }, people.buyer, cases);
    },
  };

  async function live(cases: Case[], number: number, round: Round): Promise<void> {
    await inLanes(cases, (one) => askAtOnce(one, one.life.steps[number]?.api ?? []));
    if (round.due) await queueDue(cases);
    const raw = cases.flatMap((of) => (of.life.steps[number]?.chain ?? []).map((act) => send(of, act)));
    const sendings = [...raw, ...(await relayCalls(cases))];
    const before = {
      chain: await chain.keep(),
      index: index.keep(),
      orders: cases.map(({ order }) => order),
    };
    clock += round.wait;
    await mine(sendings);
    await work(cases);
    await compare(cases);
    if (!round.replaced) return;

    // Another block replaces this one, with only some of the parties' own transactions.
    const { keeps, settlesFirst } = round.replaced;
    await chain.rewind(before.chain);
    const was = (at: number) => before.orders[at] as Order;
    const lost = cases.map(({ order }, at) => countChainFacts(order) - countChainFacts(was(at)));
    for (const [at, one] of cases.entries()) {
      one.order = rules.rewound(one.order, was(at), settlesFirst ? 0 : (lost[at] ?? 0));
    }
    await index.rewind(before.index, before.chain.block);
    clock += 1;
    await mine(raw.filter((_, at) => at % 4 < keeps).reverse());
    if (settlesFirst) await settleNow();
    const reverting = await followReorganisations(db, config, signer, { missing: new Map(), missingMs: 0 });
    expect(reverting.reverted).toBe(lost.reduce((sum, count) => sum + count, 0));
    for (const [at, one] of cases.entries()) {
      if (settlesFirst) one.order = rules.rewound(one.order, one.order, lost[at] ?? 0);
      // Relays of the removed block are in flight again; refused ones stay refused.
      for (const [key, { state }] of Object.entries(one.order.relays)) {
        const waited = was(at).relays[key]?.state === "waiting";
        if (state === "mined" && waited) one.order = rules.followed(one.order, key, "waiting");
      }
    }
    await work(cases);
    await compare(cases);
  }

  /** Runs the worker's rounds after a block is indexed. */
  async function work(cases: Case[]): Promise<void> {
    await settleNow();
    await expireOrders(db, config);
    for (const one of cases) one.order = rules.expire(one.order, clock);
  }

  async function settleNow(): Promise<void> {
    const { failed } = await recordChainEvents(db, config, signer);
    expect(failed).toBe(0);
  }

  /** Moves time forward until the worker or anybody ends every order: no money is left. */
  async function finish(cases: Case[]): Promise<void> {
    const ends = ["expired", "released", "refunded"];
    const isOpen = ({ order }: Case) => !ends.includes(rules.statusOf(order)) || order.deposit > 0n;
    for (let turn = 0; cases.some(isOpen); turn += 1) {
      for (const one of cases.filter(isOpen)) agree(turn < 4, true, one);
      clock += 10_000;
      await mine([]);
      await queueDue(cases);
      const relayed = await relayCalls(cases);
      const waiting = new Set(relayed.map(({ of }) => of));
      // A refused call of the service waits before its retry; meanwhile anybody may send it.
      const open = cases.flatMap((of) => {
        const act = waiting.has(of) ? null : rules.openToAnyone(of.order, clock);
        const deposit: ChainAct[] = of.order.deposit > 0n ? [{ kind: "returnDeposit", by: "outsider" }] : [];
        return [...(act ? [act] : []), ...deposit].map((one) => send(of, one));
      });
      clock += 1;
      await mine([...relayed, ...open]);
      await work(cases);
      await compare(cases);
    }
  }

  /** Sends concurrent requests. Their answers must fit one order of events. */
  async function askAtOnce(one: Case, acts: ApiAct[]): Promise<void> {
    if (acts.length === 0) return;
    const requests = await Promise.all(
      acts.map((act) => requestOf(one, act, { caller: people[act.by], forger: courier, now: clock })),
    );
    const answers = await Promise.all(requests.map((request) => api.request(...request)));
    const codes = answers.map(({ status, body }) =>
      status === 200 ? "done" : status === 202 ? "relayed" : String(body.error?.code),
    );
    const [first, second] = acts as [ApiAct, ApiAct?];
    const outcomes = [foretell(one.order, first, second)];
    if (second) {
      const other = foretell(one.order, second, first);
      outcomes.push({ order: other.order, codes: other.codes.reverse() });
    }
    const fitting = outcomes.filter((outcome) => outcome.codes.join() === codes.join());
    if (fitting.length === 0) {
      agree(codes, outcomes[0]?.codes, one, { acts, errors: answers.map(({ body }) => body.error) });
    }
    for (const [at, act] of acts.entries()) count(`${act.kind} (API)`, codes[at] as string);
    // Two accepted requests may have come in either order: the ledger has it.
    const trail = fitting.length > 1 ? (await readTrails(db, [one])).get(one.row.id) : undefined;
    const found = fitting.find(({ order }) => !trail || order.trail.join() === trail.join());
    one.order = (found ?? fitting[0])?.order as Order;
  }

  function foretell(order: Order, first: ApiAct, second?: ApiAct): { order: Order; codes: string[] } {
    const one = rules.ask(order, first, clock);
    if (!second) return { order: one.order, codes: [one.code] };
    const two = rules.ask(one.order, second, clock);
    return { order: two.order, codes: [one.code, two.code] };
  }

  async function queueDue(cases: Case[]): Promise<void> {
    await settleDue(db, config);
    for (const one of cases) {
      const act = rules.dueByUs(one.order, clock);
      const relays = Object.entries(one.order.relays);
      // After a refused call of the service the order waits for longer than this takes.
      const rests = relays.some(([name, { state }]) => name.startsWith("due:") && state === "failed");
      if (!act || rests || relays.some(([, { state }]) => state === "waiting")) continue;
      const key = `due:${act.kind === "settle" ? "settleDispute" : act.kind}`;
      one.order = rules.relay(one.order, key, act).order;
    }
  }

  /** Returns the queued relays of the relayer, equal to the model's. */
  async function relayCalls(cases: Case[]): Promise<Sending[]> {
    const stored = await readRelays(db, cases);
    return cases.flatMap((of) => {
      const rows = stored.get(of.row.id) ?? [];
      const pending = rows.filter(({ status }) => status === "queued" || status === "signed");
      const waiting = Object.entries(of.order.relays).filter(([, { state }]) => state === "waiting");
      const names = pending.map(({ key }) => nameOf(of, key));
      agree(names.sort(), waiting.map(([key]) => key).sort(), of);
      return waiting.map(([key, { call: act }]) => {
        const row = pending.find((one) => nameOf(of, one.key) === key);
        return {
          of,
          act,
          key,
          from: courier.address,
          to: getAddress(row?.to ?? "0x"),
          data: row?.data ?? "0x",
        };
      });
    });
  }

  /** Sends an act from the party's own wallet. */
  function send(of: Case, act: ChainAct): Sending {
    return { of, act, from: people[act.by].account.address, ...chain.callOf(of.row, act) };
  }

  /** Mines a block of these transactions, compares each with the model in block order, and indexes it. */
  async function mine(sendings: Sending[]): Promise<void> {
    const byHash = new Map<Hex, Sending>();
    await Promise.all(sendings.map(async (one) => byHash.set(await chain.send(one.from, one), one)));
    const { block, outcomes, logs } = await chain.mine(clock);
    expect(outcomes.length).toBe(sendings.length);
    const relayed: { key: string; hash: Hex; state: "mined" | "failed" }[] = [];
    for (const { hash, succeeded } of outcomes) {
      const { of, act, key } = byHash.get(hash) as Sending;
      const after = rules.call(of.order, act, clock);
      agree(succeeded, after !== null, of, { act, clock });
      count(`${act.kind}${key ? " (relayed)" : ""}`, succeeded ? "mined" : "refused");
      of.order = after ?? of.order;
      if (!key) continue;
      const state = succeeded ? "mined" : "failed";
      of.order = rules.followed(of.order, key, state);
      relayed.push({ key: `${of.row.escrowId}:${key}`, hash, state });
    }
    if (relayed.length > 0) {
      const values = relayed.map(({ key, hash, state }) => sql`(${key}, ${hash}, ${state})`);
      await db.execute(sql`
        update earnest.relay r set status = v.state, transaction_hash = v.hash
        from (values ${sql.join(values, sql`, `)}) v (key, hash, state) where r.key = v.key`);
    }
    await index.add({ ...block, logs });
  }

  function count(act: string, outcome: string): void {
    const outcomes = tally.get(act) ?? new Map<string, number>();
    tally.set(act, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  }
}
