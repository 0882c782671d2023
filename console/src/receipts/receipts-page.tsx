import { Page } from "../parts/page.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { OwnReceipts } from "./own-receipts.tsx";
import { ReceiptInput } from "./receipt-input.tsx";

/** Verifies any receipt, for everyone. A signed-in user also sees the account's receipts. */
export function ReceiptsPage() {
  const session = useSession();
  if (!session) {
    return (
      <Page title={i18n.t("Verify a receipt")}>
        <ReceiptInput />
      </Page>
    );
  }
  return (
    <Page title={i18n.t("Receipts")}>
      <Tabs
        label={i18n.t("Receipts")}
        tabs={[
          { id: "own", title: i18n.t("Your receipts"), content: <OwnReceipts /> },
          { id: "verify", title: i18n.t("Verify a receipt"), content: <ReceiptInput /> },
        ]}
      />
    </Page>
  );
}
