import { z } from "zod";
import { defineTool } from "../tool.ts";
import { RefusedCall } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

const document = z.record(z.string(), z.unknown());

const getReceipt = defineTool({
  name: "get_receipt",
  title: "Read a receipt",
  description:
    "Reads the signed receipt of a settlement: by its id, which needs no key, or the final receipt of an order, for its parties. Verify it with verify_receipt.",
  scopes: null,
  does: "reads",
  input: z.strictObject({
    receipt_id: schemas.idOf("rcp").optional(),
    order_id: schemas.orderId.optional(),
  }),
  output: z.object({
    receipt_id: z.string().nullable(),
    claim: z.string().nullable(),
    order_id: z.string().nullable(),
    transaction: z.string().nullable(),
    document: document.describe("The signed document, member by member."),
  }),
  async run(context, { receipt_id, order_id }, { signal }) {
    if ((receipt_id === undefined) === (order_id === undefined)) {
      throw new RefusedCall("invalid_arguments", "Pass either `receipt_id` or `order_id`.");
    }
    if (order_id !== undefined) requireKey(context.scopes, context.keysUrl);
    const { receipts } = context.earnest;
    const receipt = (
      receipt_id === undefined
        ? await receipts.getFinal(String(order_id), { signal })
        : (await receipts.get(receipt_id, { signal })).document
    ) as Record<string, unknown>;
    const text = (name: string) => (typeof receipt[name] === "string" ? receipt[name] : null);
    return {
      sentence: `${text("id")}: ${text("claim")}, transaction ${text("transaction")}. It is not verified yet.`,
      fields: {
        receipt_id: text("id"),
        claim: text("claim"),
        order_id: text("order_id"),
        transaction: text("transaction"),
        document: receipt,
      },
    };
  },
});

function requireKey(scopes: readonly string[] | null, keysUrl: string): void {
  if (scopes?.includes("orders:read")) return;
  throw new RefusedCall(
    scopes === null ? "unauthenticated" : "insufficient_scope",
    `The receipt of an order needs an API key with the scope orders:read. The account's owner creates one at ${keysUrl}. Reading by its own id needs no key.`,
  );
}

const verifyReceipt = defineTool({
  name: "verify_receipt",
  title: "Verify a receipt",
  description:
    "Verifies the signature, issuer and revocation of a receipt. `checked_by` names the verifier: this program, or the service, which is the issuer. A valid signature does not prove that money moved: check the transaction on the chain.",
  scopes: null,
  does: "reads",
  input: z.strictObject({
    receipt: z
      .union([z.string().min(1).max(65_536), document])
      .describe("The document of get_receipt, as an object or as text, or an x402 receipt as a compact JWS."),
  }),
  output: z.object({
    valid: z.boolean(),
    checked_by: z.string(),
    issuer: z.string(),
    code: z.string().nullable().describe("Why the receipt is not valid."),
    message: z.string().nullable(),
    status: z.string().nullable().describe("The revocation status."),
    says: document.nullable(),
  }),
  async run(context, { receipt }) {
    const verdict = await context.verify(receipt);
    const { valid, checked_by, code, issuer } = verdict;
    return {
      sentence: valid
        ? `The receipt has a valid signature from ${issuer}, checked by ${checked_by}.`
        : `The receipt is not valid (${code}), checked by ${checked_by}. Do not rely on it.`,
      fields: { ...verdict },
    };
  },
});

const getAccount = defineTool({
  name: "get_account",
  title: "Read the account",
  description: "Reads the key's account and scopes, and the wallet that this program holds with its limits.",
  scopes: [],
  does: "reads",
  input: z.strictObject({}),
  output: z.object({
    account_id: z.string(),
    primary_address: z.string(),
    scopes: z.array(z.string()),
    wallet: z
      .object({
        address: z.string(),
        limit_per_order: z.string().describe("Of each token by itself, as limit_per_day."),
        limit_per_day: z.string(),
        pays_with: z
          .array(z.object({ chain_id: z.number(), token: z.string() }))
          .nullable()
          .describe("The tokens that it pays with; null: the known token of each chain."),
        spent_within_a_day: z.array(
          z.object({ chain_id: z.number(), token: z.string(), amount: z.string() }),
        ),
      })
      .nullable(),
  }),
  async run({ earnest, wallet }, _, { signal }) {
    const me = await earnest.me({ signal });
    const held = wallet && {
      address: wallet.address,
      limit_per_order: wallet.limits.perOrder,
      limit_per_day: wallet.limits.perDay,
      pays_with: wallet.tokens?.map(({ chainId: chain_id, token }) => ({ chain_id, token })) ?? null,
      spent_within_a_day: await wallet.listSpent(),
    };
    return {
      sentence: `${me.id}, with the scopes ${me.auth.scopes.join(", ")}. ${held ? `This program pays with ${held.address}.` : "This program holds no wallet: payments come back as data to sign."}`,
      fields: {
        account_id: me.id,
        primary_address: me.primary_address,
        scopes: me.auth.scopes as string[],
        wallet: held,
      },
    };
  },
});

const period = z.object({
  spent: z.string(),
  limit: z.string().nullable().describe("null: no limit."),
  left: z.string().nullable(),
  resets_at: z.string(),
});

const getSpend = defineTool({
  name: "get_spend",
  title: "Read a key's spending",
  description:
    "Reads this key's spending and the limits that the service enforces: per day, per month, open orders, and the amount above which an owner has to approve.",
  scopes: [],
  does: "reads",
  input: z.strictObject({}),
  output: z.object({
    currency: z.string(),
    keys: z.array(
      z.object({
        key_id: z.string(),
        per_order: z.string().nullable(),
        approval_above: z.string().nullable(),
        day: period,
        month: period,
        other_tokens: z
          .array(
            z.object({
              chain_id: z.number(),
              token: z.string(),
              currency: z.string(),
              day: period,
              month: period,
            }),
          )
          .describe("Other tokens that the key has paid with. Each has its own sums."),
        open_orders: z.object({
          count: z.number(),
          limit: z.number().nullable(),
          left: z.number().nullable(),
        }),
      }),
    ),
  }),
  async run({ earnest }, _, { signal }) {
    const { currency, items } = await earnest.apiKeys.getSpend({ signal });
    const keys = items.map(({ key_id, limits, day, month, other_tokens, open_orders }) => ({
      key_id,
      per_order: limits.per_order,
      approval_above: limits.approval_above,
      day,
      month,
      other_tokens,
      open_orders,
    }));
    const [own] = keys;
    return {
      sentence: own
        ? `Spent today: ${own.day.spent} ${currency}, ${own.day.left === null ? "no limit" : `${own.day.left} left`}.`
        : "This account has no spending of keys.",
      fields: { currency, keys },
    };
  },
});

export const proofTools = [getReceipt, verifyReceipt];
export const accountTools = [getAccount, getSpend];
