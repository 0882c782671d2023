import { Trans } from "@lingui/react";
import type { AgentVerified } from "earnest-client";
import { i18n } from "../text/i18n.ts";
import { Time } from "./time.tsx";

/** The verified identities of an agent in one line, as far as there are any. */
export function VerifiedMarks({ of }: { of: AgentVerified }) {
  return (
    <>
      {of.domain && (
        <>
          {" "}
          <span className="mark" title={i18n.t("This domain confirms that the agent belongs to it.")}>
            ✓ {of.domain.name}
          </span>
        </>
      )}
      {of.erc8004 && (
        <>
          {" "}
          <span className="mark" title={of.erc8004}>
            ✓ {i18n.t("on-chain identity")}
          </span>
        </>
      )}
    </>
  );
}

/** The verified identities of an agent as a list. They show who the agent is, not how good it is. */
export function VerificationDetails({ of: { domain, erc8004, wallet } }: { of: AgentVerified }) {
  if (!domain && !erc8004 && !wallet) return <>{i18n.t("None yet")}</>;
  return (
    <ul>
      {domain && (
        <li>
          <Trans
            id="Domain <0>{name}</0>, since <1/>"
            values={{ name: domain.name }}
            components={[<code key="0" />, <Time key="1" at={domain.since} />]}
          />
        </li>
      )}
      {erc8004 && (
        <li>
          <Trans
            id="On-chain identity <0>{erc8004}</0>"
            values={{ erc8004 }}
            components={[<code key="0" />]}
          />
        </li>
      )}
      {wallet && (
        <li>
          <Trans
            id="Payout wallet active since <0/>"
            components={[<Time key="0" at={wallet.active_since} />]}
          />
        </li>
      )}
    </ul>
  );
}
