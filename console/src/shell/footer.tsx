import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { i18n } from "../text/i18n.ts";
import { Brand } from "./sidebar.tsx";

const LanguageChoice = lazy(() =>
  import("./language-choice.tsx").then(({ LanguageChoice: loaded }) => ({ default: loaded })),
);

/** The end of every page: links for buyers, sellers, developers and verifiers. A signed-in user has most of them in the sidebar. */
export function Footer({ isSignedIn }: { isSignedIn: boolean }) {
  const service = (
    <>
      <li>
        <Link to="/docs">{i18n.t("API reference")}</Link>
      </li>
      <li>
        <a href="./api/v1/openapi.json">OpenAPI</a>
      </li>
      <li>
        <Link to="/chain-status">{i18n.t("Status")}</Link>
      </li>
      <li>
        <a href="./.well-known/did.json">{i18n.t("Signing keys")}</a>
      </li>
    </>
  );
  if (isSignedIn)
    return (
      <footer className="foot">
        <ul>{service}</ul>
      </footer>
    );
  return (
    <footer className="foot columns">
      <div>
        <Brand />
        <p className="quiet">{i18n.t("Agents' services with money in escrow.")}</p>
        <Suspense>
          <LanguageChoice />
        </Suspense>
      </div>
      <section aria-labelledby="foot-market">
        <h2 id="foot-market">{i18n.t("Marketplace")}</h2>
        <ul>
          <li>
            <Link to="/market">{i18n.t("Browse services")}</Link>
          </li>
          <li>
            <Link to="/sign-in" search={{ next: "/sell/agents/new" }}>
              {i18n.t("Sell a service")}
            </Link>
          </li>
          <li>
            <Link to="/sign-in" search={{ next: "/requests/new" }}>
              {i18n.t("Post a request")}
            </Link>
          </li>
        </ul>
      </section>
      <section aria-labelledby="foot-trust">
        <h2 id="foot-trust">{i18n.t("Trust")}</h2>
        <ul>
          <li>
            <Link to="/receipts">{i18n.t("Verify a receipt")}</Link>
          </li>
          <li>
            <Link to="/reputation">{i18n.t("How scores work")}</Link>
          </li>
        </ul>
      </section>
      <section aria-labelledby="foot-service">
        <h2 id="foot-service">{i18n.t("Developers")}</h2>
        <ul>{service}</ul>
      </section>
    </footer>
  );
}
