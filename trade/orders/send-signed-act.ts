import { getAddress, type Hex } from "viem";
import { readNow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { inTransaction } from "../../db/transaction.ts";
import { signatureDeadline, type TypedData } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { type PartyCall, queuePartyRelay } from "../relay/party-relay.ts";
import { findRelay, type RelayRow } from "../relay/relay-queue.ts";
import {
  lockSharedOrder,
  readOutputHash,
  readOwnOrder,
  readSharedOrder,
  requireIndexed,
} from "./order-access.ts";
import { checkPartySignature, requireDeadline } from "./party-signature.ts";
import {
  type Act,
  type ActName,
  acts,
  type Contents,
  callOf,
  claimOf,
  type Signable,
} from "./signed-acts.ts";

/**
 * Reads an order whose act the caller may sign.
 *
 * @throws Refusal `not_found` for other callers' orders, `invalid_state` if another role signs the act
 */
export async function readAsSigner(
  db: Database,
  caller: Caller,
  name: ActName,
  orderId: string,
): Promise<Signable> {
  const { by, step } = acts[name];
  const own = await (by === "arbiter" ? readSharedOrder : readOwnOrder)(db, caller, orderId);
  if (!isSigner(by, own.role)) throw new Refusal("invalid_state", `Only the ${by} can ${step}.`);
  const namesOutput = name === "deliveryRecord" || (name === "release" && claimOf(own.row) !== null);
  return namesOutput ? { ...own, outputHash: await readOutputHash(db, orderId) } : own;
}

/** Builds the typed data of an act for the caller to sign; null if the act is not possible. A signature is valid for a day. */
export function findTypedData<Name extends ActName>(
  name: Name,
  own: Signable,
  now: bigint,
  contentUntil: (deadline: bigint) => Contents[Name],
): TypedData | null {
  const act: Act<Contents[Name]> = acts[name];
  if (!isSigner(act.by, own.role) || act.refuse(own, now)) return null;
  return dataOf(act, own, contentUntil(signatureDeadline(now)));
}

/**
 * Builds the typed data of an act for its signer.
 *
 * @param contentUntil called only if the contract accepts the act
 * @throws Refusal `invalid_state` if the contract refuses the act now
 */
export async function readTypedData<Name extends ActName>(
  { db }: Context,
  name: Name,
  own: Signable,
  contentUntil: (deadline: bigint) => Contents[Name],
): Promise<TypedData> {
  const act: Act<Contents[Name]> = acts[name];
  const now = await requireOpen(db, act, own);
  return dataOf(act, own, contentUntil(signatureDeadline(now)));
}

/** Finds the relay of an act; null if the act was not submitted. */
export async function readActRelay(db: Database, name: ActName, own: Signable): Promise<RelayRow | null> {
  return await findRelay(db, acts[name].key(own));
}

/** A submitted act. */
type Attempt<Name extends ActName> = { name: Name; own: Signable; content: Contents[Name]; signature: Hex };
/** Records the text of an act, under the order's lock. */
export type RecordText = (tx: Transaction, row: OrderRow, role: Role) => Promise<unknown>;
type Checked<Name extends ActName> = Attempt<Name> & { call: PartyCall };

/**
 * Queues a signed act after its check. A repeated request returns the relay of the first one. The text is recorded in
 * both cases.
 *
 * @throws Refusal as `checkSignedAct` and `queueSignedAct`
 */
export async function sendSignedAct<Name extends ActName>(
  context: Context,
  caller: Caller,
  attempt: Attempt<Name>,
  recordText?: RecordText,
): Promise<RelayRow> {
  const { name, own } = attempt;
  const act: Act<Contents[Name]> = acts[name];
  const existing = await (act.findExisting ?? findUnlessFailed)(context.db, own, act.key(own));
  // The check may call a contract wallet, so it runs before the order is locked.
  const next = existing ?? (await checkSignedAct(context, attempt));
  return inTransaction(context.db, async (tx) => {
    const { row, role } = await lockSharedOrder(tx, caller, own.row.id);
    const relay =
      "call" in next
        ? await queueSignedAct(context, tx, caller, row, next)
        : requireAgreement(act, attempt, next);
    await recordText?.(tx, row, role);
    return relay;
  });
}

/**
 * Checks a submitted act of a caller who has the act's role.
 *
 * @throws Refusal `invalid_state` if the contract refuses the act now, `invalid_request` for an invalid signature
 */
export async function checkSignedAct<Name extends ActName>(
  context: Context,
  attempt: Attempt<Name>,
): Promise<Checked<Name>> {
  const { name, own, content } = attempt;
  const act: Act<Contents[Name]> = acts[name];
  const now = await requireOpen(context.db, act, own);
  if ("deadline" in content) requireDeadline(content.deadline, now);
  const { row, role } = own;
  const signer = getAddress(
    { buyer: row.buyerAddress, provider: row.providerAddress, arbiter: row.arbiter }[role],
  );
  const signature = await checkPartySignature(context, dataOf(act, own, content), signer, attempt.signature);
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  const { to, data } = act.call(escrow, own, content, { signer, signature });
  const call = { key: act.key(own), to, data, signer, gasBound: gasBounds.signedAct };
  return { ...attempt, call };
}

/**
 * Queues a checked act for the relayer, once for each relay key.
 *
 * @throws Refusal `conflict` if a different act is queued, or as `queuePartyRelay`
 */
export async function queueSignedAct<Name extends ActName>(
  context: Context,
  tx: Transaction,
  caller: Caller,
  row: OrderRow,
  checked: Checked<Name>,
): Promise<RelayRow> {
  const relay = await queuePartyRelay(context, tx, caller, row, checked.call);
  return requireAgreement(acts[checked.name], checked, relay);
}

function isSigner(by: Role | "party", role: Role): boolean {
  return by === "party" ? role !== "arbiter" : by === role;
}

/**
 * Requires that the contract accepts an act now.
 *
 * @returns the time of the check, in unix seconds
 * @throws Refusal `invalid_state`
 */
async function requireOpen(
  db: Database,
  { refuse }: Pick<Act<never>, "refuse">,
  own: Signable,
): Promise<bigint> {
  const now = await readNow(db, own.row.chainId);
  requireIndexed(own);
  const refusal = refuse(own, now);
  if (refusal) throw new Refusal("invalid_state", refusal);
  return now;
}

/** Returns the typed data of an act for the contract. */
function dataOf<Content>(act: Act<Content>, own: Signable, content: Content): TypedData {
  const { chainId, escrowId, escrowContract } = own.row;
  const typedData = act.typedData(
    { chainId, escrowId, escrowContract: getAddress(escrowContract) },
    own,
    content,
  );
  if (!typedData) throw new Refusal("invalid_state", "There is nothing to sign.");
  return typedData;
}

/** @throws Refusal `conflict` if the queued act differs from the request */
function requireAgreement<Content>(
  act: Act<Content>,
  { own, content }: { own: Signable; content: Content },
  relay: RelayRow,
): RelayRow {
  if (!act.agrees) return relay;
  const { args } = callOf(own, relay);
  const { message } = dataOf(act, own, content);
  if (act.agrees.on.every((name) => args[name] === message[name])) return relay;
  throw new Refusal("conflict", act.agrees.otherwise(own));
}

async function findUnlessFailed(db: Database, _own: Signable, key: string): Promise<RelayRow | null> {
  const found = await findRelay(db, key);
  return found?.status === "failed" ? null : found;
}
