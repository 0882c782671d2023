import { z } from "zod";
import type { ListedOrder, Order } from "../src/index.ts";
import { markUntrusted, untrustedSchema } from "./untrusted-text.ts";

/** The fields of an order in tools. */
export const orderFields = {
  order_id: z.string(),
  reference: z.string().describe("A short, human-readable order number."),
  status: z
    .string()
    .describe("created, funded, started, delivered, disputed, released, refunded or expired."),
  approval: z
    .string()
    .nullable()
    .describe(
      "pending: an owner of the account has to approve the order before it can be paid. null: no approval is needed.",
    ),
  service_id: z.string(),
  service: z.string().describe("The service's slug."),
  agent_id: z.string(),
  agent: z.string().describe("The agent's slug."),
  quantity: z.number(),
  amount: z
    .string()
    .describe("The total price, an exact decimal; of a metered order the most that is charged."),
  units: z.number().nullable().describe("The units that a metered order's delivery charges."),
  charge: z.string().nullable().describe("Their price, which the provider gets."),
  stages: z
    .array(
      z.object({
        number: z.number(),
        amount: z.string(),
        state: z
          .string()
          .describe("open, delivered (it waits for the buyer), accepted, disputed or returned."),
        due_at: z.string().nullable(),
      }),
    )
    .nullable()
    .describe("The stages, each delivered and paid by itself; null for one delivery."),
  currency: z.string().describe("The symbol of the token that pays."),
  settlement_rail: z
    .string()
    .describe("x402: one signature, no gas. escrow: two transactions of the wallet."),
  chain_id: z.number(),
  payee: z.string().describe("The provider's wallet, which the escrow pays on release."),
  buyer: z.string().describe("The wallet that pays and gets refunds."),
  arbiter: z.string(),
  escrow_status: z.string(),
  delivery_record: z.string(),
  created_at: z.string(),
  funding_deadline: z.string(),
  funded_at: z.string().nullable(),
  delivery_deadline: z.string().nullable(),
  delivered_at: z.string().nullable(),
  acceptance_ends_at: z.string().nullable(),
  auto_release_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  untrusted: untrustedSchema({
    service_title: z.string().describe("From the signed agreement."),
    agent_name: z.string().describe("As it was when the order was placed."),
    stage_titles: z.array(z.string()).nullable(),
  }),
};

/** Shows an order. The text that users wrote is below `untrusted`. */
export function showOrder(order: Order | ListedOrder) {
  return {
    order_id: order.id,
    reference: order.reference,
    status: order.status as string,
    approval: (order.approval?.status ?? null) as string | null,
    service_id: order.service_id,
    service: order.service.slug,
    agent_id: order.agent_id,
    agent: order.agent.slug,
    quantity: order.quantity,
    amount: order.total_amount,
    units: order.units,
    charge: order.charge,
    stages:
      order.stages?.map(({ number, amount, state, due_at }) => ({
        number,
        amount,
        due_at,
        state: state as string,
      })) ?? null,
    currency: order.currency,
    settlement_rail: order.settlement_rail as string,
    chain_id: order.escrow.chain_id,
    payee: order.provider_address,
    buyer: order.buyer_address,
    arbiter: order.arbiter,
    escrow_status: order.escrow.status as string,
    delivery_record: order.delivery_record as string,
    created_at: order.created_at,
    funding_deadline: order.funding_deadline,
    funded_at: order.funded_at,
    delivery_deadline: order.delivery_deadline,
    delivered_at: order.delivered_at,
    acceptance_ends_at: order.acceptance_ends_at,
    auto_release_at: order.auto_release_at,
    completed_at: order.completed_at,
    untrusted: markUntrusted({
      service_title: order.service.title,
      agent_name: order.agent.name,
      stage_titles: order.stages?.map(({ title }) => title) ?? null,
    }),
  };
}

const nextSteps: Record<string, string> = {
  created: "It is not paid. The buyer checks it with preview_payment, then pays with pay_order.",
  funded: "The money is in escrow. The provider starts and delivers; the buyer waits with wait_for_order.",
  started: "The provider is working. The buyer waits with wait_for_order.",
  delivered:
    "The buyer reads the delivery with get_output, then calls accept_delivery, request_changes or open_dispute.",
  disputed: "The money is held until the arbiter decides or the deadlines pass.",
  released: "The provider is paid. get_receipt has the proof.",
  refunded: "The buyer was refunded. get_receipt has the proof.",
  expired: "The order expired unpaid.",
};

/** Describes an order's status and the next step. */
export function describeOrder(order: Order | ListedOrder): string {
  const { id, reference, status, total_amount, currency } = order;
  if (status === "created" && order.approval && order.approval.status !== "approved") {
    return `${id} (${reference}) for ${total_amount} ${currency} is created. Its approval by an owner is ${order.approval.status}: it cannot be paid now.`;
  }
  const sentence = `${id} (${reference}) for ${total_amount} ${currency} is ${status}.`;
  return [sentence, describeStage(order), nextSteps[status]].filter(Boolean).join(" ");
}

/** Names the stage of an open order that is worked on or waits for the buyer; null without stages. */
function describeStage({ stages, currency }: Order | ListedOrder): string | null {
  const stage = stages?.find(({ state }) => state !== "accepted" && state !== "returned");
  if (!stages || !stage) return null;
  return `Stage ${stage.number} of ${stages.length}, for ${stage.amount} ${currency}, is ${stage.state}.`;
}
