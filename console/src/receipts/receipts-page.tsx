import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.ts";
import { OwnReceipts } from "./own-receipts.tsx";
import { ReceiptInput } from "./receipt-input.tsx";

/** Verifies any receipt, for everyone. A signed-in user also sees the account's receipts. */
export function ReceiptsPage() {
  const session = useSession();
  return (
    <Page title="Receipts">
      <ReceiptInput />
      {session && <OwnReceipts />}
    </Page>
  );
}
