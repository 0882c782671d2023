import { lazy, Suspense } from "react";
import { Skeleton } from "../parts/skeleton.tsx";
import { useSession } from "../session/session.ts";

const Home = lazy(() => import("./home-page.tsx").then(({ HomePage }) => ({ default: HomePage })));
const Landing = lazy(() =>
  import("../landing/landing-page.tsx").then(({ LandingPage }) => ({ default: LandingPage })),
);

/** The page at `/`: the overview of a signed-in user, the landing page for everyone else. */
export function FirstPage() {
  const session = useSession();
  return <Suspense fallback={<Skeleton />}>{session ? <Home /> : <Landing />}</Suspense>;
}
