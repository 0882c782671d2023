import { and, eq, ne, or, type Placeholder, type SQL } from "../db/drizzle.ts";
import { agent, service } from "../db/schema.ts";

/**
 * Returns a condition on `agent`: a draft is shown to its own account, any other agent to everybody.
 *
 * @param accountId account of the caller; undefined for an anonymous caller
 */
export function agentShownTo(accountId: string | Placeholder | undefined): SQL | undefined {
  return or(ne(agent.status, "draft"), ofAccount(accountId));
}

/** Returns a condition on `service` and its `agent`: a draft, or a service of a draft agent, is shown to its own account. */
export function serviceShownTo(accountId: string | undefined): SQL | undefined {
  return or(and(ne(service.status, "draft"), ne(agent.status, "draft")), ofAccount(accountId));
}

function ofAccount(accountId: string | Placeholder | undefined): SQL | undefined {
  return accountId === undefined ? undefined : eq(agent.accountId, accountId);
}
