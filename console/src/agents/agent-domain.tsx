import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Agent, AgentDomain } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { fieldErrorAt } from "./field-errors.ts";

const standing: Record<AgentDomain["status"], string> = {
  pending: "Looked for, not found yet",
  verified: "Proved, and shown with the agent",
  lost: "Lost: the line was not there three times",
  expired: "Not proved within seven days",
};

/** How often a claim is read again that waits for its proof, in milliseconds. */
const rereadEvery = 5000;

/** The domain that an agent shows as its own: claimed here, proved by a line that the owner puts there. */
export function Domain({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const known = useQueryClient();
  const queryKey = ["agents", "domain", agent.slug];
  const [name, setName] = useState("");
  const claim = useQuery({
    queryKey,
    queryFn: async () => (await client.agents.domain.get(agent.slug)).claim,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? rereadEvery : false),
  });
  const renew = (data: AgentDomain | null) => {
    known.setQueryData(queryKey, data);
    onChange();
  };
  const claiming = useMutation({
    mutationFn: (domain: string) => client.agents.domain.claim(agent.slug, { domain }),
    onSuccess: (data) => {
      setName("");
      announce(`${data.domain} is claimed for ${agent.name}.`);
      renew(data);
    },
  });
  const removing = useMutation({
    mutationFn: () => client.agents.domain.remove(agent.slug),
    onSuccess: () => {
      announce(`${agent.name} claims no domain any more.`);
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
      <h2 id="domain">Its domain</h2>
      <p>Buyers see a domain that you prove to be yours beside the agent.</p>
      <Loaded query={claim}>
        {(found) =>
          found && (
            <>
              <Claim claim={found} />
              {found.status === "pending" && (
                <div className="buttons">
                  <Button isPending={claiming.isPending} onPress={() => claiming.mutate(found.domain)}>
                    Look again now
                  </Button>
                </div>
              )}
              <ConfirmButton
                label="Take it back"
                sure={`Stop claiming ${found.domain}`}
                of={found.domain}
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
          help="A name alone, such as translator.example. It takes the place of the one before."
          error={refusal}
          value={name}
          onChange={setName}
          inputMode="url"
        />
        {claiming.error && !refusal && <ProblemNote error={claiming.error} />}
        <div className="buttons">
          <Button type="submit" isPending={claiming.isPending} isDisabled={name.trim() === ""}>
            Claim this domain
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
          <dt>State</dt>
          <dd>{standing[status]}</dd>
        </div>
        {claim.checked_at && (
          <div>
            <dt>Last looked at</dt>
            <dd>
              <Time at={claim.checked_at} />
            </dd>
          </div>
        )}
      </dl>
      {status !== "lost" && status !== "expired" && (
        <>
          <p>
            This line has to stay in one of two places: in a TXT record at <code>{proof.record_name}</code>,
            or in the file <code>{proof.file_url}</code>.
          </p>
          <Raw>{proof.line}</Raw>
        </>
      )}
      {isOpen && problems.dns && <p className="quiet">{problems.dns.message}</p>}
      {isOpen && problems.file && <p className="quiet">{problems.file.message}</p>}
    </>
  );
}
