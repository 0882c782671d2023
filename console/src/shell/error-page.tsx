import { Link, useRouter } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  return (
    <Page title="Something went wrong">
      <ProblemNote error={error} />
      <p>
        <Button
          onPress={() => {
            reset();
            void router.invalidate();
          }}
        >
          Try again
        </Button>
      </p>
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <p>
        <Link to="/">Go to the home page</Link>
      </p>
    </Page>
  );
}
