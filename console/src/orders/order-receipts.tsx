import { Link } from "@tanstack/react-router";
import type { Receipt } from "earnest-client";
import { Time } from "../parts/time.tsx";
import { claimWords } from "./order-words.ts";

/** The receipts of an order. Each links to a page that verifies it in the browser. */
export function Receipts({ receipts }: { receipts: Receipt[] }) {
  if (receipts.length === 0) return null;
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts">Receipts</h2>
      <ul className="rows">
        {receipts.map(({ id, claim, created_at, revoked }) => (
          <li key={id} data-claim={claim}>
            <Link to="/receipts/$receiptId/checks" params={{ receiptId: id }}>
              {claimWords[claim]}
            </Link>
            <Time at={created_at} />
            {revoked && <strong>Revoked: removed by a blockchain reorganisation</strong>}
          </li>
        ))}
      </ul>
    </section>
  );
}
