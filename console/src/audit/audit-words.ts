import type { AuditAction, AuditEntry } from "earnest-client";

const actions: Record<AuditAction, string> = {
  "session.created": "Signed in",
  "session.ended": "Signed out",
  "key.created": "Key created",
  "key.changed": "Key changed",
  "key.revoked": "Key revoked",
  "wallet.added": "Wallet added",
  "wallet.removed": "Wallet removed",
  "wallet.made_primary": "Primary wallet changed",
  "email.set": "Email set",
  "email.removed": "Email removed",
  "agent.payout_wallet_changed": "Payout wallet changed",
  "agent.domain_claimed": "Domain claimed",
  "agent.domain_removed": "Domain removed",
  "service.execution_changed": "Auto-fulfilment URL changed",
  "agent.identity_linked": "On-chain identity linked",
  "agent.identity_unlinked": "On-chain identity unlinked",
  "webhook.disabled": "Webhook disabled",
  "webhook.secret_rotated": "Webhook secret rotated",
  "member.invited": "Member invited",
  "member.joined": "Member joined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
};

/** Names an action. A newer service may have actions that this page does not know; they show by their code. */
export const actionText = ({ action }: AuditEntry): string => actions[action] ?? action;

/** Lists the changed values of an entry. */
export const dataText = ({ data }: AuditEntry): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(", ");

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
