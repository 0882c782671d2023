import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import { z } from "zod";
import type { Random } from "../random.ts";
import type { Person } from "./people.ts";

/** The plan of an order's parties, drawn from the seed. They retry each step until it succeeds. */
export type Plan = {
  rail: "escrow" | "x402";
  pays: boolean;
  works: boolean;
  record: "relayed" | "own" | "bare" | "none";
  revises: boolean;
  intends: boolean;
  end: "release" | "refund" | "dispute" | "time";
  /** the acting party, if both parties may act */
  by: "buyer" | "provider";
  /** whether parties sign actions for the service to send, or send them themselves */
  signs: boolean;
  /** the provider's part of 2.5 tokens in the arbiter's decision; null without a decision */
  ruling: string | null;
};

export function drawPlan(random: Random): Plan {
  return {
    rail: random.pick(["escrow", "x402"]),
    pays: random.chance(0.9),
    works: random.chance(0.85),
    record: random.pick(["relayed", "relayed", "own", "bare", "none"]),
    revises: random.chance(0.2),
    intends: random.chance(0.15),
    end: random.pick(["release", "release", "refund", "dispute", "time"]),
    by: random.pick(["buyer", "provider"]),
    signs: random.chance(0.6),
    ruling: random.pick(["0", "2.5", "1.2", null]),
  };
}

/** An order from the view of its parties. */
export type PlannedOrder = {
  plan: Plan;
  buyer: Person;
  provider: Person;
  arbiter: Person;
  /** null until an answer has the id */
  orderId: string | null;
};

/** A published service of a provider. */
export type Offer = { provider: Person; serviceId: string };

const orderSchema = z.object({
  id: z.string(),
  status: z.string(),
  settlement_rail: z.string(),
  delivery_record: z.string().nullish(),
});
const callSchema = z.object({
  to: z.string().transform((text) => text as Address),
  data: z.string().transform((text) => text as Hex),
});
const typedDataSchema = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});
export const optionsSchema = z.object({
  actions: z.array(
    z.object({
      action: z.string(),
      available: z.boolean(),
      call: callSchema.nullable(),
      typed_data: typedDataSchema.nullable(),
    }),
  ),
});

