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
import { type Act, type ActName, acts, type Contents, callOf, type Signable } from "./signed-acts.ts";

/**
 * Reads an order for an act of the caller's.
 *
 * @throws Refusal `not_found` for anybody else's order, `invalid_state` where the act is another's
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
  return name === "deliveryRecord" ? { ...own, outputHash: await readOutputHash(db, orderId) } : own;
}

/** Finds the typed data that the caller signs for an act, valid for a day unless the act has a date; null if the act is not possible. */
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
 * The same where the caller is the act's signer.
 *
 * @param contentUntil asked only where the contract takes the act
 * @throws Refusal `invalid_state` where the contract would refuse the act
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

/** The relay of an act that its signer handed in before; null where there is none. */
export async function readActRelay(db: Database, name: ActName, own: Signable): Promise<RelayRow | null> {
  return await findRelay(db, acts[name].intent(own));
}

/** An act as it was handed in. */
type Attempt<Name extends ActName> = { name: Name; own: Signable; content: Contents[Name]; signature: Hex };
/** Records the text of an act, under the order's lock. */
export type RecordText = (tx: Transaction, row: OrderRow, role: Role) => Promise<unknown>;
type Checked<Name extends ActName> = Attempt<Name> & { call: PartyCall };

/**
 * Sends a signed act. If the act is queued already, its relay is the answer, so that a repeated request gets the first
 * answer. Otherwise the act is checked and queued. Its text is recorded in both cases.
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
  const existing = await (act.findExisting ?? findUnlessFailed)(context.db, own, act.intent(own));
  // All that takes time comes before the lock: a contract wallet may be asked for its signature.
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
 * Checks an act that its signer handed in, whose part in the order was looked at.
 *
 * @throws Refusal `invalid_state` if the contract would refuse it now, `invalid_request` if the signature is not good
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
  const call = { intent: act.intent(own), to, data, signer, gasBound: gasBounds.signedAct };
  return { ...attempt, call };
}

/**
 * Queues an act for the relayer, once for each intent.
 *
 * @throws Refusal `conflict` where another stands in its place, or as `queuePartyRelay`
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
 * Whether the contract takes an act now, and the time that was looked at, in unix seconds.
 *
 * @throws Refusal `invalid_state` if not
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

/** @throws Refusal `conflict` when the relay that stands says something else than the request */
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

async function findUnlessFailed(db: Database, _own: Signable, intent: string): Promise<RelayRow | null> {
  const found = await findRelay(db, intent);
  return found?.status === "failed" ? null : found;
}
