import { createHash, randomBytes } from "node:crypto";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Context as HonoContext } from "hono";
import type { Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, gt, isNull, type SQL, sql } from "../../db/drizzle.ts";
import { deviceSignIn } from "../../db/schema.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context } from "../context.ts";
import { hashToken } from "../http/access-tokens.ts";
import { originOf } from "../http/client-address.ts";
import type { Variables } from "../variables.ts";
import { readUserAgent } from "./session-device.ts";

/** Minutes for which the codes of a sign-in are valid. */
const validMinutes = 10;

/** The seconds between two polls: at first, added after a poll that came too early, and at most. */
const pollSeconds = { first: 5, added: 5, most: 60 } as const;

/** The letters of a code that a person types: no vowels, so no words, and no letters that look alike (RFC 8628, 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;

/** The form of a code in a request: letters in any case, with or without the hyphen. */
export const userCodePattern = new RegExp(
  `^[${letters}${letters.toLowerCase()}]{4}-?[${letters}${letters.toLowerCase()}]{4}$`,
);

/** Writes a code as the browser shows it: in capitals, with the hyphen. */
export function formOf(code: string): string {
  const plain = code.toUpperCase().replaceAll("-", "");
  return `${plain.slice(0, 4)}-${plain.slice(4)}`;
}

const hashUserCode = (code: string) => hashToken(formOf(code));

/** The code that the browser shows follows from the code of its link, so that the service stores neither. */
export function userCodeOf(linkCode: string): string {
  const digest = createHash("sha256").update(`user code ${linkCode}`).digest();
  const pick = (at: number) => letters[digest.readUInt32BE(4 * at) % letters.length];
  return formOf(Array.from({ length }, (_, at) => pick(at)).join(""));
}

export type SignInRequest = typeof deviceSignIn.$inferSelect;

type RequestContext = HonoContext<{ Variables: Variables }>;

/** The hash of the address that a request came from; null if unknown. */
function hashAddress(c: RequestContext): string | null {
  const { address } = originOf(c);
  return address === null ? null : hashToken(address);
}

/** Whether a request comes from the address of the browser that asks for the session. */
export function isFromSameAddress(c: RequestContext, { addressHash }: SignInRequest): boolean {
  return addressHash !== null && addressHash === hashAddress(c);
}

/** Makes the codes of a browser that asks for a session. Only their hashes are stored. */
export async function createSignInRequest({ db }: Context, c: RequestContext) {
  const deviceCode = randomBytes(32).toString("base64url");
  const linkCode = randomBytes(16).toString("base64url");
  const userCode = userCodeOf(linkCode);
  const expiresAt = new Date(Date.now() + validMinutes * 60_000);
  // Anyone may create codes, so each insert deletes old ones. A job could fall behind.
  await db
    .with(
      db
        .$with("old")
        .as(db.delete(deviceSignIn).where(sql`${deviceSignIn.expiresAt} < now() - interval '1 hour'`)),
    )
    .insert(deviceSignIn)
    .values({
      deviceCodeHash: hashToken(deviceCode),
      userCodeHash: hashUserCode(userCode),
      linkCodeHash: hashToken(linkCode),
      addressHash: hashAddress(c),
      userAgent: readUserAgent(c),
      network: originOf(c).network,
      interval: pollSeconds.first,
      expiresAt,
    });
  return { deviceCode, linkCode, userCode, expiresAt, interval: pollSeconds.first };
}

const isOpen = and(
  gt(deviceSignIn.expiresAt, sql`now()`),
  isNull(deviceSignIn.approvedAt),
  isNull(deviceSignIn.refusedAt),
);

/** Finds the open request with the code that its browser shows; undefined if it is unknown, expired or answered. */
export function findSignInRequest(context: Context, userCode: string): Promise<SignInRequest | undefined> {
  return findOpen(context, eq(deviceSignIn.userCodeHash, hashUserCode(userCode)));
}

/** Finds the open request with the code of the link that its browser shows as a QR code. */
export function findLinkedRequest(context: Context, linkCode: string): Promise<SignInRequest | undefined> {
  return findOpen(context, eq(deviceSignIn.linkCodeHash, hashToken(linkCode)));
}

async function findOpen({ db }: Context, condition: SQL): Promise<SignInRequest | undefined> {
  const [row] = await db.select().from(deviceSignIn).where(and(condition, isOpen));
  return row;
}

/** Refuses a request once. Returns whether it was open. */
export function refuseSignInRequest(context: Context, userCode: string): Promise<boolean> {
  const isAsked = eq(deviceSignIn.userCodeHash, hashUserCode(userCode));
  return answerRequest(context, isAsked, { refusedAt: sql`now()` });
}

/** Approves a request once, with the wallet that signed for it. Returns whether it was open. */
export function approveSignInRequest(
  context: Context,
  c: RequestContext,
  deviceCodeHash: string,
  { address, chainId }: ProvedWallet,
): Promise<boolean> {
  const approval = { approvedAt: sql`now()`, approvedFrom: originOf(c).network, address, chainId };
  return answerRequest(context, eq(deviceSignIn.deviceCodeHash, deviceCodeHash), approval);
}

async function answerRequest(
  { db }: Context,
  condition: SQL,
  values: PgUpdateSetSource<typeof deviceSignIn>,
): Promise<boolean> {
  const answered = await db
    .update(deviceSignIn)
    .set(values)
    .where(and(condition, isOpen))
    .returning({ hash: deviceSignIn.deviceCodeHash });
  return answered.length > 0;
}

type Polled =
  | { status: "pending" | "slow_down" | "refused" | "expired"; interval: number }
  | { status: "approved"; wallet: ProvedWallet; approvedFrom: string | null };

/**
 * Reads for the browser whether its request is answered. An approval is used up, in the transaction that starts the
 * session. A poll that comes before the interval has passed makes the interval longer.
 */
export async function pollSignInRequest(tx: Transaction, deviceCode: string): Promise<Polled> {
  const own = eq(deviceSignIn.deviceCodeHash, hashToken(deviceCode));
  const { expiresAt, polledAt, interval } = deviceSignIn;
  const [row] = await tx
    .select({
      ...getTableColumns(deviceSignIn),
      isExpired: sql<boolean>`${expiresAt} <= now()`,
      isEarly: sql<boolean>`coalesce(${polledAt} > now() - make_interval(secs => ${interval} - 0.5), false)`,
    })
    .from(deviceSignIn)
    .where(own)
    .for("update");
  if (!row || row.isExpired || row.usedAt) return { status: "expired", interval: pollSeconds.first };
  if (row.refusedAt) return { status: "refused", interval: row.interval };
  const slower = Math.min(row.interval + pollSeconds.added, pollSeconds.most);
  const polled = { polledAt: sql`now()`, interval: row.isEarly ? slower : row.interval };
  if (row.isEarly || !row.address) {
    await tx.update(deviceSignIn).set(polled).where(own);
    return { status: row.isEarly ? "slow_down" : "pending", interval: polled.interval };
  }
  await tx.update(deviceSignIn).set({ usedAt: sql`now()` }).where(own);
  const wallet = { address: row.address, chainId: row.chainId };
  return { status: "approved", wallet, approvedFrom: row.approvedFrom };
}
