// First, because zod probes for `eval` when the first schema is made.
import "../../receipts/page-policy.ts";
import "./empty-html.ts";
import "@fontsource-variable/inter/wght.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/buttons.css";
import "./style/fields.css";
import "./style/tabs.css";
import "./style/overlays.css";
import "./style/content.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/table.css";
import "./style/chart.css";
import "./style/order.css";
import "./style/market.css";
import "./style/selling.css";
import "./style/shell.css";
import "./style/developers.css";
import "./style/overview.css";
import "./style/money.css";
import "./style/public.css";
import { I18nProvider } from "@lingui/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider as AriaLocale } from "react-aria-components/I18nProvider";
import { createRoot } from "react-dom/client";
import { createConsoleRouter } from "./routes.tsx";
import { queries } from "./session/session-queries.ts";
import { i18n } from "./text/i18n.ts";
import { locale, startLanguage } from "./text/language.ts";

const reloadedKey = "earnest.reloaded";
/** Milliseconds in which a page that reloaded does not reload again. */
const reloadPauseMs = 60_000;

/** Reloads the page, but not again and again while a file stays away. */
function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0);
  if (Date.now() - last < reloadPauseMs) return;
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
}

const root = document.getElementById("console");
if (root) {
  await startLanguage();
  // A file of the page is gone because a newer console was deployed. A missing catalogue needs no new page.
  addEventListener("vite:preloadError", reloadOnce);
  const router = createConsoleRouter();
  // The page's files and data load while the frame of the page renders.
  void router.load();
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <AriaLocale locale={locale()}>
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </AriaLocale>
      </I18nProvider>
    </StrictMode>,
  );
}