/** Publishes an agent of a provider with one service, whose windows are as short as possible. */
export async function offerService(provider: Person, slug: string): Promise<Offer> {
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await provider.ask(method, path, body);
    if (!answer || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  await must("POST", "/agents", { slug, name: slug });
  await must("PUT", `/agents/${slug}/payout-wallet`, { address: provider.account.address });
  await must("POST", `/agents/${slug}/publish`);
  const service = {
    slug: "work",
    title: "Work",
    pricing_model: "fixed",
    price: "2.5",
    delivery_time_hours: 1,
    acceptance_hours: 1,
  };
  await must("POST", `/agents/${slug}/services`, service);
  const published = await must("POST", `/agents/${slug}/services/work/publish`);
  return { provider, serviceId: z.object({ id: z.string() }).parse(published).id };
}

/**
 * Carries out the plan of an order until the signal: reads the status, and lets the party in turn take its next step.
 *
 * @param until a status at which the function returns too. Without it, steps are repeated that leave the chain
 */
export async function carryOut(
  planned: PlannedOrder,
  offer: Offer,
  { key, signal, until }: { key: string; signal: AbortSignal; until?: string },
): Promise<void> {
  const done = new Set<string>();
  while (!signal.aborted) {
    const status = await takeStep(planned, offer, key, done).catch(() => null);
    if (status !== null && status === until) return;
    await sleep(500);
  }
}

/** Takes the next step. Returns the order's status; null if no answer has it. */
async function takeStep(
  planned: PlannedOrder,
  { serviceId }: Offer,
  key: string,
  done: Set<string>,
): Promise<string | null> {
  const { plan, buyer, provider, arbiter } = planned;
  if (!planned.orderId) {
    const body = { service_id: serviceId, settlement_rail: plan.rail, input_payload: {} };
    const placed = await buyer.ask("POST", "/orders", body, key);
    if (placed?.status === 201) planned.orderId = orderSchema.parse(placed.body).id;
    else if (placed) throw new Error(`An order was refused: ${JSON.stringify(placed)}`);
    return null;
  }
  const path = `/orders/${planned.orderId}`;
  const read = await buyer.ask("GET", path);
  if (read?.status !== 200) return null;
  const { status } = orderSchema.parse(read.body);
  const by = plan.by === "buyer" ? buyer : provider;

  await next();
  return status;

  async function next(): Promise<void> {
    switch (status) {
      case "created":
        if (plan.pays) await (plan.rail === "x402" ? payBySignature() : payByCalls());
        return;
      case "funded":
        if (plan.intends)
          await once("intend", () => by.ask("POST", `${path}/dispute-intent`, { reason: "Slow." }));
        if (plan.works) await provider.ask("POST", `${path}/start`);
        else await end();
        return;
      case "started":
        await deliver();
        return;
      case "delivered":
        if (plan.revises && !done.has("revise")) {
          await once("revise", () => buyer.ask("POST", `${path}/revision`, { reason: "More." }));
          return;
        }
        if (await recordDelivery()) await end();
        return;
      case "disputed":
        await decide();
        return;
      default:
    }
  }

  async function once(what: string, act: () => Promise<unknown>): Promise<void> {
    if (done.has(what)) return;
    if (await act()) done.add(what);
  }

  async function payByCalls(): Promise<void> {
    const answer = await buyer.ask("GET", `${path}/payment-instructions`);
    if (answer?.status !== 200) return;
    const { calls } = z.object({ calls: z.array(callSchema) }).parse(answer.body);
    await buyer.send(...calls);
  }

  async function payBySignature(): Promise<void> {
    const known = await buyer.ask("GET", `${path}/payment`);
    const payment = z.object({ payment: z.object({ status: z.string() }).nullable() }).safeParse(known?.body)
      .data?.payment;
    if (payment && payment.status !== "failed") return;
    const answer = await buyer.ask("GET", `${path}/payment-instructions`);
    if (answer?.status !== 200) return;
    const { typed_data } = z.object({ typed_data: typedDataSchema }).parse(answer.body);
    const signature = await sign(buyer, typed_data);
    await buyer.ask("POST", `${path}/payment`, { signature, authorization: typed_data.message });
  }

  async function deliver(): Promise<void> {
    const output_payload = { text: done.has("revise") ? "the work, again" : "the work" };
    await provider.ask("POST", `${path}/deliver`, { output_payload });
  }

  /** Records the delivery as planned. Returns whether there is nothing left to record. */
  async function recordDelivery(): Promise<boolean> {
    if (plan.record === "none") return true;
    if (plan.record === "bare") {
      await once("bare", () =>
        takeOption(provider, "recordDelivery", false, (call) => ({
          ...call,
          data: recordedOtherwise(call.data),
        })),
      );
      return done.has("bare");
    }
    const answer = await provider.ask("GET", `${path}/settlement-options`);
    const { actions } = optionsSchema.parse(answer?.body);
    const option = actions.find(({ action }) => action === "recordDelivery");
    if (!option?.available || !option.call) return true;
    if (plan.record === "own") {
      await takeOption(provider, "recordDelivery", false);
      return false;
    }
    const signing = await provider.ask("GET", `${path}/delivery-record`);
    if (signing?.status !== 200) return false;
    const { typed_data } = z.object({ typed_data: typedDataSchema }).parse(signing.body);
    await provider.ask("POST", `${path}/delivery-record`, { signature: await sign(provider, typed_data) });
    return false;
  }

  async function end(): Promise<void> {
    if (plan.end === "release") await takeOption(buyer, "release", plan.signs);
    else if (plan.end === "refund") await takeOption(provider, "refund", plan.signs);
    else if (plan.end === "dispute") await takeOption(by, "dispute", plan.signs);
  }

  async function decide(): Promise<void> {
    if (plan.ruling === null) return;
    const answer = await arbiter.ask("GET", `${path}/dispute/decision?provider_amount=${plan.ruling}`);
    if (answer?.status !== 200) return;
    const { typed_data, call } = z
      .object({ typed_data: typedDataSchema, call: callSchema })
      .parse(answer.body);
    if (!plan.signs) {
      await arbiter.send(call);
      return;
    }
    await arbiter.ask("POST", `${path}/dispute/decision`, {
      provider_amount: plan.ruling,
      deadline: String(typed_data.message.deadline),
      signature: await sign(arbiter, typed_data),
    });
  }

  /** Carries out a settlement option, by a signature or by a call. */
  async function takeOption(
    person: Person,
    name: string,
    signs: boolean,
    change: (call: { to: Address; data: Hex }) => { to: Address; data: Hex } = (call) => call,
  ): Promise<boolean> {
    const answer = await person.ask("GET", `${path}/settlement-options`);
    const { actions } = optionsSchema.parse(answer?.body);
    const option = actions.find(({ action }) => action === name);
    if (!option?.available) return false;
    if (signs && option.typed_data) {
      const deadline = String(option.typed_data.message.deadline);
      const signature = await sign(person, option.typed_data);
      await person.ask("POST", `${path}/${name}`, { signature, deadline });
      return true;
    }
    if (!option.call) return false;
    await person.send(change(option.call));
    return true;
  }
}

/** Returns the delivery record for another output, which was never delivered. */
function recordedOtherwise(data: Hex): Hex {
  return `${data.slice(0, -64)}${"ab".repeat(32)}` as Hex;
}

function sign({ account }: Person, data: z.output<typeof typedDataSchema>): Promise<Hex> {
  return account.signTypedData(data as Parameters<typeof account.signTypedData>[0]);
}
