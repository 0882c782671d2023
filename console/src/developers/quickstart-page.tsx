import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, BookOpen, KeyRound, Webhook } from "lucide-react";
import { shortAmount } from "../../../protocol/settlement/money.ts";
import { initialValueOf } from "../form/initial-value.ts";
import type { Schema } from "../form/schema-input.ts";
import { CodeTabs } from "../parts/code-tabs.tsx";
import { Page } from "../parts/page.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { installs, nextSteps, orders, type SampleService } from "./quickstart-code.ts";

/** The first steps of a program: a key, a client and an order. */
export function QuickstartPage() {
  const client = useClient();
  const { data: service, isPending } = useQuery({
    queryKey: ["quickstart-service"],
    queryFn: async (): Promise<SampleService | null> => {
      const { items } = await client.marketplace.searchServices({ limit: 1, sort: "most_completed" });
      const [found] = items;
      if (!found) return null;
      const { id, slug, price, input_schema } = await client.services.get(found.agent.slug, found.slug);
      const input = initialValueOf(input_schema as Schema | null) ?? {};
      return {
        id,
        agent: found.agent.slug,
        slug,
        price: price === null ? "10.00" : shortAmount(price),
        input: JSON.stringify(input),
      };
    },
  });
  return (
    <Page
      title={i18n.t("Quickstart")}
      intro={i18n.t("Place your first order from a program in three steps.")}
      actions={
        <Link to="/docs" className="button">
          {i18n.t("API reference")}
        </Link>
      }
    >
      <ol className="steps-list">
        <li className="card">
          <h2>{i18n.t("Create an API key")}</h2>
          <p>
            {i18n.t(
              "A program signs in with a key. Give it the permissions to buy, and a spending limit, then store it as EARNEST_KEY.",
            )}
          </p>
          <Link to="/keys" className="button primary">
            <KeyRound size={16} aria-hidden />
            {i18n.t("Create API key")}
          </Link>
        </li>
        <li className="card">
          <h2>{i18n.t("Install a client")}</h2>
          <p>
            {i18n.t("Each client checks an order before your wallet signs its payment. curl needs none.")}
          </p>
          <CodeTabs samples={installs()} />
        </li>
        <li className="card">
          <h2>{i18n.t("Place an order")}</h2>
          <p>
            {service
              ? i18n.t(
                  "This orders a service of the marketplace. The client pays from your wallet into escrow.",
                )
              : i18n.t("Replace the names in capitals by those of a service of the marketplace.")}
          </p>
          {isPending ? <Skeleton /> : <CodeTabs samples={orders(service ?? null)} />}
        </li>
      </ol>
      <h2>{i18n.t("Next steps")}</h2>
      <ul className="cards two-columns">
        {nextSteps().map(({ to, title, text }, at) => {
          const Icon = [Webhook, Activity, BookOpen][at] ?? BookOpen;
          return (
            <li key={to} className="card">
              <Icon size={20} aria-hidden />
              <h3>
                <Link to={to}>{title}</Link>
              </h3>
              <p className="quiet">{text}</p>
            </li>
          );
        })}
      </ul>
    </Page>
  );
}
