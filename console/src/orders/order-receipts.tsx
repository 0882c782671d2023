import { Link } from "@tanstack/react-router";
import type { Receipt } from "earnest-client";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { i18n } from "../text/i18n.ts";
import { claimText } from "./order-words.ts";

/** The receipts of an order. Each links to a page that verifies it in the browser. */
export function Receipts({ receipts }: { receipts: Receipt[] }) {
  if (receipts.length === 0) return <p className="quiet">{i18n.t("No receipts yet.")}</p>;
  return (
    <ul className="rows" aria-label={i18n.t("Receipts")}>
      {receipts.map(({ id, claim, created_at, revoked }) => (
        <li key={id} data-claim={claim}>
          <Link to="/receipts/$receiptId/checks" params={{ receiptId: id }}>
            {claimText(claim)}
          </Link>
          {revoked && <Chip tone="bad">{i18n.t("Revoked: removed by a blockchain reorganisation")}</Chip>}
          <Time at={created_at} />
        </li>
      ))}
    </ul>
  );
}
