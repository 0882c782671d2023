import type { RatePolicy } from "../../config/limits.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";

/**
 * Requests with a policy of their own, because they are expensive or easily abused. `usualRates` in config/limits.ts has the
 * limits. Paths below `apiPath` are relative to it. The first match applies, in addition to the general policies.
 */
const specialPolicies: SpecialPolicy[] = [
  // By address even with a token, because each sign-in makes a new token.
  {
    policy: "sign_in",
    requests: /^POST \/(session|auth\/(nonce|signin|me\/wallets|device\/(approval|nonce)))$/,
    countsByAddress: true,
  },
  {
    policy: "sign_in",
    requests: /^(POST \/oauth\/register|(GET|HEAD) \/oauth\/authorize)$/,
    countsByAddress: true,
  },
  {
    policy: "search",
    requests: /^(GET|HEAD) \/(search$|marketplace\/|(facilitator\/)?discovery\/(resources|search)$)/,
  },
  { policy: "schema", requests: /^(POST|PATCH|PUT) \/agents\/[^/]+\/services(\/[^/]+)?$/ },
  {
    policy: "payment",
    requests:
      /^POST \/(orders\/[^/]+\/payment|buy\/[^/]+\/[^/]+|facilitator\/(verify|settle)|auth\/me\/wallets\/[^/]+\/(transfer|deployment))$/,
  },
  { policy: "verify", requests: /^POST \/receipts\/verify$/ },
  { policy: "balances", requests: /^(GET|HEAD) \/balances$/ },
];

const below = new RegExp(`^${apiPath}/`);

/** A policy of some requests. Its limit counts by the client's address, or by the account of a client that has one. */
type SpecialPolicy = { policy: RatePolicy; requests: RegExp; countsByAddress?: boolean };

/** Returns the policy of a request besides the general ones. */
export function specialPolicyOf(method: string, path: string): SpecialPolicy | undefined {
  const request = `${method} ${path.replace(below, "/")}`;
  return specialPolicies.find(({ requests }) => requests.test(request));
}
