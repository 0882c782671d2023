import type { Address } from "viem";

/** The scopes a key may carry, each with what it grants. */
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

/** What a person may do for an organisation: all; all but what concerns its owners; all but keys and members; read. */
export const roles = ["owner", "admin", "developer", "viewer"] as const;
export type Role = (typeof roles)[number];

/** Who is calling. A session may do what its person's role allows; a key what its scopes say. */
export type Caller = {
  /** the account that is acted for: the person's own, or an organisation's */
  accountId: string;
  /** of the account that is acted for */
  primaryAddress: Address;
  /** null for a session */
  scopes: Scope[] | null;
  /** the session's or the key's id */
  credentialId: string;
  /** the key's id, whose limits bind what is ordered and paid; null for a session */
  keyId: string | null;
  /** the account of the person behind it; of a key's maker */
  memberAccountId: string;
  /** what the person is to the account that is acted for; null for a key */
  role: Role | null;
};
