import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from "viem";
import type { Token } from "../../config/config.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { WalletRow } from "../../db/wallets.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import {
  type AccountCall,
  createAndExecuteCall,
  createPasskeyAccountCall,
} from "../../protocol/settlement/passkey.ts";
import { signatureDeadline } from "../../protocol/settlement/signatures.ts";
import { findPasskeys } from "../accounts/passkeys.ts";
import type { Caller, Context } from "../context.ts";
import { isParty } from "../fair-shares/funded-party.ts";
import { requireDeadline } from "../orders/party-signature.ts";
import { readOrdersBeingPaid } from "../payments/account-payment.ts";
import { simulatePayment } from "../payments/payer-signature.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { queueWalletRelay } from "../relay/party-relay.ts";
import {
  challengeOf,
  findTransferOf,
  hasCode,
  type PasskeyAccount,
  readNonce,
  transferKeyOf,
} from "../relay/passkey-account.ts";
import { findRelay, type RelayRow } from "../relay/relay-queue.ts";
import { leastRelayed } from "../services/payment-token.ts";

/** A transfer out of a passkey account. The amount is in base units of the token. */
export type Transfer = { token: Token; to: Address; amount: bigint };

/**
 * Finds the passkey account of a wallet.
 *
 * @throws Refusal `invalid_state` for another wallet, and on a chain without passkey accounts
 */
export async function readPasskeyAccount(context: Context, row: WalletRow): Promise<PasskeyAccount> {
  const served = row.chainId === null ? undefined : context.chain(row.chainId);
  const factory = served?.chain.passkey_factory as Address | undefined;
  const [found] = await findPasskeys(context.db, [row.address]);
  if (!served || !factory || !found) {
    throw new Refusal(
      "invalid_state",
      "This wallet is no passkey account on a chain that is served. Send the transaction from the wallet itself.",
    );
  }
  return { ...served, factory, address: getAddress(row.address), key: { x: found.x, y: found.y } };
}

/** A transfer for a passkey to sign, with the relay of the last transfer. */
export type TransferToSign = Transfer & {
  calls: [AccountCall];
  nonce: bigint;
  deadline: bigint;
  challenge: Hex;
  relay: RelayRow | null;
};

/**
 * Reads what a passkey signs for a transfer, good for a day.
 *
 * @throws Refusal `invalid_request` for a transfer that is not sent; `dependency_unavailable` if the chain does not answer
 */
export async function readTransfer(
  { db }: Context,
  account: PasskeyAccount,
  transfer: Transfer,
): Promise<TransferToSign> {
  const nonce = await readNonce(account);
  const deadline = signatureDeadline(BigInt(Math.floor(Date.now() / 1000)));
  const calls = callsOf(account, transfer);
  const relay =
    (await findTransferOf(db, account, nonce)) ??
    (nonce > 0n ? await findTransferOf(db, account, nonce - 1n) : null);
  return {
    ...transfer,
    calls,
    nonce,
    deadline,
    challenge: challengeOf(account, { calls, nonce, deadline }),
    relay,
  };
}

/**
 * Sends a transfer that the passkey signed. The account is deployed with it if it does not exist.
 *
 * @param admit refuses by throwing, before a valid transfer is queued
 * @throws Refusal `conflict` if another transfer or a payment has this nonce; `invalid_request` if the account would refuse it;
 *   `rate_limited` as `queueWalletRelay`
 */
export async function sendTransfer(
  context: Context,
  caller: Caller,
  account: PasskeyAccount,
  signed: Transfer & { nonce: bigint; deadline: bigint; signature: Hex },
  admit: () => Promise<void>,
): Promise<RelayRow> {
  const { client, chain, factory, key, address } = account;
  const calls = callsOf(account, signed);
  const { nonce, deadline, signature } = signed;
  requireDeadline(deadline, BigInt(Math.floor(Date.now() / 1000)));
  const relayKey = transferKeyOf(account, nonce);
  const call = createAndExecuteCall(factory, key, { calls, deadline, signature });
  const existing = await findRelay(context.db, relayKey);
  if (existing && existing.status !== "failed") return requireSame(existing, call.data);
  if (nonce !== (await readNonce(account))) {
    throw new Refusal(
      "conflict",
      `The account's next nonce is not ${nonce}. Read the transfer again and sign it.`,
    );
  }
  // One of both would revert at the service's cost.
  if ((await readOrdersBeingPaid(context.db, account, nonce)).length > 0) {
    throw new Refusal(
      "conflict",
      "A payment of this account with this nonce is on its way. Read the transfer again once it is mined, and sign it.",
    );
  }
  const gasBound = gasBounds.accountTransfer;
  const obstacle = await simulatePayment(client, [{ ...call, gasBound }]);
  if (obstacle !== null) {
    const message =
      obstacle === "refused"
        ? "The account refuses this transfer: the signature is not by its passkey, or the balance is too low."
        : `This transfer takes more gas than the ${gasBound} that the service pays for.`;
    throw refuseField("signature", "transfer", message);
  }
  await admit();
  const queued = await inTransaction(context.db, (tx) =>
    queueWalletRelay(context, tx, caller, chain.chain_id, {
      ...call,
      key: relayKey,
      gasBound,
      signer: address,
    }),
  );
  return requireSame(queued, call.data);
}

/**
 * Deploys a passkey account, so that the escrow accepts its signatures. The first payment does this by itself; a provider
 * needs it for the first delivery record.
 *
 * @returns null if the account exists
 * @throws Refusal `invalid_state` for an account that nothing depends on yet
 */
export async function deployAccount(
  context: Context,
  caller: Caller,
  account: PasskeyAccount,
): Promise<RelayRow | null> {
  const { chain, factory, key, address } = account;
  if (await hasCode(account)) return null;
  if (!(await isParty(context.db, caller.accountId))) {
    throw new Refusal(
      "invalid_state",
      "The service deploys an account when one of its orders is funded. A payment deploys it too.",
    );
  }
  const call = createPasskeyAccountCall(factory, key);
  const relayKey = `${chain.chain_id}:${address.toLowerCase()}:create`;
  const gasBound = gasBounds.accountDeployment;
  return inTransaction(context.db, (tx) =>
    queueWalletRelay(context, tx, caller, chain.chain_id, {
      ...call,
      key: relayKey,
      gasBound,
      signer: address,
    }),
  );
}

/** @throws Refusal `invalid_request` for a receiver that loses the money, and for too little */
function callsOf({ chain, address }: PasskeyAccount, { token, to, amount }: Transfer): [AccountCall] {
  const tokens = [...chain.tokens, ...chain.retired_tokens].map((each) => each.address as Address);
  if ([zeroAddress, address, ...tokens].some((wrong) => isAddressEqual(wrong, to))) {
    throw refuseField(
      "to",
      "receiver",
      "Use the address of another wallet. This one would lose the money or keep it here.",
    );
  }
  if (amount === 0n || amount < leastRelayed(chain, token)) {
    const least = formatAmount(leastRelayed(chain, token), token.decimals);
    throw refuseField(
      "amount",
      "minimum",
      `The service pays the gas for transfers of more than 0 and at least ${least} ${token.symbol}.`,
    );
  }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] });
  return [{ to: token.address as Address, value: 0n, data }];
}

/** @throws Refusal `conflict` if the relay of the nonce makes other calls */
function requireSame(relay: RelayRow, data: Hex): RelayRow {
  const [standing, requested] = [relay.data, data].map((each) => each.toLowerCase());
  if (standing === requested) return relay;
  throw new Refusal("conflict", "Another transfer of this account is on its way or done with this nonce.");
}
