import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.ts";
import { OwnReceipts } from "./own-receipts.tsx";
import { ReceiptInput } from "./receipt-input.tsx";

/** Checks a receipt that somebody gave, for everybody; below it the receipts of whoever is signed in. */
export function ReceiptsPage() {
  const session = useSession();
  return (
    <Page title="Receipts">
      <ReceiptInput />
      {session && <OwnReceipts />}
    </Page>
  );
}
