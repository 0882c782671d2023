import { z } from "zod";
import { findNetwork } from "../../../../protocol/settlement/index.ts";
import { authorize, compareInstructions, payingCalls } from "../../src/buying/paying.ts";
import { fromBaseUnits, type Progress, toBaseUnits } from "../../src/index.ts";
import { type ReadOrder, readOrder } from "../agreed-order.ts";
import { type Call, defineTool } from "../tool.ts";
import { RefusedCall, type ToolContext } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

/** What a person has to see before a payment: how much, where, to whom. */
const dueFields = {
  order_id: z.string(),
  reference: z.string(),
  status: z.string().describe("Of the order."),
  approval: z
    .string()
    .nullable()
    .describe("pending: an owner has to approve the order before it can be paid."),
  amount: z.string(),
  currency: z.string(),
  token: z.string(),
  chain_id: z.number(),
  chain: z.string(),
  payee: z.string().describe("The provider's wallet: it gets the money at release, and nobody else can."),
  payer: z.string().describe("The buyer's wallet, which a refund goes to."),
  escrow_contract: z.string(),
  deposit_address: z.string(),
  settlement_rail: z.string(),
  funding_deadline: z.string(),
};

/** What is due, by the order's agreement: no instructions are asked for, which would count against a key's limits. */
function dueOf({ order, agreed }: ReadOrder) {
  const { decimals } = agreed.agreement.token as { decimals: number };
  return {
    order_id: order.id,
    reference: order.reference,
    status: order.status as string,
    approval: order.approval?.status ?? null,
    amount: fromBaseUnits(agreed.terms.amount, decimals),
    currency: order.currency,
    token: agreed.terms.token as string,
    chain_id: agreed.chainId,
    chain: findNetwork(agreed.chainId)?.network_name ?? `eip155:${agreed.chainId}`,
    payee: agreed.terms.provider as string,
    payer: agreed.terms.buyer as string,
    escrow_contract: agreed.escrowContract as string,
    deposit_address: agreed.depositAddress as string,
    settlement_rail: order.settlement_rail as string,
    funding_deadline: order.funding_deadline,
  };
}
type Due = ReturnType<typeof dueOf>;

/** @throws UntrustedOrderError where the instructions say something else than the agreement */
async function readInstructions({ earnest }: ToolContext, { order, agreed }: ReadOrder, signal: AbortSignal) {
  const shown = await earnest.orders.getPaymentInstructions(order.id, { signal });
  const { decimals } = agreed.agreement.token as { decimals: number };
  compareInstructions(shown, { agreed, decimals, rail: order.settlement_rail });
  return shown;
}

const describeDue = ({ order_id, amount, currency, chain, chain_id, payee }: Due) =>
  `${order_id} costs ${amount} ${currency} on ${chain} (chain ${chain_id}), held in escrow for the payee ${payee}.`;

const previewPayment = defineTool({
  name: "preview_payment",
  title: "Preview a payment",
  description:
    "Shows what pay_order would pay: amount, currency, chain, payee, and the limits of a wallet that this program holds. Every field is recomputed from the order's agreement. Nothing is signed. Show it to the user before you pay.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({ order_id: schemas.orderId }),
  output: z.object({
    ...dueFields,
    wallet: z
      .object({
        address: z.string(),
        limit_per_order: z.string(),
        limit_per_day: z.string(),
        spent_within_a_day: z.string(),
      })
      .nullable()
      .describe("The wallet that this program pays with; null: it holds none and gives data to sign."),
  }),
  async run(context, { order_id }, { signal }) {
    const read = await readOrder(context, order_id, signal);
    const due = dueOf(read);
    const held = context.wallet;
    const wallet = held && {
      address: held.address,
      limit_per_order: held.limits.perOrder,
      limit_per_day: held.limits.perDay,
      spent_within_a_day: await held.spent(),
    };
    return { sentence: `${describeDue(due)} The order is ${due.status}.`, facts: { ...due, wallet } };
  },
});

