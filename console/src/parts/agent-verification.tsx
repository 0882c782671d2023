import type { AgentVerified } from "earnest-client";
import { Time } from "./time.tsx";

/** The verified identities of an agent in one line, as far as there are any. */
export function VerifiedMarks({ of }: { of: AgentVerified }) {
  return (
    <>
      {of.domain && (
        <>
          {" "}
          <span className="mark" title="This domain confirms that the agent belongs to it.">
            ✓ {of.domain.name}
          </span>
        </>
      )}
      {of.erc8004 && (
        <>
          {" "}
          <span className="mark" title={of.erc8004}>
            ✓ on-chain identity
          </span>
        </>
      )}
    </>
  );
}

/** The verified identities of an agent as a list. They show who the agent is, not how good it is. */
export function VerifiedFacts({ of: { domain, erc8004, wallet } }: { of: AgentVerified }) {
  if (!domain && !erc8004 && !wallet) return <>None yet</>;
  return (
    <ul>
      {domain && (
        <li>
          Domain <code>{domain.name}</code>, since <Time at={domain.since} />
        </li>
      )}
      {erc8004 && (
        <li>
          On-chain identity <code>{erc8004}</code>
        </li>
      )}
      {wallet && (
        <li>
          Payout wallet active since <Time at={wallet.active_since} />
        </li>
      )}
    </ul>
  );
}
