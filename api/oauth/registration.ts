import { and, eq, isNull } from "../../db/drizzle.ts";
import { oauthClient } from "../../db/schema.ts";
import type { Context } from "../context.ts";

/** The most registered clients that nobody granted anything yet: of one network, and in all. */
export const registrationCaps = { network: 200, all: 20_000 };
/** The most bytes of a registration. */
export const largestRegistration = 8 * 1024;

/**
 * Whether one more client may register. Clients that nobody grants anything are removed after a day.
 *
 * @param network null if it is unknown
 */
export async function mayRegister(
  { db }: Pick<Context, "db">,
  network: string | null,
  caps = registrationCaps,
): Promise<boolean> {
  const unused = isNull(oauthClient.usedAt);
  if ((await db.$count(oauthClient, unused)) >= caps.all) return false;
  if (network === null) return true;
  return (await db.$count(oauthClient, and(unused, eq(oauthClient.network, network)))) < caps.network;
}

/** Notes the network of a client that registered. */
export async function noteNetwork(
  { db }: Pick<Context, "db">,
  id: string,
  network: string | null,
): Promise<void> {
  await db.update(oauthClient).set({ network }).where(eq(oauthClient.id, id));
}
