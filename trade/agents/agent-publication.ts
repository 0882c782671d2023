import type { Transaction } from "../../db/client.ts";
import type { agent } from "../../db/schema.ts";
import { requireActive } from "../accounts/active-account.ts";
import { isMove, type OwnMove } from "../publication.ts";
import { Refusal } from "../refusal.ts";
import type { OwnAgent } from "./own-agent.ts";

/**
 * Returns the columns of an agent that its owner publishes, pauses or retires; none if it has the status already.
 *
 * @throws Refusal `invalid_state`; `payout_wallet_required`; of an inactive account as `requireActive`
 */
export async function agentStatusColumns(
  tx: Transaction,
  row: OwnAgent,
  to: OwnMove,
): Promise<Partial<typeof agent.$inferInsert>> {
  if (!isMove("agent", row.status, to)) return {};
  if (to !== "published") return { status: to };
  await requireActive(tx, row.accountId);
  if (!row.payoutWallet) {
    throw new Refusal(
      "payout_wallet_required",
      "The agent has no payout wallet. Set one with PUT /agents/{slug}/payout-wallet before you publish.",
      [{ path: "/payout_wallet", keyword: "required", message: "is required to publish" }],
    );
  }
  return { status: to, publishedAt: row.publishedAt ?? new Date() };
}