const payOrder = defineTool({
  name: "pay_order",
  title: "Pay an order",
  description:
    "Pays an order of the account into its escrow. Say the amount and the chain that preview_payment showed and the user agreed to: the call is refused where they differ. Where this program holds a wallet, it signs and waits for the chain; else it pays nothing and returns unsigned data (`to_sign` or `calls`) for the user's wallet. One order is paid once, however often this is called.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    order_id: schemas.orderId,
    expected_amount: schemas.amount.describe("The whole amount, as preview_payment showed it."),
    expected_chain_id: z.number().int().min(1).describe("As preview_payment showed it."),
    expected_payee: z.string().max(42).optional().describe("The payee, as preview_payment showed it."),
    signature: schemas.signature,
    authorization: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The `message` of the `to_sign` that was signed. Only together with `signature`."),
    idempotency_key: schemas.optionalKey,
  }),
  output: z.object({
    payment: z
      .enum(["unsigned", "handed_in", "funded", "paid_before"])
      .describe(
        "unsigned: nothing is paid, a wallet has to sign; handed_in: on its way to the chain; funded: the escrow holds the money.",
      ),
    ...dueFields,
    to_sign: schemas.typedData.nullable().describe("EIP-712 typed data, which the payer's wallet signs."),
    calls: z
      .array(z.object({ function: z.string(), to: z.string(), data: z.string(), value: z.string() }))
      .nullable()
      .describe("Calls for the payer's wallet to send, in this order."),
    payment_id: z.string().nullable(),
  }),
  async run(context, input, call) {
    const { signal } = call;
    const read = await readOrder(context, input.order_id, signal);
    const { order, agreed } = read;
    const due = dueOf(read);
    requireExpected(due, input);
    if (order.status === "expired") {
      throw new RefusedCall(
        "invalid_state",
        `${order.id} is over: nobody paid in time. Place another order.`,
      );
    }
    const nothing = { to_sign: null, calls: null, payment_id: null };
    const { payment } = await context.earnest.orders.getPayment(order.id, { signal });
    if (order.status !== "created" || (payment && payment.status !== "failed")) {
      return {
        sentence: `${order.id} was paid before, or is being paid: it is ${order.status}. Nothing more was paid.`,
        facts: { ...due, payment: "paid_before" as const, ...nothing, payment_id: payment?.id ?? null },
      };
    }
    if (input.signature !== undefined) {
      const { signature, authorization } = input;
      if (authorization === undefined) {
        throw new RefusedCall("invalid_arguments", "Send `authorization` together with `signature`.");
      }
      const options = { signal, ...schemas.keyOf("pay_order", input.idempotency_key) };
      const paid = await context.earnest.orders.pay(order.id, { signature, authorization }, options);
      return {
        sentence: `${describeDue(due)} The signature is handed in. wait_for_order says when the order is funded.`,
        facts: { ...due, payment: "handed_in" as const, ...nothing, payment_id: paid.payment.id },
      };
    }
    if (context.wallet) return await payHere(context, due, call);
    const shown = await readInstructions(context, read, signal);
    if (order.settlement_rail === "escrow") {
      const calls = payingCalls(agreed, shown).map(({ function: name, to, data, value }) => ({
        function: name,
        to,
        data,
        value,
      }));
      return {
        sentence: `${describeDue(due)} Nothing is paid: this program holds no wallet. The wallet ${due.payer} has to send the two calls in \`calls\`.`,
        facts: { ...due, payment: "unsigned" as const, ...nothing, calls },
      };
    }
    const payer = { address: agreed.terms.buyer, node: null };
    const to_sign = await authorize({ agreed, signer: payer }, shown);
    return {
      sentence: `${describeDue(due)} Nothing is paid: this program holds no wallet. Have the wallet ${due.payer} sign \`to_sign\`, then call pay_order again with \`signature\`, and its \`message\` as \`authorization\`.`,
      facts: { ...due, payment: "unsigned" as const, ...nothing, to_sign },
    };
  },
});

/** @throws RefusedCall where the order costs, or pays, something else than the caller believes */
function requireExpected(
  due: Due,
  expected: { expected_amount: string; expected_chain_id: number; expected_payee?: string | undefined },
): void {
  const differs = (what: string, found: string, said: string) =>
    new RefusedCall(
      "payment_differs",
      `Nothing was paid. The ${what} of ${due.order_id} is ${found}, and ${said} was expected. Show preview_payment to the user, and ask again.`,
    );
  if (toBaseUnits(expected.expected_amount, 18) !== toBaseUnits(due.amount, 18)) {
    throw differs("amount", `${due.amount} ${due.currency}`, expected.expected_amount);
  }
  if (expected.expected_chain_id !== due.chain_id) {
    throw differs("chain", String(due.chain_id), String(expected.expected_chain_id));
  }
  const { expected_payee: payee } = expected;
  if (payee !== undefined && payee.toLowerCase() !== due.payee.toLowerCase()) {
    throw differs("payee", due.payee, payee);
  }
}

/** Pays with the wallet that this program holds, within its limits, and waits until the escrow holds the money. */
async function payHere(context: ToolContext, due: Due, call: Call) {
  const held = context.wallet;
  if (!held) throw new RefusedCall("no_wallet", "This program holds no wallet.");
  if (due.approval !== null && due.approval !== "approved") {
    // The service would refuse as well, after the payment was booked.
    throw new RefusedCall(
      "approval_required",
      `Nothing was paid. An owner has to approve ${due.order_id} first; its approval is ${due.approval}. wait_for_order with "approved" waits for it.`,
    );
  }
  await held.book(due.order_id, due.amount);
  const nothing = { to_sign: null, calls: null, payment_id: null };
  let signed = false;
  const ended = AbortSignal.any([call.signal, AbortSignal.timeout(context.waits.longest * 1000)]);
  try {
    const purchase = await context.earnest.resume(due.order_id, {
      wallet: held.wallet,
      maxAmount: due.amount,
      chainId: due.chain_id,
      provider: due.payee,
      signal: ended,
      async onProgress(progress: Progress) {
        if (progress.step !== "agreed") signed = true;
        const done = { agreed: 1, sent: 2, signed: 2, funded: 3 }[progress.step];
        await call.progress(done, 3, `${due.order_id}: ${progress.step}`);
      },
    });
    const { payment } = await context.earnest.orders.getPayment(purchase.orderId);
    return {
      sentence: `Paid. ${describeDue(due)} The order is ${purchase.order.status}.`,
      facts: { ...due, payment: "funded" as const, ...nothing, payment_id: payment?.id ?? null },
    };
  } catch (error) {
    if (signed && ended.aborted && !call.signal.aborted) {
      return {
        sentence: `${describeDue(due)} The payment is signed and on its way. wait_for_order says when the order is funded.`,
        facts: { ...due, payment: "handed_in" as const, ...nothing },
      };
    }
    throw error;
  }
}

export const payingTools = [previewPayment, payOrder];
