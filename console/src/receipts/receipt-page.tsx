import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Receipt } from "earnest-client";
import { useMemo } from "react";
import { claimText } from "../orders/order-words.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { saveText } from "../parts/save-file.ts";
import { useClient } from "../session/client.ts";
import { settings } from "../settings.ts";
import type { ReceiptParts } from "./receipt-checks.ts";
import { ReceiptVerdict } from "./receipt-verdict.tsx";

/** A receipt of this service, verified in the browser. Anyone with the URL can open it. */
export function ReceiptPage() {
  const { receiptId } = useParams({ from: "/receipts/$receiptId/checks" });
  const client = useClient();
  const receipt = useQuery({
    queryKey: ["receipt", receiptId],
    queryFn: () => client.receipts.get(receiptId),
  });
  return (
    <Page title={receipt.data ? `Receipt: ${claimText(receipt.data.claim).toLowerCase()}` : "Receipt"}>
      <Loaded query={receipt}>{(data) => <Sections receipt={data} />}</Loaded>
    </Page>
  );
}

function Sections({ receipt }: { receipt: Receipt }) {
  const { id, document, x402_receipt: jws, revoked, claim } = receipt;
  const parts = useMemo<ReceiptParts>(
    () => ({ document, jws: jws ?? undefined, revoked }),
    [document, jws, revoked],
  );
  const text = JSON.stringify(document, null, 2);
  return (
    <>
      <p>
        Your browser verifies this receipt with the keys that {settings.issuer} publishes and code from this
        service. To trust neither, download the file and run the verifier yourself.
      </p>
      <ReceiptVerdict parts={parts} />
      <h2>Signed document</h2>
      <Raw>{text}</Raw>
      <div className="buttons">
        <Button onPress={() => saveText(`receipt-${claim}-${id}.json`, text, "application/json")}>
          Download JSON
        </Button>
        {jws && (
          <Button onPress={() => saveText(`receipt-${id}.jws`, jws, "application/jose")}>
            Download x402 receipt
          </Button>
        )}
      </div>
    </>
  );
}
