import { type Address, getAddress } from "viem";
import type { Transaction } from "../../db/client.ts";
import { and, eq, ne } from "../../db/drizzle.ts";
import { service } from "../../db/schema.ts";
import { readProvedChains } from "../../db/wallets.ts";
import { type Refusal, refuseField } from "../refusal.ts";
import { acceptedTokens, type TokenSettings } from "./payment-token.ts";

type Sale = Pick<typeof service.$inferSelect, "accepts">;

/** The chains on which a payout wallet is proved; null for a key, which works on every chain. */
type ProvedChains = number[] | null;

/**
 * Requires that the payout wallet of a service's agent can be paid on each chain of the service's tokens. An agent without
 * a payout wallet is checked when it gets one.
 *
 * @throws Refusal `invalid_request`
 */
export async function requirePayoutChains(
  tx: Transaction,
  config: TokenSettings,
  { payoutWallet, accountId, ...sale }: Sale & { payoutWallet: Address | null; accountId: string },
): Promise<void> {
  if (!payoutWallet) return;
  const proved = await readProvedChains(tx, { accountId, address: payoutWallet });
  const missing = findMissingChains(config, proved, sale);
  if (missing.length === 0) return;
  throw refuseField(
    "accepts",
    "payout_wallet",
    `Field accepts: the agent's payout wallet ${getAddress(payoutWallet)} is a contract and not proved on ${missing.map(nameOf).join(", ")}. ${remedy} or leave out the tokens of these chains.`,
  );
}

/**
 * Requires that an agent's new payout wallet can be paid on each chain on which the agent sells.
 *
 * @param field the request's field that names the wallet
 * @throws Refusal `invalid_request`
 */
export async function requirePayoutWallet(
  tx: Transaction,
  config: TokenSettings,
  { agentId, proved, field }: { agentId: string; proved: ProvedChains; field: string },
): Promise<void> {
  if (proved === null) return;
  if (!config.chains.some(({ chain_id }) => proved.includes(chain_id))) {
    throw refuse(field, "The wallet is a contract of a chain that is not served. Choose another wallet.");
  }
  const sales = await tx
    .select({ slug: service.slug, accepts: service.accepts })
    .from(service)
    .where(and(eq(service.agentId, agentId), ne(service.status, "retired")))
    .orderBy(service.createdAt);
  for (const sale of sales) {
    const missing = findMissingChains(config, proved, sale);
    if (missing.length === 0) continue;
    throw refuse(
      field,
      `The wallet is a contract and not proved on ${missing.map(nameOf).join(", ")}, where the service ${sale.slug} sells. ${remedy} or take the tokens of these chains out of the service's \`accepts\`.`,
    );
  }
}

// A contract's address on another chain may have no code or another owner, so money that is sent there may be lost.
const remedy = "Prove the wallet on each chain with POST /auth/me/wallets,";

function refuse(field: string, message: string): Refusal {
  return refuseField(field, "chain", message);
}

type ServedChain = TokenSettings["chains"][number];

const nameOf = ({ network_name, chain_id }: ServedChain) => `${network_name} (chain ${chain_id})`;

/** Finds the chains on which a service sells and a payout wallet is not proved. */
function findMissingChains(config: TokenSettings, proved: ProvedChains, sale: Sale): ServedChain[] {
  if (proved === null) return [];
  const chains = new Set(acceptedTokens(config, sale).map(({ chain }) => chain));
  return [...chains].filter(({ chain_id }) => !proved.includes(chain_id));
}
