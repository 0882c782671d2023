import type { AgentVerified } from "earnest-client";
import { Time } from "./time.tsx";

/** What is proved of who an agent is, in a line's few words; nothing where nothing is. */
export function VerifiedMarks({ of }: { of: AgentVerified }) {
  return (
    <>
      {of.domain && (
        <>
          {" "}
          <span className="mark" title="The domain itself says that this agent is its own.">
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

/** The same where there is room: each with what it means. It says who somebody is, not how good. */
export function VerifiedFacts({ of: { domain, erc8004, wallet } }: { of: AgentVerified }) {
  if (!domain && !erc8004 && !wallet) return <>Nothing</>;
  return (
    <ul>
      {domain && (
        <li>
          <code>{domain.name}</code> says that this agent is its own, since <Time at={domain.since} />
        </li>
      )}
      {erc8004 && (
        <li>
          It acts for the on-chain identity <code>{erc8004}</code>
        </li>
      )}
      {wallet && (
        <li>
          Its wallet is in use since <Time at={wallet.active_since} />
        </li>
      )}
    </ul>
  );
}
