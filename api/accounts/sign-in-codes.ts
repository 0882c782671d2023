import { randomBytes, randomInt } from "node:crypto";
import { and, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import type { Transaction } from "../../db/client.ts";
import { deviceSignIn } from "../../db/schema.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context } from "../context.ts";
import { originOf } from "../http/client-address.ts";
import { hashToken } from "../http/tokens.ts";
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

const hashUserCode = (code: string) => hashToken(code.toUpperCase().replaceAll("-", ""));

export type SignInRequest = typeof deviceSignIn.$inferSelect;

type RequestContext = HonoContext<{ Variables: Variables }>;

/** Makes the codes of a browser that asks for a session. Only their hashes are stored. */
export async function createSignInRequest({ db }: Context, c: RequestContext) {
  const deviceCode = randomBytes(32).toString("base64url");
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
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
      userCodeHash: hashUserCode(code),
      userAgent: readUserAgent(c),
      network: originOf(c).network,
      interval: pollSeconds.first,
      expiresAt,
    });
  return {
    deviceCode,
    userCode: `${code.slice(0, 4)}-${code.slice(4)}`,
    expiresAt,
    interval: pollSeconds.first,
  };
}

const isOpen = and(
  gt(deviceSignIn.expiresAt, sql`now()`),
  isNull(deviceSignIn.approvedAt),
  isNull(deviceSignIn.refusedAt),
);

/** The request with the code that its browser shows; undefined if it is unknown, expired or answered. */
export async function findSignInRequest(
  { db }: Context,
  userCode: string,
): Promise<SignInRequest | undefined> {
  const [row] = await db
    .select()
    .from(deviceSignIn)
    .where(and(eq(deviceSignIn.userCodeHash, hashUserCode(userCode)), isOpen));
  return row;
}

/** Answers a request once: with the wallet that approves, or null to refuse. Returns whether it was open. */
export async function answerSignInRequest(
  { db }: Context,
  c: RequestContext,
  userCode: string,
  wallet: ProvedWallet | null,
): Promise<boolean> {
  const approval = wallet && {
    approvedAt: sql`now()`,
    approvedFrom: originOf(c).network,
    address: wallet.address,
    chainId: wallet.chainId,
  };
  const answered = await db
    .update(deviceSignIn)
    .set(approval ?? { refusedAt: sql`now()` })
    .where(and(eq(deviceSignIn.userCodeHash, hashUserCode(userCode)), isOpen))
    .returning({ hash: deviceSignIn.userCodeHash });
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
