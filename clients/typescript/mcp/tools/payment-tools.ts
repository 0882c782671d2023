import { z } from "zod";
import { findNetwork } from "../../../../protocol/settlement/index.ts";
import { authorize, compareInstructions, payingCalls } from "../../src/buying/payment-instructions.ts";
import { fromBaseUnits, type Progress, type TokenName, toBaseUnits } from "../../src/index.ts";
import { readOrder } from "../agreed-order.ts";
import { buildPermit, signedPayment } from "../permit2-payment.ts";
import { type Call, defineTool } from "../tool.ts";
import { type ReadOrder, RefusedCall, type ToolContext } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

/** The fields that a user has to see before a payment. */
const paymentFields = {
  order_id: z.string(),
  reference: z.string(),
  status: z.string().describe("The order's status."),
  approval: z
    .string()
    .nullable()
    .describe("pending: an owner has to approve the order before it can be paid."),
  amount: z.string(),
  currency: z.string().describe("The symbol of the token. Any token can have any symbol."),
  token: z.string().describe("The address of the token."),
  chain_id: z.number(),
  chain: z.string(),
  payee: z.string().describe("The provider's wallet, the only one that can get the money on release."),
  payer: z.string().describe("The buyer's wallet, which gets refunds."),
  escrow_contract: z.string(),
  deposit_address: z.string(),
  settlement_rail: z.string(),
  funding_deadline: z.string(),
};

