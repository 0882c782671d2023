import { useQuery } from "@tanstack/react-query";
import type { ChainStatus } from "earnest-client";
import { Address } from "../parts/address.tsx";
import { Facts } from "../parts/facts.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";

/** The state of the chain, its index, the relayer and the log, which anybody may read. */
export function StatusPage() {
  const client = useClient();
  const status = useQuery({
    queryKey: ["chain-status"],
    queryFn: async () => client.chain.getStatus(),
    refetchInterval: 10_000,
  });
  return (
    <Page
      title={i18n.t("Status")}
      intro={i18n.t("How the chain, the index of its events, the relayer and the log of receipts do now.")}
    >
      <Loaded query={status}>{(data) => <Parts status={data} />}</Loaded>
    </Page>
  );
}

const numberText = (value: number): string => value.toLocaleString(locale());

function Parts({ status }: { status: ChainStatus }) {
  const { network_name, chain_id, head_block, indexed_block, relayer, log } = status;
  return (
    <div className="cards two-columns">
      <section className="card" aria-labelledby="chain">
        <Head id="chain" title={i18n.t("Chain")} state={chainState(status)} />
        <Facts
          of={[
            [i18n.t("Network"), network_name],
            [i18n.t("Chain ID"), chain_id],
            [i18n.t("Latest block"), head_block === null ? null : numberText(head_block)],
            [i18n.t("Confirmations required"), status.confirmations_required],
            [
              i18n.t("Escrow contract"),
              status.escrow_contract && <Address key="escrow" of={status.escrow_contract} />,
            ],
            [
              i18n.t("Token"),
              status.token_address && (
                <span key="token">
                  {status.token_symbol} <Address of={status.token_address} />
                </span>
              ),
            ],
          ]}
        />
      </section>
      <section className="card" aria-labelledby="index">
        <Head id="index" title={i18n.t("Index")} state={indexState(status)} />
        <Facts
          of={[
            [i18n.t("Indexed block"), indexed_block === null ? null : numberText(indexed_block)],
            [i18n.t("Reason"), status.index_reason],
          ]}
        />
      </section>
      <section className="card" aria-labelledby="relayer">
        <Head id="relayer" title={i18n.t("Relayer")} state={relayerState(relayer)} />
        {relayer && (
          <Facts
            of={[
              [i18n.t("Wallet"), <Address key="wallet" of={relayer.address} />],
              [i18n.t("Waiting for"), relayer.waiting_for],
              [
                i18n.t("Waiting since"),
                relayer.waiting_since && <Time key="since" at={relayer.waiting_since} isRelative />,
              ],
            ]}
          />
        )}
      </section>
      <section className="card" aria-labelledby="log">
        <Head id="log" title={i18n.t("Log of receipts")} state={logState(log)} />
        {log && (
          <Facts
            of={[
              [i18n.t("Entries"), numberText(log.size)],
              [i18n.t("Not published yet"), numberText(log.queued)],
              [
                i18n.t("Signed by witnesses"),
                log.witnessed === null ? null : log.witnessed ? i18n.t("Yes") : i18n.t("No"),
              ],
            ]}
          />
        )}
      </section>
    </div>
  );
}

function Head({ id, title, state: [text, tone] }: { id: string; title: string; state: [string, Tone] }) {
  return (
    <div className="card-head">
      <h2 id={id}>{title}</h2>
      <Chip tone={tone}>{text}</Chip>
    </div>
  );
}

function chainState({ escrow_configured, rpc_reachable }: ChainStatus): [string, Tone] {
  if (!escrow_configured) return [i18n.t("Not set up"), "warn"];
  return rpc_reachable ? [i18n.t("Reachable"), "good"] : [i18n.t("Not reachable"), "bad"];
}

function indexState({ index_state: state }: ChainStatus): [string, Tone] {
  if (state === null) return [i18n.t("Not checked"), "neutral"];
  return state === "ok" ? [i18n.t("Up to date"), "good"] : [state, "bad"];
}

function relayerState(relayer: ChainStatus["relayer"]): [string, Tone] {
  if (!relayer) return [i18n.t("Not running"), "warn"];
  if (relayer.waiting_for) return [i18n.t("Waiting"), "warn"];
  return relayer.balance_low ? [i18n.t("Low balance"), "warn"] : [i18n.t("Running"), "good"];
}

function logState(log: ChainStatus["log"]): [string, Tone] {
  if (!log) return [i18n.t("Not running"), "warn"];
  return log.halted ? [i18n.t("Halted"), "bad"] : [i18n.t("Running"), "good"];
}
