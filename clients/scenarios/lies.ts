import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { LieKind } from "./scenario.ts";
import { type StageToken, usualToken } from "./tokens.ts";

type Members = Record<string, unknown>;

/** Changes the body of a successful answer. The path is below `/api/v1`. */
export type Lie = (path: string, body: Members, headers: { authorization: string }) => Promise<Members>;

/** The false decimals: 250 base units of TGUSD are 2.50, and 2.5e18 are far more than anybody has. */
const falseDecimals = 18;

/**
 * A service that lies about an order's token in a consistent way: it computes the order's escrow and addresses from the false
 * agreement.
 */
export function createLie(kind: LieKind, url: string, tokens: Map<string, StageToken>): Lie {
  const tokenOf = (symbol: string) => {
    const token = tokens.get(symbol);
    if (!token) throw new TypeError(`The service has no token ${symbol}.`);
    return token;
  };

  /** Writes an agreement with another token, at the same price. */
  function swap(agreement: Members, { address, symbol, decimals, chainId }: StageToken): Members {
    const units = String(parseAmount("2.50", decimals));
    return {
      ...agreement,
      chain: `eip155:${chainId}`,
      token: { address, symbol, decimals },
      unit_price_base_units: units,
      amount_base_units: units,
    };
  }
  /** The agreement at a higher price, which is below the buyer's maximum. */
  const raise = (agreement: Members): Members => ({
    ...agreement,
    unit_price_base_units: "2600000",
    amount_base_units: "2600000",
  });
  const falsify: Record<LieKind, (agreement: Members) => Members> = {
    buyer: (agreement) => ({ ...agreement, buyer: tokenOf(usualToken).contract }),
    price: raise,
    late_price: raise,
    late_token: (agreement) => swap(agreement, tokenOf("TGUSD")),
    late_order: (agreement) => agreement,
    decimals: (agreement) => swap(agreement, { ...tokenOf("TGUSD"), decimals: falseDecimals }),
    token: (agreement) => swap(agreement, tokenOf("TGUSD")),
    chain: (agreement) => swap(agreement, tokenOf(usualToken)),
  };

  async function falsifyOrder(order: Members, headers: { authorization: string }): Promise<Members> {
    const answer = await fetch(`${url}${apiPath}/orders/${order.id}/agreement`, { headers });
    const { terms, ...derived } = deriveDeposit(falsify[kind]((await answer.json()) as Members));
    return {
      ...order,
      total_amount_base_units: String(terms.amount),
      escrow: {
        ...(order.escrow as Members),
        chain_id: derived.chainId,
        contract_address: derived.escrowContract,
        escrow_id: derived.escrowId,
        deposit_address: derived.depositAddress,
      },
    };
  }

  /** Falsifies the terms of a purchase without an account, consistently. */
  function falsifyTerms(terms: Members): Members {
    const agreement = falsify[kind](terms.agreement as Members);
    const { depositAddress: payTo, terms: derived, chainId } = deriveDeposit(agreement);
    const paid = {
      network: `eip155:${chainId}`,
      amount: String(derived.amount),
      asset: derived.token,
      payTo,
    };
    return { ...terms, agreement, accepts: (terms.accepts as Members[]).map((one) => ({ ...one, ...paid })) };
  }

  const isLate = kind.startsWith("late_");
  let hasRefused = false;
  let first: Members | undefined;
  return async (path, body, headers) => {
    if (path.startsWith("/buy/")) {
      if ("agreement" in body) return !isLate || hasRefused ? falsifyTerms(body) : body;
      if (!isLate || !("claim" in body)) return body;
      if (kind === "late_order") {
        first ??= body;
        if (hasRefused || (body.order as Members).id === (first.order as Members).id) return first;
      }
      // The service has the payment, says that it has not, and asks for another one.
      hasRefused = true;
      const details = [{ path: "/accepted/extra/terms", keyword: "terms_expired", message: "expired" }];
      return { error: { code: "payment_required", message: "The terms have expired.", details } };
    }
    if (/^\/orders(\/ord_\w+)?$/.test(path) && "escrow" in body) return await falsifyOrder(body, headers);
    if (/^\/orders\/ord_\w+\/agreement$/.test(path)) return falsify[kind](body);
    if (kind !== "decimals" || !("accepts" in body)) return body;
    const accepts = (body.accepts as { symbol: string }[]).map((one) =>
      one.symbol === "TGUSD" ? { ...one, decimals: falseDecimals } : one,
    );
    return { ...body, accepts };
  };
}
