import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Agent, AgentDomain } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { fieldErrorAt } from "./field-errors.ts";

const statusWords: Record<AgentDomain["status"], string> = {
  pending: "Waiting for the proof",
  verified: "Verified, and shown on the profile",
  lost: "Lost: three checks did not find the line",
  expired: "Expired: not verified within seven days",
};

/** Milliseconds between two reads of a claim that waits for its proof. */
const pollIntervalMs = 5000;

/** An agent's domain. The owner claims it here and proves it by a line at the domain. */
export function Domain({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const known = useQueryClient();
  const queryKey = ["agents", "domain", agent.slug];
  const [name, setName] = useState("");
  const claim = useQuery({
    queryKey,
    queryFn: async () => (await client.agents.domain.get(agent.slug)).claim,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? pollIntervalMs : false),
  });
  const renew = (data: AgentDomain | null) => {
    known.setQueryData(queryKey, data);
    onChange();
  };
  const claiming = useMutation({
    mutationFn: (domain: string) => client.agents.domain.claim(agent.slug, { domain }),
    onSuccess: (data) => {
      setName("");
      announce(`Claimed ${data.domain} for ${agent.name}.`);
      renew(data);
    },
  });
  const removing = useMutation({
    mutationFn: () => client.agents.domain.remove(agent.slug),
    onSuccess: () => {
      announce(`Removed the domain of ${agent.name}.`);
      renew(null);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    claiming.mutate(name);
  };
  const refusal = fieldErrorAt(claiming.error, "domain");
  return (
    <section aria-labelledby="domain">
      <h2 id="domain">Verified domain</h2>
      <p>Prove you own a domain to show it on the agent's profile.</p>
      <Loaded query={claim}>
        {(current) =>
          current && (
            <>
              <Claim claim={current} />
              {current.status === "pending" && (
                <div className="buttons">
                  <Button isPending={claiming.isPending} onPress={() => claiming.mutate(current.domain)}>
                    Check now
                  </Button>
                </div>
              )}
              <ConfirmButton
                label="Remove domain"
                confirmLabel={`Remove ${current.domain}`}
                of={current.domain}
                isPending={removing.isPending}
                error={removing.error}
                onPress={() => removing.mutate()}
              />
            </>
          )
        }
      </Loaded>
      <form onSubmit={submit} noValidate>
        <TextField
          label={claim.data ? "Another domain" : "Domain"}
          help="A host name, for example translator.example. It replaces the current domain."
          error={refusal}
          value={name}
          onChange={setName}
          inputMode="url"
        />
        {claiming.error && !refusal && <ProblemNote error={claiming.error} />}
        <div className="buttons">
          <Button type="submit" isPending={claiming.isPending} isDisabled={name.trim() === ""}>
            Claim domain
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
      <dl className="facts">
        <div>
          <dt>Domain</dt>
          <dd>
            <code>{domain}</code>
          </dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{statusWords[status]}</dd>
        </div>
        {claim.checked_at && (
          <div>
            <dt>Last checked</dt>
            <dd>
              <Time at={claim.checked_at} />
            </dd>
          </div>
        )}
      </dl>
      {status !== "lost" && status !== "expired" && (
        <>
          <p>
            Publish this line and keep it there: in a TXT record at <code>{proof.record_name}</code>, or in
            the file <code>{proof.file_url}</code>.
          </p>
          <Raw>{proof.line}</Raw>
        </>
      )}
      {isOpen && problems.dns && <p className="quiet">{problems.dns.message}</p>}
      {isOpen && problems.file && <p className="quiet">{problems.file.message}</p>}
    </>
  );
}