/** Computes the payment from the order's agreement. It requests no payment instructions, which count against a key's limits. */
function paymentOf({ order, agreed }: ReadOrder) {
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
type DuePayment = ReturnType<typeof paymentOf>;

const nameOf = ({ chain_id, token }: DuePayment): TokenName => ({ chain_id, token });

const isSame = (one: TokenName, other: TokenName) =>
  one.chain_id === other.chain_id && one.token.toLowerCase() === other.token.toLowerCase();

/** @throws UntrustedOrderError if the instructions differ from the agreement */
async function readInstructions({ earnest }: ToolContext, { order, agreed }: ReadOrder, signal: AbortSignal) {
  const shown = await earnest.orders.getPaymentInstructions(order.id, { signal });
  const { decimals } = agreed.agreement.token as { decimals: number };
  compareInstructions(shown, { agreed, decimals, rail: order.settlement_rail });
  return shown;
}

const describePayment = ({ order_id, amount, currency, token, chain, chain_id, payee }: DuePayment) =>
  `${order_id} costs ${amount} ${currency} (token ${token}) on ${chain} (chain ${chain_id}), held in escrow for ${payee}.`;

const previewPayment = defineTool({
  name: "preview_payment",
  title: "Preview a payment",
  description:
    "Shows what pay_order would pay: amount, currency, token, chain and payee, and the limits of the wallet that this program holds. Every field is recomputed from the order's agreement. Nothing is signed. Show the result to the user before you pay.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({ order_id: schemas.orderId }),
  output: z.object({
    ...paymentFields,
    wallet: z
      .object({
        address: z.string(),
        limit_per_order: z.string().describe("In the order's token, as the next two."),
        limit_per_day: z.string(),
        spent_within_a_day: z.string(),
      })
      .nullable()
      .describe("The wallet that this program pays with. null: it holds none and returns data to sign."),
  }),
  async run(context, { order_id }, { signal }) {
    const read = await readOrder(context, order_id, signal);
    const due = paymentOf(read);
    const held = context.wallet;
    const wallet = held && {
      address: held.address,
      limit_per_order: held.limits.perOrder,
      limit_per_day: held.limits.perDay,
      spent_within_a_day: await held.spent(nameOf(due)),
    };
    return { sentence: `${describePayment(due)} The order is ${due.status}.`, fields: { ...due, wallet } };
  },
});

const payOrder = defineTool({
  name: "pay_order",
  title: "Pay an order",
  description:
    "Pays an order of the account into its escrow. Pass the amount, the token and the chain that preview_payment showed and the user agreed to; the call is refused if they differ. If this program holds a wallet, it signs and waits for the chain. Otherwise it pays nothing and returns unsigned data for the user's wallet: `calls` to send first, then `to_sign`, or one of them. Repeated calls pay an order once.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    order_id: schemas.orderId,
    expected_amount: schemas.amount.describe("The total amount that preview_payment showed."),
    expected_token: schemas.token.describe("The token's address that preview_payment showed."),
    expected_chain_id: schemas.chainId.describe("The chain id that preview_payment showed."),
    expected_payee: z.string().max(42).optional().describe("The payee that preview_payment showed."),
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
        "unsigned: nothing is paid, a wallet has to sign. handed_in: the payment was sent to the chain. funded: the escrow holds the money. paid_before: an earlier call paid.",
      ),
    ...paymentFields,
    to_sign: schemas.typedData.nullable().describe("EIP-712 typed data for the payer's wallet to sign."),
    calls: z.array(schemas.call).nullable().describe("Calls for the payer's wallet to send, in this order."),
    payment_id: z.string().nullable(),
  }),
  async run(context, input, call) {
    const { signal } = call;
    const read = await readOrder(context, input.order_id, signal);
    const { order, agreed } = read;
    const due = paymentOf(read);
    requireExpected(due, input);
    if (order.status === "expired") {
      throw new RefusedCall("invalid_state", `${order.id} expired unpaid. Place another order.`);
    }
    const nothing = { to_sign: null, calls: null, payment_id: null };
    const { payment } = await context.earnest.orders.getPayment(order.id, { signal });
    if (order.status !== "created" || (payment && payment.status !== "failed")) {
      return {
        sentence: `${order.id} is already paid or being paid: it is ${order.status}. Nothing was paid again.`,
        fields: { ...due, payment: "paid_before" as const, ...nothing, payment_id: payment?.id ?? null },
      };
    }
    if (input.signature !== undefined) {
      const { signature, authorization } = input;
      if (authorization === undefined) {
        throw new RefusedCall("invalid_arguments", "Send `authorization` together with `signature`.");
      }
      const options = { signal, ...schemas.keyOf("pay_order", input.idempotency_key) };
      const body = signedPayment(due.payer, signature, authorization);
      const paid = await context.earnest.orders.pay(order.id, body, options);
      return {
        sentence: `${describePayment(due)} The signature was accepted. Use wait_for_order until the order is funded.`,
        fields: { ...due, payment: "handed_in" as const, ...nothing, payment_id: paid.payment.id },
      };
    }
    if (context.wallet) return await payWithHeldWallet(context, due, call);
    const shown = await readInstructions(context, read, signal);
    if (order.settlement_rail === "escrow") {
      const calls = payingCalls(agreed, shown).map(schemas.showCall);
      return {
        sentence: `${describePayment(due)} Nothing is paid: this program holds no wallet. The wallet ${due.payer} has to send the two calls in \`calls\`.`,
        fields: { ...due, payment: "unsigned" as const, ...nothing, calls },
      };
    }
    const again = "call pay_order again with `signature`, and its `message` as `authorization`";
    const permit = await buildPermit(read, shown);
    if (permit) {
      return {
        sentence: `${describePayment(due)} Nothing is paid: this program holds no wallet. Only Permit2 moves this token. Unless Permit2 may take the amount already, the wallet ${due.payer} first sends the call in \`calls\`. Then have it sign \`to_sign\`, and ${again}.`,
        fields: {
          ...due,
          payment: "unsigned" as const,
          ...nothing,
          to_sign: permit.to_sign,
          calls: [schemas.showCall(permit.approval)],
        },
      };
    }
    const payer = { address: agreed.terms.buyer, node: null };
    const to_sign = await authorize({ agreed, signer: payer }, shown);
    return {
      sentence: `${describePayment(due)} Nothing is paid: this program holds no wallet. Have the wallet ${due.payer} sign \`to_sign\`, then ${again}.`,
      fields: { ...due, payment: "unsigned" as const, ...nothing, to_sign },
    };
  },
});

/** The most decimals of a token, so that each amount is exact. */
const mostDecimals = 36;

