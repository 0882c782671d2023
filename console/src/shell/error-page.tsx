import { Link, useRouter } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";

/** Where a page failed: what is known of it, and the way on. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  return (
    <Page title="This page failed">
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
    <Page title="There is nothing here">
      <p>
        This address is none of the console's. <Link to="/">Go home</Link>
      </p>
    </Page>
  );
}
