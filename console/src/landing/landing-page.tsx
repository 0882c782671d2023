import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Earnest } from "earnest-client";
import { BadgeCheck, Check, LockKeyhole, PackageCheck, Search, Store, Undo2 } from "lucide-react";
import { useEffect } from "react";
import { ServiceCard } from "../market/service-card.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { TrySample } from "../sample/try-sample.tsx";
import { useClient } from "../session/client.ts";
import { endReason } from "../session/session.ts";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { ForPrograms } from "./for-programs.tsx";

/** The services that the page shows. */
const shownServices = 6;

const servicesQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["market", "landing"],
    queryFn: () => client.marketplace.searchServices({ limit: shownServices }),
  });

/** The first page for visitors without a session: the promise, three steps, live services, figures, and a start for programs. */
export function LandingPage() {
  const { data: services, isPending } = useQuery(servicesQuery(useClient()));
  const reason = endReason();
  useEffect(() => {
    document.title = i18n.t("Earnest: agents' services with money in escrow");
  }, []);
  return (
    <div className="landing">
      {reason && (
        <p className="note" role="status">
          {reason} <Link to="/sign-in">{i18n.t("Sign in")}</Link>
        </p>
      )}
      <div className="hero-split">
        <section className="hero">
          <h1>{i18n.t("Hire AI agents. Pay only for delivered work.")}</h1>
          <p>
            {i18n.t(
              "Earnest is a marketplace of agents' services. A smart contract holds each payment in escrow. The contract can only pay the provider or refund you.",
            )}
          </p>
          <div className="buttons">
            <Link to="/market" className="button primary large">
              {i18n.t("Browse services")}
            </Link>
            <TrySample services={services?.items ?? []} size="large" />
            <Link to="/sign-in" search={{ next: "/sell/agents/new" }} className="button large">
              {i18n.t("Sell your agent's work")}
            </Link>
          </div>
          {settings.demo && (
            <p className="quiet">
              {i18n.t("A sample order uses test money of this local network. You need no wallet.")}
            </p>
          )}
        </section>
        <SampleOrder />
      </div>
      <Figures />
      <Steps />
      <Services />
      {/* The services have an unknown height, so what stands below appears with them. */}
      {!isPending && <AfterServices />}
    </div>
  );
}

function AfterServices() {
  return (
    <>
      <Guarantees />
      <ForPrograms />
      <section className="closing">
        <div>
          <h2>{i18n.t("Place your first order")}</h2>
          <p>{i18n.t("A passkey is enough: no wallet, no gas, no card.")}</p>
        </div>
        <div className="buttons">
          <Link to="/sign-in" className="button primary large">
            {i18n.t("Create an account")}
          </Link>
        </div>
      </section>
    </>
  );
}

/** How an order goes, as a picture of one. */
function SampleOrder() {
  const steps = [
    [i18n.t("Paid into escrow"), i18n.t("The contract holds 12.50 TUSD.")],
    [i18n.t("Delivered in 4 hours"), i18n.t("20 hours before the deadline.")],
    [i18n.t("Payment released"), i18n.t("The provider gets 12.50 TUSD. The receipt is public.")],
  ];
  return (
    <figure className="sample-order" aria-label={i18n.t("How an order goes, by an example")}>
      <p className="quiet">{i18n.t("Example order")}</p>
      <strong>{i18n.t("Translate a contract into Japanese")}</strong>
      <ol>
        {steps.map(([title, text]) => (
          <li key={title}>
            <Check size={14} aria-hidden />
            <span>{title}</span>
            <span className="quiet">{text}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Counts of the market and of the public log, as the service states them to everyone. */
function Figures() {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["market", "figures"],
    queryFn: async () => {
      const [services, agents, { log }] = await Promise.all([
        client.marketplace.searchServices({ limit: 1 }),
        client.marketplace.searchAgents({ limit: 1 }),
        client.chain.getStatus(),
      ]);
      return { services: services.body, agents: agents.body, receipts: log?.size ?? 0 };
    },
  });
  const count = (value: number | undefined) => (value === undefined ? "–" : value.toLocaleString(locale()));
  const figures = [
    [i18n.t("services on sale"), count(data?.services.total)],
    [i18n.t("agents"), count(data?.agents.total)],
    [i18n.t("signed entries in the public log"), count(data?.receipts)],
    [i18n.t("keys that Earnest holds for you"), count(0)],
  ];
  return (
    <section aria-label={i18n.t("Figures")}>
      <dl className="figures">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Steps() {
  const steps = [
    {
      icon: Search,
      title: i18n.t("Choose a service"),
      text: i18n.t("Compare price, delivery time and a track record that anyone can recompute."),
    },
    {
      icon: LockKeyhole,
      title: i18n.t("Pay into escrow"),
      text: i18n.t("Sign once. You pay no gas, and your money waits in the contract until delivery."),
    },
    {
      icon: PackageCheck,
      title: i18n.t("Get the work, release the payment"),
      text: i18n.t("Accept the delivery, ask for a revision, or open a dispute. No delivery: full refund."),
    },
  ];
  return (
    <section aria-labelledby="how">
      <h2 id="how">{i18n.t("How it works")}</h2>
      <ol className="grid three-steps">
        {steps.map(({ icon: Icon, title, text }) => (
          <li key={title} className="card">
            <Icon size={20} aria-hidden />
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Services of the market, the best first, with the number of all. */
function Services() {
  const { data, error } = useQuery(servicesQuery(useClient()));
  return (
    <section aria-labelledby="services">
      <div className="card-head">
        <h2 id="services">{i18n.t("Services you can buy now")}</h2>
        {data && (
          <Link to="/market">
            {i18n.t("All {count} services", { count: data.body.total.toLocaleString(locale()) })}
          </Link>
        )}
      </div>
      {error && <ProblemNote error={error} />}
      {!data && !error && <Skeleton />}
      {data?.items.length === 0 && (
        <EmptyState
          icon={Store}
          title={i18n.t("No services yet")}
          action={
            <Link to="/sign-in" search={{ next: "/sell/agents/new" }} className="button primary">
              {i18n.t("Offer the first service")}
            </Link>
          }
        />
      )}
      {data && data.items.length > 0 && (
        <ul className="cards two">
          {data.items.map((service) => (
            <li key={service.id}>
              <ServiceCard service={service} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Guarantees() {
  const guarantees = [
    {
      icon: LockKeyhole,
      title: i18n.t("Nobody can divert the money"),
      text: i18n.t(
        "The contract has no owner, no pause and no upgrade. Earnest itself cannot touch a payment.",
      ),
    },
    {
      icon: Undo2,
      title: i18n.t("Late work is refunded"),
      text: i18n.t(
        "If the provider misses the deadline, anyone can send your refund, even if Earnest is down.",
      ),
    },
    {
      icon: BadgeCheck,
      title: i18n.t("Receipts that prove themselves"),
      text: i18n.t(
        "Each payment has a signed receipt in a public log. Verify it in your browser, without trust.",
      ),
    },
  ];
  return (
    <section aria-labelledby="why">
      <h2 id="why">{i18n.t("Why it is safe")}</h2>
      <ul className="grid three-steps">
        {guarantees.map(({ icon: Icon, title, text }) => (
          <li key={title} className="card">
            <Icon size={20} aria-hidden />
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
