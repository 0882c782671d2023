import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, maxUint256 } from "viem";
import { and, eq } from "../../db/drizzle.ts";
import { wallet } from "../../db/schema.ts";
import { formatAmount, parseAmount } from "../../protocol/settlement/money.ts";
import { findPasskeys } from "../../trade/accounts/passkeys.ts";
import {
  deployAccount,
  readPasskeyAccount,
  readTransfer,
  sendTransfer,
  type Transfer,
} from "../../trade/passkeys/account-calls.ts";
import { refuseField } from "../../trade/refusal.ts";
import type { PasskeyAccount } from "../../trade/relay/passkey-account.ts";
import { findOrderToken } from "../../trade/services/payment-token.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import {
  addressField,
  amountField,
  amountInput,
  baseUnitsField,
  chainIdField,
  idField,
  shownAddress,
  shownHash,
} from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import {
  deadlineSchema,
  presentRelay,
  relayAnswer,
  relaySchema,
  signatureSchema,
} from "../orders/relay-answer.ts";
import type { App } from "../variables.ts";
import { createTransferCounter } from "./transfer-limits.ts";

const passkeySchema = z
  .object({
    address: shownAddress.openapi({ description: "the passkey's account" }),
    x: shownHash,
    y: shownHash,
  })
  .openapi("Passkey", { description: "a passkey's public key on the curve P-256" });

/** The most keys that a signature of a passkey can belong to. */
const mostKeys = 4;

