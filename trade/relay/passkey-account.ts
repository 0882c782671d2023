import type { Address } from "viem";
import { passkeyAccountAbi } from "../../abis/passkeyAccount.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { type AccountCall, type PasskeyKey, passkeyExecuteHash } from "../../protocol/settlement/passkey.ts";
import type { Context } from "../context.ts";
import { chainUnreachable } from "../node-breaker.ts";
import { findRelay } from "./relay-queue.ts";

type Served = NonNullable<ReturnType<Context["chain"]>>;

/** A passkey account on a chain, deployed or not. */
export type PasskeyAccount = Served & { address: Address; key: PasskeyKey; factory: Address };

/** Finds the relay of the transfer that uses a nonce. */
export const findTransferOf = (db: Database | Transaction, account: PasskeyAccount, nonce: bigint) =>
  findRelay(db, transferKeyOf(account, nonce));

/** Names the relay of the transfer that uses a nonce. */
export const transferKeyOf = ({ chain, address }: PasskeyAccount, nonce: bigint) =>
  `${chain.chain_id}:${address.toLowerCase()}:execute:${nonce}`;

/** Computes what a passkey signs for calls of its account. */
export const challengeOf = (
  { address, chain }: PasskeyAccount,
  execution: { calls: AccountCall[]; nonce: bigint; deadline: bigint },
) => passkeyExecuteHash({ account: address, chainId: chain.chain_id }, execution);

/** Whether an account is deployed. @throws Refusal `dependency_unavailable` */
export async function hasCode({ client, address }: PasskeyAccount): Promise<boolean> {
  const code = await client.getCode({ address }).catch(() => {
    throw chainUnreachable();
  });
  return code !== undefined && code !== "0x";
}

/** Reads the next nonce of an account, deployed or not. @throws Refusal `dependency_unavailable` */
export async function readNonce(account: PasskeyAccount): Promise<bigint> {
  if (!(await hasCode(account))) return 0n;
  const { client, address } = account;
  return client.readContract({ abi: passkeyAccountAbi, address, functionName: "nonce" }).catch(() => {
    throw chainUnreachable();
  });
}
