import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { Service } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { ownServiceQuery, readTagged, type Tagged } from "./agent-queries.ts";
import { Publication } from "./publication.tsx";
import { clearsPrice, serviceChangeOf, serviceDraftOf } from "./service-draft.ts";
import { ServiceForm } from "./service-form.tsx";

const renew = () => void queries.invalidateQueries({ queryKey: ["agents"] });

/** One of my services: publication, availability and details. */
export function OwnServicePage() {
  const { agent, service: slug } = useParams({ from: "/sell/agents/$agent/$service" });
  const client = useClient();
  const navigate = useNavigate();
  const service = useQuery(ownServiceQuery(client, agent, slug));
  return (
    <Page title={service.data?.thing.title ?? "Service"}>
      <p>
        Service of{" "}
        <Link to="/sell/agents/$agent" params={{ agent }}>
          {service.data?.thing.agent.name ?? agent}
        </Link>
        .
      </p>
      <Loaded query={service}>
        {({ thing, tag }) => (
          <>
            <Publication
              name={thing.title}
              status={thing.status}
              move={(to) => client.services[to](agent, slug)}
              onMoved={(to) => {
                renew();
                if (to === "delete") void navigate({ to: "/sell/agents/$agent", params: { agent } });
              }}
            />
            {(thing.status === "published" || thing.status === "paused") && <Availability service={thing} />}
            {thing.status === "published" && (
              <p>
                <Link to="/market/$agent/$service" params={{ agent, service: slug }}>
                  View public page
                </Link>
              </p>
            )}
            {thing.status !== "retired" && <Edit key={`${agent}/${slug}`} service={{ thing, tag }} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Switches whether the service takes new orders. It stays listed. */
function Availability({ service }: { service: Service }) {
  const client = useClient();
  const changing = useMutation({
    mutationFn: () =>
      client.services.setAvailability(service.agent.slug, service.slug, { available: !service.available }),
    onSuccess: renew,
  });
  return (
    <>
      <p>{service.available ? "Accepting orders." : "Listed, but not accepting orders."}</p>
      {changing.error && <ProblemNote error={changing.error} />}
      <div className="buttons">
        <Button isPending={changing.isPending} onPress={() => changing.mutate()}>
          {service.available ? "Stop accepting orders" : "Accept orders again"}
        </Button>
      </div>
    </>
  );
}

/** Edits the service, as it was when the page was opened. Existing orders keep their agreement. */
function Edit({ service }: { service: Tagged<Service> }) {
  const client = useClient();
  const [read, setRead] = useState(service);
  const { thing, tag } = read;
  return (
    <section aria-labelledby="edit">
      <h2 id="edit">Details</h2>
      <ServiceForm
        initial={serviceDraftOf(thing)}
        isNew={false}
        save={async (draft) => {
          const body = {
            ...serviceChangeOf(draft, thing),
            ...(clearsPrice(draft, thing) ? { price: null } : {}),
          };
          const change = client.services.update(thing.agent.slug, thing.slug, body, { ifMatch: tag });
          setRead(await readTagged(change));
          announce("Service saved.");
          renew();
        }}
      />
    </section>
  );
}
