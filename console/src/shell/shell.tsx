import { Outlet, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useFeed } from "../feed/event-feed.ts";
import { useNotices } from "../parts/toasts.ts";
import { SampleNotice } from "../sample/sample-notice.tsx";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { useFirstView } from "./first-view.ts";
import { Footer } from "./footer.tsx";
import { ServiceState } from "./service-state.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";

const Toasts = lazy(() =>
  import("../parts/toast-region.tsx").then(({ Toasts: loaded }) => ({ default: loaded })),
);

/** The frame of every page: sidebar, top bar, main content and footer. */
export function Shell() {
  const session = useSession();
  useFeed();
  const router = useRouter();
  const isSignedIn = session !== null;
  const isShown = useFirstView();
  const hasNotices = useNotices();
  // After the session has ended, the guard redirects pages of the account.
  useEffect(() => {
    if (!isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  return (
    <>
      {/* A button, because with the page's base URL a link to `#main` opens the first page. */}
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        {i18n.t("Skip to content")}
      </button>
      <div className={isSignedIn ? "frame" : "frame open"}>
        {isSignedIn && <Sidebar />}
        <div>
          <TopBar session={session} />
          <ServiceState session={session} />
          <SampleNotice session={session} />
          <main id="main" tabIndex={-1}>
            <Outlet />
          </main>
          {/* Shown with the page, which would push the footer down. */}
          {isShown && <Footer isSignedIn={isSignedIn} />}
        </div>
      </div>
      {hasNotices && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </>
  );
}
