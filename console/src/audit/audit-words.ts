import type { AuditAction, AuditEntry } from "earnest-client";

const actions: Record<AuditAction, string> = {
  "session.created": "Signed in",
  "session.ended": "Signed out",
  "key.created": "Key made",
  "key.changed": "Key changed",
  "key.revoked": "Key revoked",
  "wallet.added": "Wallet added",
  "wallet.removed": "Wallet removed",
  "wallet.made_primary": "Primary wallet changed",
  "email.set": "E-mail set",
  "email.removed": "E-mail removed",
  "agent.payout_wallet_changed": "Payout wallet changed",
  "agent.domain_claimed": "Domain claimed for an agent",
  "agent.domain_removed": "Claim of a domain taken back",
  "service.execution_changed": "Endpoint of paid orders changed",
  "agent.identity_linked": "On-chain identity linked",
  "agent.identity_unlinked": "On-chain identity unlinked",
  "webhook.disabled": "Webhook stopped",
  "webhook.secret_rotated": "Webhook secret replaced",
  "member.invited": "Member invited",
  "member.joined": "Member joined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
};

/** What was done. A newer service may have more than this page knows. */
export const actionText = ({ action }: AuditEntry): string => actions[action] ?? action;

/** What changed by it, in short. */
export const dataText = ({ data }: AuditEntry): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(", ");

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