const passkeyQuery = z.object({
  addresses: z
    .string()
    .max(mostKeys * 43)
    .transform((text) => text.split(","))
    .pipe(z.array(addressField).min(1).max(mostKeys))
    .openapi({
      type: "string",
      maxLength: mostKeys * 43,
      description: `the accounts to look for, with commas between them: at most ${mostKeys}`,
      example: "0x90F79bf6EB2c4f870365E785982E1f101E93b906,0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    }),
});

const walletParams = z.object({ id: idField("wal") });

const tokenInput = addressField.optional().openapi({
  description: "a token of the wallet's chain; its default token unless given",
});

const transferQuery = z.object({ to: addressField, amount: amountInput, token: tokenInput });

const nonceField = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, "must be a whole number")
  .transform(BigInt)
  .refine((nonce) => nonce <= maxUint256, "must fit in 256 bits")
  .openapi({
    type: "string",
    pattern: "^(0|[1-9][0-9]{0,77})$",
    description: "the account's next nonce",
    example: "0",
  });

const signedTransfer = z
  .strictObject({
    to: addressField,
    amount: amountInput,
    token: tokenInput,
    nonce: nonceField,
    deadline: deadlineSchema,
    signature: signatureSchema,
  })
  .openapi("SignedTransfer");

const transferSchema = z
  .object({
    account: shownAddress,
    chain_id: chainIdField,
    token: shownAddress,
    to: shownAddress,
    amount: amountField,
    amount_base_units: baseUnitsField,
    nonce: z.string(),
    deadline: z.string().openapi({ description: "in unix seconds", example: "1795343400" }),
    challenge: shownHash.openapi({
      description: "what the passkey signs: the digest of the account's calls",
    }),
    relay: z.union([relaySchema, z.null()]).openapi({
      description: "the relay of the account's last transfer; null without one",
    }),
  })
  .openapi("TransferToSign");

const deploymentSchema = z
  .object({ relay: z.union([relaySchema, z.null()]).openapi({ description: "null if the account exists" }) })
  .openapi("AccountDeployment");

/** Adds the routes of passkeys: the public key for another device, and what the service sends for a passkey account. */
export function addPasskeys(app: App, context: Context): void {
  const { db } = context;
  const countTransfer = createTransferCounter(context);

  app.openapi(
    createRoute({
      method: "get",
      path: "/passkeys",
      operationId: "findPasskeys",
      tags: ["identity"],
      summary: "Find the accounts that belong to passkeys",
      description:
        "A signature of a passkey fits two public keys, or rarely more. Compute the account of each: the one that is found has signed in here.",
      security: [],
      request: { query: passkeyQuery },
      responses: {
        200: jsonResponse("The passkeys", z.object({ items: z.array(passkeySchema) }).openapi("PasskeyList")),
      },
    }),
    async (c) => {
      const found = await findPasskeys(db, c.req.valid("query").addresses);
      const items = found.map(({ address, x, y }) => ({ address: getAddress(address), x, y }));
      return c.json({ items }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/auth/me/wallets/{id}/transfer",
      operationId: "readTransferToSign",
      tags: ["identity"],
      summary: "Read what a passkey signs to move tokens out of its account",
      ...accessRule(context, "self"),
      request: { params: walletParams, query: transferQuery },
      responses: {
        200: jsonResponse("The transfer, good for a day", transferSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const account = await readOwn(callerOf(c).accountId, c.req.valid("param").id);
      const { chain, address } = account;
      const found = await readTransfer(context, account, transferOf(account, c.req.valid("query")));
      return c.json(
        {
          account: address,
          chain_id: chain.chain_id,
          token: getAddress(found.token.address),
          to: found.to,
          amount: formatAmount(found.amount, found.token.decimals),
          amount_base_units: found.amount.toString(),
          nonce: found.nonce.toString(),
          deadline: found.deadline.toString(),
          challenge: found.challenge,
          relay: found.relay && presentRelay(found.relay),
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/me/wallets/{id}/transfer",
      operationId: "sendTransfer",
      tags: ["identity"],
      summary: "Move tokens out of a passkey account",
      description:
        "Takes the passkey's signature of the transfer and sends it. The service pays the gas. The account is deployed with it if it does not exist. A repeated request gets the same relay.",
      ...accessRule(context, "self"),
      request: { params: walletParams, body: jsonBody(signedTransfer) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const account = await readOwn(caller.accountId, c.req.valid("param").id);
      const { nonce, deadline, signature, ...transferFields } = c.req.valid("json");
      const transfer = { ...transferOf(account, transferFields), nonce, deadline, signature };
      const relay = await sendTransfer(context, caller, account, transfer, () => countTransfer(c));
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/me/wallets/{id}/deployment",
      operationId: "deployPasskeyAccount",
      tags: ["identity"],
      summary: "Deploy a passkey account",
      description:
        "The escrow accepts signatures of deployed accounts only. A payment deploys its payer's account; a provider's account needs this before its first delivery record. The service pays the gas once one of your orders is funded.",
      ...accessRule(context, "self"),
      request: { params: walletParams },
      responses: {
        202: jsonResponse("The relay; null if the account exists", deploymentSchema),
        ...errorResponses("invalid_state", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const account = await readOwn(caller.accountId, c.req.valid("param").id);
      const relay = await deployAccount(context, caller, account);
      return c.json({ relay: relay && presentRelay(relay) }, 202);
    },
  );

  /** @throws ApiError `not_found`, or Refusal as `readPasskeyAccount` */
  async function readOwn(accountId: string, id: string): Promise<PasskeyAccount> {
    const [row] = await db
      .select()
      .from(wallet)
      .where(and(eq(wallet.id, id), eq(wallet.accountId, accountId)));
    if (!row) throw new ApiError("not_found", "Your account has no wallet with this id.");
    return readPasskeyAccount(context, row);
  }
}

/** @throws Refusal `invalid_request` for an unknown token, and for an amount that the token cannot have */
function transferOf(
  { chain }: PasskeyAccount,
  { to, amount, token: address }: z.output<typeof transferQuery>,
): Transfer {
  const token = address ? findOrderToken(chain, address) : chain.token;
  if (!token) {
    const symbols = [...chain.tokens, ...chain.retired_tokens]
      .map((each) => `${each.symbol} (${each.address})`)
      .join(", ");
    throw refuseField("token", "enum", `Field token: ${chain.network_name} has ${symbols}.`);
  }
  const units = parseAmount(amount, token.decimals);
  if (units !== null) return { token, to, amount: units };
  throw refuseField("amount", "amount", `Use a decimal with at most ${token.decimals} decimals.`);
}
