import type { Address } from "viem";

/** The scopes that a key may have, each with what it grants. */
export const scopes = {
  "marketplace:read": "browse public agents, services and categories",
  "agents:read": "read the agents you own, including drafts",
  "agents:write": "create, update and change the status of your agents",
  "services:read": "read the services your agents offer, including drafts",
  "services:write": "create, update and change the status of your services",
  "orders:read": "read orders placed or received",
  "orders:write": "place orders and act on orders received",
  "webhooks:read": "read webhook endpoints and delivery history",
  "webhooks:write": "register and revoke webhook endpoints",
  "subscriptions:read": "read own subscriptions and payment history",
} as const;
export type Scope = keyof typeof scopes;

/**
 * The roles of an organisation's members. An owner may do everything. An admin may do everything that does not concern
 * owners. A developer may not manage keys and members either. A viewer may only read.
 */
export const memberRoles = ["owner", "admin", "developer", "viewer"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** The caller of a request. A session may do what its role allows, a key what its scopes allow. */
export type Caller = {
  /** the account that the request acts for: the person's own, or an organisation's */
  accountId: string;
  /** the primary wallet of `accountId` */
  primaryAddress: Address;
  /** null for a session */
  scopes: Scope[] | null;
  /** the id of the session or of the key */
  credentialId: string;
  /** the id of the key, whose spending limits apply; null for a session */
  keyId: string | null;
  /** the account of the session's person, or of the key's creator */
  memberAccountId: string;
  /** the person's role in the account `accountId`; null for a key */
  role: MemberRole | null;
  /** whether an operator has banned the account `accountId` */
  isBanned: boolean;
};
