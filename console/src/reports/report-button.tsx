import type { SubjectKind } from "earnest-client";
import { Flag } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";

const ReportDialog = lazy(() =>
  import("./report-dialog.tsx").then(({ ReportDialog: loaded }) => ({ default: loaded })),
);

/**
 * A button that reports a subject to the operators, for signed-in people.
 *
 * @param of a name that tells the button from others on the page
 */
export function ReportButton({
  kind,
  id,
  of,
  onReported,
}: {
  kind: SubjectKind;
  id: string;
  of?: string;
  onReported?: () => void;
}) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!session) return null;
  return (
    <>
      <Button
        size="small"
        variant={of === undefined ? undefined : "bare"}
        icon={Flag}
        aria-label={of === undefined ? undefined : i18n.t("Report {name}", { name: of })}
        onPress={() => setOpen(true)}
      >
        {i18n.t("Report")}
      </Button>
      {isOpen && (
        <Suspense>
          <ReportDialog
            kind={kind}
            id={id}
            onClose={(isSent) => {
              setOpen(false);
              if (isSent) onReported?.();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
