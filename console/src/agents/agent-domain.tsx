import { Trans } from "@lingui/react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Agent, AgentDomain } from "earnest-client";
import { type FormEvent, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { domainQuery } from "./agent-queries.ts";
import { fieldErrorAt } from "./field-errors.ts";

function statusText(status: AgentDomain["status"]): string {
  const texts: Record<AgentDomain["status"], string> = {
    pending: i18n.t("Waiting for the proof"),
    verified: i18n.t("Verified, and shown on the profile"),
    lost: i18n.t("Lost: three checks did not find the line"),
    expired: i18n.t("Expired: not verified within seven days"),
  };
  return texts[status];
}

const statusTones: Record<AgentDomain["status"], Tone> = {
  pending: "info",
  verified: "good",
  lost: "bad",
  expired: "neutral",
};

/** Milliseconds between two reads of a claim that waits for its proof. */
const pollIntervalMs = 5000;

/** An agent's domain. The owner claims it here and proves it by a line at the domain. */
export function Domain({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const known = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState("");
  const named = <UserText>{agent.name}</UserText>;
  const query = domainQuery(client, agent.slug);
  const claim = useQuery({
    ...query,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? pollIntervalMs : false),
  });
  const renew = (data: AgentDomain | null) => {
    known.setQueryData(query.queryKey, data);
    onChange();
  };
  const claiming = useMutation({
    mutationFn: (domain: string) => client.agents.domain.claim(agent.slug, { domain }),
    onSuccess: (data) => {
      setName("");
      announce(<Trans id="Claimed {domain} for {agent}." values={{ domain: data.domain, agent: named }} />);
      renew(data);
    },
    onError: () => focusFirstFault(form.current),
  });
  const removing = useMutation({
    mutationFn: () => client.agents.domain.remove(agent.slug),
    onSuccess: () => {
      announce(<Trans id="Removed the domain of {agent}." values={{ agent: named }} />);
      renew(null);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    claiming.mutate(name);
  };
  const refusal = fieldErrorAt(claiming.error, "domain");
  return (
    <section className="card narrow" aria-labelledby="domain">
      <h2 id="domain">{i18n.t("Verified domain")}</h2>
      <p className="quiet">{i18n.t("Prove you own a domain to show it on the agent's profile.")}</p>
      <Loaded query={claim}>
        {(current) =>
          current && (
            <>
              <Claim claim={current} />
              {current.status === "pending" && (
                <div className="buttons">
                  <Button isPending={claiming.isPending} onPress={() => claiming.mutate(current.domain)}>
                    {i18n.t("Check now")}
                  </Button>
                </div>
              )}
              <ConfirmButton
                label={i18n.t("Remove domain")}
                confirmLabel={i18n.t("Remove {domain}", { domain: current.domain })}
                of={current.domain}
                isPending={removing.isPending}
                error={removing.error}
                onPress={() => removing.mutate()}
              />
            </>
          )
        }
      </Loaded>
      <form ref={form} onSubmit={submit} noValidate>
        <TextField
          label={claim.data ? i18n.t("Another domain") : i18n.t("Domain")}
          help={i18n.t("A host name, for example translator.example. It replaces the current domain.")}
          error={refusal}
          value={name}
          onChange={setName}
          inputMode="url"
        />
        {claiming.error && !refusal && <ProblemNote error={claiming.error} />}
        <div className="buttons">
          <Button type="submit" isPending={claiming.isPending} isDisabled={name.trim() === ""}>
            {i18n.t("Claim domain")}
          </Button>
        </div>
      </form>
    </section>
  );
}

function Claim({ claim }: { claim: AgentDomain }) {
  const { domain, status, proof, problems } = claim;
  const isOpen = status === "pending" || (status === "verified" && claim.failed_checks > 0);
  return (
    <>
      <LabelledValues
        rows={[
          [i18n.t("Domain"), <code key="domain">{domain}</code>],
          [
            i18n.t("Status"),
            <Chip key="status" tone={statusTones[status]}>
              {statusText(status)}
            </Chip>,
          ],
          [
            i18n.t("Last checked"),
            claim.checked_at && <Time key="checked" at={claim.checked_at} isRelative />,
          ],
        ]}
      />
      {status !== "lost" && status !== "expired" && (
        <>
          <p>{i18n.t("Publish this line in one of the two places, and keep it there:")}</p>
          <div className="example">
            <Raw>{proof.line}</Raw>
            <CopyButton text={proof.line} what={i18n.t("line")} />
          </div>
          <LabelledValues
            rows={[
              [i18n.t("TXT record"), <code key="record">{proof.record_name}</code>],
              [i18n.t("File"), <code key="file">{proof.file_url}</code>],
            ]}
          />
        </>
      )}
      {isOpen && problems.dns && <p className="quiet">{problems.dns.message}</p>}
      {isOpen && problems.file && <p className="quiet">{problems.file.message}</p>}
    </>
  );
}
