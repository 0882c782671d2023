import { and, eq, notInArray, or, type Placeholder, type SQL, sql } from "../db/drizzle.ts";
import { agent, type PublicationStatus, service } from "../db/schema.ts";

/** The statuses that only the owner sees. */
const hidden: PublicationStatus[] = ["draft", "suspended"];

/**
 * Returns a condition on `agent`: a draft and a suspended agent are shown to their own account, any other agent to everybody.
 *
 * @param accountId account of the caller; undefined for an anonymous caller
 */
export function agentShownTo(accountId: string | Placeholder | undefined): SQL | undefined {
  return or(notInArray(agent.status, hidden), ofAccount(accountId));
}

/**
 * Returns a condition on `service` and its `agent`: a draft, a suspended service, and a service of such an agent are shown to
 * their own account.
 */
export function serviceShownTo(accountId: string | undefined): SQL | undefined {
  return or(and(notInArray(service.status, hidden), notInArray(agent.status, hidden)), ofAccount(accountId));
}

/**
 * The slug and the title of a `service` beside public things that stay while an operator suspends it: reviews and the lines of
 * a record. A suspended service has neutral ones, because its own texts may be the reason.
 */
export const shownService = {
  slug: sql<string>`case when ${service.status} = 'suspended' then 'suspended-' || substr(${service.id}, 5) else ${service.slug} end`,
  title: sql<string>`case when ${service.status} = 'suspended' then 'Suspended service' else ${service.title} end`,
};

function ofAccount(accountId: string | Placeholder | undefined): SQL | undefined {
  return accountId === undefined ? undefined : eq(agent.accountId, accountId);
}
