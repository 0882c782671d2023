import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Receipt } from "earnest-client";
import { Download, Printer } from "lucide-react";
import { useMemo } from "react";
import { claimText } from "../orders/order-words.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { saveFile } from "../parts/save-file.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
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
    <Page
      title={
        receipt.data
          ? i18n.t("Receipt: {claim}", { claim: claimText(receipt.data.claim) })
          : i18n.t("Receipt")
      }
      crumbs={[
        <Link key="list" to="/receipts">
          {i18n.t("Receipts")}
        </Link>,
        <UserText key="receipt">{receiptId}</UserText>,
      ]}
      actions={receipt.data && <Actions receipt={receipt.data} />}
    >
      {receipt.data && <OwnOrder of={receipt.data} />}
      <Loaded query={receipt}>{(data) => <Sections receipt={data} />}</Loaded>
    </Page>
  );
}

/** The link to the receipt's order, for a party of the order. The search has the account's own orders alone. */
function OwnOrder({ of: { document } }: { of: Receipt }) {
  const session = useSession();
  const client = useClient();
  const orderId = typeof document.order_id === "string" ? document.order_id : "";
  const found = useQuery({
    queryKey: ["orders", "of-receipt", orderId],
    queryFn: () => client.marketplace.searchAll({ q: orderId }),
    enabled: session !== null && orderId !== "",
  });
  const order = found.data?.orders.find(({ id }) => id === orderId);
  if (!order) return null;
  return (
    <p className="screen-only">
      <Link to="/orders/$orderId" params={{ orderId }}>
        {i18n.t("View order {reference}", { reference: order.reference })}
      </Link>{" "}
      · <UserText>{order.service.title}</UserText>
    </p>
  );
}

const textOf = ({ document }: Receipt): string => JSON.stringify(document, null, 2);

function Actions({ receipt }: { receipt: Receipt }) {
  const { id, claim } = receipt;
  return (
    <>
      <Button
        icon={Download}
        onPress={() => saveFile(`receipt-${claim}-${id}.json`, textOf(receipt), "application/json")}
      >
        {i18n.t("Download JSON")}
      </Button>
      <Button icon={Printer} onPress={() => print()}>
        {i18n.t("Print")}
      </Button>
    </>
  );
}

function Sections({ receipt }: { receipt: Receipt }) {
  const { id, document, x402_receipt: jws, revoked } = receipt;
  const parts = useMemo<ReceiptParts>(
    () => ({ document, jws: jws ?? undefined, revoked }),
    [document, jws, revoked],
  );
  return (
    <>
      <ReceiptVerdict parts={parts} />
      <details className="screen-only">
        <summary>{i18n.t("Signed document")}</summary>
        <Raw>{textOf(receipt)}</Raw>
        {jws && (
          <div className="buttons">
            <Button icon={Download} onPress={() => saveFile(`receipt-${id}.jws`, jws, "application/jose")}>
              {i18n.t("Download x402 receipt")}
            </Button>
          </div>
        )}
      </details>
      <p className="quiet">
        {i18n.t(
          "Your browser verifies this receipt with the keys that {issuer} publishes and code from this service. To trust neither, download the file and run the verifier yourself.",
          { issuer: settings.issuer },
        )}
      </p>
    </>
  );
}