/** @throws RefusedCall if the payment differs from the caller's expectation */
function requireExpected(
  due: DuePayment,
  expected: {
    expected_amount: string;
    expected_token: string;
    expected_chain_id: number;
    expected_payee?: string | undefined;
  },
): void {
  const differs = (what: string, actual: string, expectedValue: string) =>
    new RefusedCall(
      "payment_differs",
      `Nothing was paid. The ${what} of ${due.order_id} is ${actual}, not ${expectedValue}. Show preview_payment to the user and ask again.`,
    );
  if (toBaseUnits(expected.expected_amount, mostDecimals) !== toBaseUnits(due.amount, mostDecimals)) {
    throw differs("amount", `${due.amount} ${due.currency}`, expected.expected_amount);
  }
  if (expected.expected_chain_id !== due.chain_id) {
    throw differs("chain", String(due.chain_id), String(expected.expected_chain_id));
  }
  if (expected.expected_token.toLowerCase() !== due.token.toLowerCase()) {
    throw differs("token", `${due.token} (${due.currency})`, expected.expected_token);
  }
  const { expected_payee: payee } = expected;
  if (payee !== undefined && payee.toLowerCase() !== due.payee.toLowerCase()) {
    throw differs("payee", due.payee, payee);
  }
}

/** Pays with the wallet that this program holds, within its limits, and waits until the order is funded. */
async function payWithHeldWallet(context: ToolContext, due: DuePayment, call: Call) {
  const held = context.wallet;
  if (!held) throw new RefusedCall("no_wallet", "This program holds no wallet.");
  if (due.approval !== null && due.approval !== "approved") {
    // The service would refuse too, but only after the amount was reserved.
    throw new RefusedCall(
      "approval_required",
      `Nothing was paid. An owner has to approve ${due.order_id} first; its approval is ${due.approval}. Wait for it by wait_for_order with "approved".`,
    );
  }
  const { tokens } = held;
  const token = tokens?.find((one) => isSame(nameOf(due), { chain_id: one.chainId, token: one.token }));
  if (tokens && !token) {
    throw new RefusedCall(
      "token_not_held",
      `Nothing was paid. This program does not pay with ${due.token} on chain ${due.chain_id} (EARNEST_PAY_WITH).`,
    );
  }
  const most = token?.maxAmount;
  if (most !== undefined && toBaseUnits(due.amount, mostDecimals) > toBaseUnits(most, mostDecimals)) {
    throw new RefusedCall(
      "local_limit_exceeded",
      `Nothing was paid. ${due.amount} exceeds the limit of ${most} for ${due.token} on chain ${due.chain_id} (EARNEST_PAY_WITH).`,
    );
  }
  await held.reserve(due.order_id, due.amount, nameOf(due));
  const nothing = { to_sign: null, calls: null, payment_id: null };
  let signed = false;
  const ended = AbortSignal.any([call.signal, AbortSignal.timeout(context.waits.longest * 1000)]);
  try {
    const purchase = await context.earnest.resume(due.order_id, {
      wallet: held.wallet,
      node: held.nodes,
      // The user agreed to the due amount. The token's own maximum would replace that amount.
      ...(token && { payWith: { ...token, maxAmount: due.amount } }),
      maxAmount: due.amount,
      chainId: due.chain_id,
      provider: due.payee,
      signal: ended,
      async onProgress(progress: Progress) {
        if (progress.step !== "agreed") signed = true;
        const done = { agreed: 1, offered: 1, sent: 2, signed: 2, funded: 3 }[progress.step];
        await call.progress(done, 3, `${due.order_id}: ${progress.step}`);
      },
    });
    const { payment } = await context.earnest.orders.getPayment(purchase.orderId);
    return {
      sentence: `Paid. ${describePayment(due)} The order is ${purchase.order.status}.`,
      fields: { ...due, payment: "funded" as const, ...nothing, payment_id: payment?.id ?? null },
    };
  } catch (error) {
    if (signed && ended.aborted && !call.signal.aborted) {
      return {
        sentence: `${describePayment(due)} The payment is signed and sent. Use wait_for_order until the order is funded.`,
        fields: { ...due, payment: "handed_in" as const, ...nothing },
      };
    }
    throw error;
  }
}

export const payingTools = [previewPayment, payOrder];
