import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Scope } from "earnest-client";
import { useState } from "react";
import { KeyLimitFields } from "../keys/key-limit-fields.tsx";
import { findLimitFaults, noLimits, requestOf } from "../keys/key-limits.ts";
import { scopeText } from "../keys/scope-texts.ts";
import { Button } from "../parts/button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { organisationsQuery } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { type ConsentRequest, consentQuery, type Decision, sendDecision } from "./consent-request.ts";

/** The limits that the form starts with. The user may change them. */
const usualLimits = { ...noLimits, per_order: "5.00", per_day: "20.00" };

/** Asks the user whether a program may use the account, and within which limits (OAuth). */
export function ConnectPage() {
  const { uid } = useParams({ from: "/connect/$uid" });
  const client = useClient();
  const request = useQuery(consentQuery(client, uid));
  return (
    <div className="sign-in">
      <Page
        title={i18n.t("Connect a program")}
        intro={i18n.t("A program asks for access to your account. You decide what it may do and spend.")}
      >
        <Loaded query={request}>{(found) => <Consent uid={uid} request={found} />}</Loaded>
      </Page>
    </div>
  );
}

function Consent({ uid, request }: { uid: string; request: ConsentRequest }) {
  const client = useClient();
  const [scopes, setScopes] = useState<readonly Scope[]>(request.scopes);
  const [limits, setLimits] = useState(usualLimits);
  const faults = findLimitFaults(limits);
  const deciding = useMutation({
    mutationFn: async (decision: Decision) => await sendDecision(client, uid, decision),
    onSuccess: (url) => location.assign(url),
  });
  const isBlocked = scopes.length === 0 || Object.keys(faults).length > 0;
  if (deciding.data) {
    return (
      <p className="note" role="status">
        {i18n.t("Your decision was sent to the program. You can close this page.")}
      </p>
    );
  }
  const change = (scope: Scope, isChosen: boolean) =>
    setScopes(request.scopes.filter((each) => (each === scope ? isChosen : scopes.includes(each))));
  return (
    <>
      <Subject request={request} />
      <fieldset>
        <legend>{i18n.t("Permissions")}</legend>
        {request.scopes.map((scope) => (
          <label className="check" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) => change(scope, target.checked)}
            />
            <span>
              <code>{scope}</code> <span className="quiet">{scopeText(scope)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <h2>{i18n.t("Spending limits")}</h2>
      <KeyLimitFields limits={limits} faults={faults} onChange={setLimits} />
      {deciding.error && <ProblemNote error={deciding.error} />}
      <div className="buttons">
        <Button isPending={deciding.isPending} onPress={() => deciding.mutate({ approved: false })}>
          {i18n.t("Refuse")}
        </Button>
        <Button
          variant="primary"
          isDisabled={isBlocked}
          isPending={deciding.isPending}
          onPress={() =>
            deciding.mutate({ approved: true, scopes: [...scopes], ...requestOf(limits, noLimits) })
          }
        >
          {i18n.t("Allow access")}
        </Button>
      </div>
      <p className="quiet">
        {i18n.t(
          "You can end the access at any time under API keys. The program cannot sign for your wallet.",
        )}
      </p>
    </>
  );
}

/** Shows the program and the account. Only the receiver is certain: the program chooses its name itself. */
function Subject({ request }: { request: ConsentRequest }) {
  const { client_name, client_id_host, receiver, is_local } = request;
  const client = useClient();
  const session = useSession();
  const { data: organisations = [] } = useQuery(organisationsQuery(client));
  const name = organisations.find(({ id }) => id === session?.organisation)?.name;
  return (
    <>
      <LabelledValues
        rows={[
          [i18n.t("Program"), <UserText key="name">{client_name}</UserText>],
          [i18n.t("Described at"), client_id_host && <code key="id">{client_id_host}</code>],
          [i18n.t("Access goes to"), <code key="to">{receiver}</code>],
          [
            i18n.t("Account"),
            name ? <UserText key="for">{name}</UserText> : <code key="for">{session?.address}</code>,
          ],
        ]}
      />
      <p className="note">
        {is_local
          ? i18n.t(
              "The access goes to a program on this computer. Allow it only if you just started to connect that program.",
            )
          : i18n.t(
              "Nobody checked the program's name. Allow access only if you just came from {receiver}, and you trust it.",
              { receiver },
            )}
      </p>
    </>
  );
}
