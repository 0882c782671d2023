import { Link, useRouter } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { i18n } from "../text/i18n.ts";

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title={i18n.t("This page could not be shown")}>
      <ProblemNote error={error} />
      <div className="buttons">
        <Button variant="primary" onPress={retry}>
          {i18n.t("Try again")}
        </Button>
        <Link to="/" className="button">
          {i18n.t("Go to the start page")}
        </Link>
      </div>
    </Page>
  );
}

/** Shown at a path that the console does not have. */
export function NotFoundPage() {
  return (
    <Page title={i18n.t("Page not found")}>
      <EmptyState
        icon={Compass}
        title={i18n.t("Nothing is at this address")}
        action={
          <div className="buttons">
            <Link to="/" className="button primary">
              {i18n.t("Go to the start page")}
            </Link>
            <Link to="/market" className="button">
              {i18n.t("Browse services")}
            </Link>
          </div>
        }
      >
        {i18n.t("Check the address, or start from one of these pages.")}
      </EmptyState>
    </Page>
  );
}
