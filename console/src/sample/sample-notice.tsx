import type { TabSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { isSampleWallet } from "./sample-wallet.ts";

/** Says on every page that the session's wallet is a sample. */
export function SampleNotice({ session }: { session: TabSession | null }) {
  if (!session || !isSampleWallet(session.address)) return null;
  return (
    <section className="note info sample" aria-label={i18n.t("Sample wallet")}>
      {i18n.t("Sample wallet: you pay with test money on a local network. Its key stays in this browser.")}
    </section>
  );
}
