import { type Address, erc20Abi, getAddress, type Hex } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, inArray } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, type PaymentCall, payment } from "../../db/schema.ts";
import {
  type AccountCall,
  accountPaymentCalls,
  createAndExecuteCall,
  passkeyAccountOf,
} from "../../protocol/settlement/passkey.ts";
import { signatureDeadline } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { SignedAccountCalls } from "../../protocol/settlement/x402-payload.ts";
import { findPasskeys } from "../accounts/passkeys.ts";
import type { Context } from "../context.ts";
import { chainUnreachable } from "../node-breaker.ts";
import { requireDeadline } from "../orders/party-signature.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { challengeOf, findTransferOf, type PasskeyAccount, readNonce } from "../relay/passkey-account.ts";
import { secondsToMine } from "./authorization.ts";
import { simulatePayment } from "./payer-signature.ts";
import type { PaidEscrow } from "./payment-requirements.ts";

/** The calls of a passkey account that pay an order, for its passkey to sign. */
export type AccountPaymentToSign = {
  account: Address;
  calls: AccountCall[];
  nonce: bigint;
  deadline: bigint;
  challenge: Hex;
};

type PaidByAccount = PaidEscrow & Pick<OrderRow, "id">;

/**
 * Reads what the passkey of an order's buyer signs to pay by calls of its account, good for a day. A passkey account sends no
 * transactions, so it pays in this way with a token that takes no signed authorizations.
 *
 * @returns null if the buyer is no passkey account
 * @throws Refusal `dependency_unavailable` if the chain does not answer
 */
export async function readAccountPayment(
  context: Context,
  row: PaidByAccount,
): Promise<AccountPaymentToSign | null> {
  const account = await findAccount(context, row);
  if (!account) return null;
  const calls = await callsOf(account, row);
  const nonce = await readNonce(account);
  const deadline = signatureDeadline(BigInt(Math.floor(Date.now() / 1000)));
  const challenge = challengeOf(account, { calls, nonce, deadline });
  return { account: account.address, calls, nonce, deadline, challenge };
}

/**
 * Verifies the signed calls of the buyer's passkey account, which the service builds itself, by a simulation.
 *
 * @returns the call that deploys the account if needed, and creates the escrow
 * @throws Refusal, with nothing used
 */
export async function checkAccountPayment(
  context: Context,
  row: PaidByAccount,
  { signature, accountCalls }: SignedAccountCalls,
): Promise<PaymentCall[]> {
  const account = await findAccount(context, row);
  if (!account || account.address !== accountCalls.account) {
    throw refuseField(
      "accountCalls/account",
      "account",
      "Only the passkey account that is the order's buyer pays by calls. Use a method of `payment-instructions`.",
    );
  }
  const { client, chain, factory, key } = account;
  const [nonce, deadline] = [BigInt(accountCalls.nonce), BigInt(accountCalls.deadline)];
  requireDeadline(deadline, BigInt(Math.floor(Date.now() / 1000)) + secondsToMine(chain));
  if (nonce !== (await readNonce(account)) || (await isTaken(context, account, nonce, row.id))) {
    throw new Refusal(
      "conflict",
      "The account's next nonce is another, or calls with this nonce are on their way. Read the payment instructions again and sign.",
    );
  }
  const calls = await callsOf(account, row);
  const gasBound = gasBounds.accountPayment;
  const call = { ...createAndExecuteCall(factory, key, { calls, deadline, signature }), gasBound };
  const obstacle = await simulatePayment(client, [call]);
  if (obstacle === null) return [call];
  throw refuseField(
    "signature",
    "account_calls",
    obstacle === "refused"
      ? "The account refuses this payment: the signature is not by its passkey, the balance is too low, or the token refuses."
      : `This payment takes more gas than the ${gasBound} that the service pays for.`,
  );
}

/** Finds the passkey account that is an order's buyer, deployed or not; null for another wallet. */
async function findAccount(
  context: Context,
  { chainId, buyerAddress }: PaidByAccount,
): Promise<PasskeyAccount | null> {
  const served = context.chain(chainId);
  const factory = served?.chain.passkey_factory as Address | undefined;
  if (!served || !factory) return null;
  const [found] = await findPasskeys(context.db, [buyerAddress]);
  if (!found) return null;
  const [address, key] = [getAddress(buyerAddress), { x: found.x, y: found.y }];
  // On another chain, the address may be of another factory.
  return passkeyAccountOf(factory, key) === address ? { ...served, factory, address, key } : null;
}

async function callsOf({ client, address }: PasskeyAccount, row: PaidEscrow): Promise<AccountCall[]> {
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  const args = [address, escrow.escrowContract] as const;
  const allowance = await client
    .readContract({ abi: erc20Abi, address: escrow.terms.token, functionName: "allowance", args })
    .catch(() => {
      throw chainUnreachable();
    });
  return accountPaymentCalls(escrow, allowance);
}

/** Whether a transfer, or the payment of another order, uses the nonce. One of both would revert at the service's cost. */
async function isTaken(
  { db }: Context,
  account: PasskeyAccount,
  nonce: bigint,
  orderId: string,
): Promise<boolean> {
  const transfer = await findTransferOf(db, account, nonce);
  if (transfer && transfer.status !== "failed") return true;
  const open = await readOrdersBeingPaid(db, account, nonce);
  return open.some((one) => one !== orderId);
}

/** Reads the orders whose payment by the nonce is on its way. An account has the same address on other chains, with nonces of its own. */
export async function readOrdersBeingPaid(
  db: Database,
  { address, chain }: Pick<PasskeyAccount, "address" | "chain">,
  nonce: bigint,
): Promise<string[]> {
  const open = await db
    .select({ orderId: payment.orderId })
    .from(payment)
    .innerJoin(order, eq(order.id, payment.orderId))
    .where(
      and(
        inArray(payment.status, ["accepted", "submitted"]),
        eq(payment.payer, address),
        eq(payment.method, "account_calls"),
        eq(payment.nonce, nonce.toString()),
        eq(order.chainId, chain.chain_id),
      ),
    );
  return open.map(({ orderId }) => orderId);
}
