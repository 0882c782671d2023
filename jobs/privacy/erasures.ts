import type { Logger } from "pino";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, lte, ne, sql } from "../../db/drizzle.ts";
import { accountErasure } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Erasure } from "../../trade/privacy/erasure.ts";
import { isHeldUp } from "../../trade/privacy/erasure-obstacles.ts";
import { accessSteps, lastStep, ownSteps } from "./account-erasure.ts";
import type { ErasureStep } from "./erasure-steps.ts";
import { marketSteps } from "./market-erasure.ts";
import { orderSteps } from "./order-erasure.ts";

/**
 * The steps of an erasure, during which nobody signs in. A stored number of a step is its place in the list. Access ends again at
 * the end, because a request that was under way may have made a key or set an address.
 */
const steps: readonly ErasureStep[] = [
  ...accessSteps,
  ...marketSteps,
  ...orderSteps,
  ...ownSteps,
  ...accessSteps,
  lastStep,
];

/** Milliseconds of work on one erasure before another has its turn. */
const usualSlice = 5000;
/** Seconds after the end of access before words are erased, in which requests that are under way end. */
const usualPause = 60;
/** Seconds until an account that waits for its orders or for the operator is read again. */
const recheckSeconds = 3600;

type Parts = { db: Database; log: Logger; slice?: number; pause?: number };

/** Makes the task that carries out due erasures, a slice of one at a time. It returns the seconds until it has more to do. */
export function createEraser({ db, log, slice = usualSlice, pause = usualPause }: Parts) {
  return async (signal: AbortSignal): Promise<number | null> => {
    const [due] = await db
      .select()
      .from(accountErasure)
      .where(and(ne(accountErasure.status, "done"), lte(accountErasure.nextAt, sql`now()`)))
      .orderBy(asc(accountErasure.nextAt), asc(accountErasure.accountId))
      .limit(1);
    if (!due) return null;
    const { accountId } = due;
    const end = performance.now() + slice;
    let state = await inTransaction(db, (tx) => begin(tx, accountId));
    while (state === "running" && !signal.aborted) {
      state = await inTransaction(db, (tx) => advance(tx, accountId, pause));
      if (performance.now() >= end) break;
    }
    if (state === "done") log.info({ account_id: accountId }, "an account is erased");
    return 1;
  };
}

type State = "running" | "resting" | "done";

/** Begins an erasure, unless it was taken back or is held up. The erasure that was read longest ago comes next. */
async function begin(tx: Transaction, accountId: string): Promise<State> {
  const row = await lockErasure(tx, accountId);
  if (!row || row.status === "done") return "resting";
  if (row.status === "running") return change(tx, accountId, { nextAt: sql`now()` }, "running");
  if (await isHeldUp(tx, row)) {
    const nextAt = sql`now() + make_interval(secs => ${recheckSeconds})`;
    return change(tx, accountId, { nextAt }, "resting");
  }
  return change(tx, accountId, { status: "running", nextAt: sql`now()` }, "running");
}

/** Carries out the next batch of an erasure, and stores how far it is in the same transaction. */
async function advance(tx: Transaction, accountId: string, pause: number): Promise<State> {
  const row = await lockErasure(tx, accountId);
  const step = row && steps[row.step];
  if (row?.status !== "running" || !step) return "resting";
  const cursor = await step(tx, accountId, row.cursor);
  if (cursor !== null) return change(tx, accountId, { cursor }, "running");
  const next = { step: row.step + 1, cursor };
  if (next.step === steps.length) {
    return change(tx, accountId, { ...next, status: "done", finishedAt: sql`now()` }, "done");
  }
  if (next.step !== accessSteps.length) return change(tx, accountId, next, "running");
  const nextAt = sql`now() + make_interval(secs => ${pause})`;
  return change(tx, accountId, { ...next, nextAt }, "resting");
}

async function lockErasure(tx: Transaction, accountId: string): Promise<Erasure | undefined> {
  const [row] = await tx
    .select()
    .from(accountErasure)
    .where(eq(accountErasure.accountId, accountId))
    .for("update");
  return row;
}

async function change(
  tx: Transaction,
  accountId: string,
  set: Parameters<ReturnType<typeof tx.update<typeof accountErasure>>["set"]>[0],
  state: State,
): Promise<State> {
  await tx.update(accountErasure).set(set).where(eq(accountErasure.accountId, accountId));
  return state;
}
