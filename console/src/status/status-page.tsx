import { useQuery } from "@tanstack/react-query";
import type { Chain, ChainStatus } from "earnest-client";
import { Address } from "../parts/address.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { Transparency } from "../reports/transparency.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { chainsQuery } from "./chain-queries.ts";
import { stateOfChain } from "./chain-states.ts";

/** The state of each chain with its index and relayer, and of the log, which anybody may read. */
export function StatusPage() {
  const client = useClient();
  const refetchInterval = 10_000;
  const chains = useQuery({ ...chainsQuery(client), refetchInterval });
  const status = useQuery({
    queryKey: ["chain-status"],
    queryFn: async () => client.chain.getStatus(),
    refetchInterval,
  });
  return (
    <Page
      title={i18n.t("Status")}
      intro={i18n.t("How each chain, the index of its events, its relayer and the log of receipts do now.")}
    >
      <div className="cards two-columns">
        <Loaded query={chains}>
          {(items) =>
            items.length > 0 ? (
              items.map((chain) => <ChainCard key={chain.chain_id} chain={chain} />)
            ) : (
              <p>{i18n.t("Orders are not available yet: the escrow contract is not deployed.")}</p>
            )
          }
        </Loaded>
        <Loaded query={status}>{({ log }) => <LogCard log={log} />}</Loaded>
      </div>
      <Transparency />
    </Page>
  );
}

const numberText = (value: number): string => value.toLocaleString(locale());

function ChainCard({ chain }: { chain: Chain }) {
  const { chain_id, head_block: head, indexed_block: indexed, relayer } = chain;
  const { word, tone, sentence } = stateOfChain(chain);
  return (
    <section className="card" aria-labelledby={`chain-${chain_id}`}>
      <Head id={`chain-${chain_id}`} title={chain.network_name} state={[word, tone]} />
      {sentence && <p className="note">{sentence}</p>}
      <LabelledValues
        rows={[
          [i18n.t("Chain ID"), chain_id],
          [i18n.t("Latest block"), head === null ? null : numberText(head)],
          [i18n.t("Indexed block"), indexed === null ? null : numberText(indexed)],
          [
            i18n.t("Blocks behind"),
            head === null || indexed === null ? null : numberText(Math.max(0, head - indexed)),
          ],
          [i18n.t("Reason"), chain.index_reason],
          [i18n.t("Confirmations required"), chain.confirmations_required],
          [i18n.t("Escrow contract"), <Address key="escrow" of={chain.escrow_contract} />],
          ...chain.tokens.map(
            ({ symbol, address }) => [symbol, <Address key={address} of={address} />] as const,
          ),
          [i18n.t("Relayer"), relayerText(relayer)],
          [i18n.t("Wallet"), relayer && <Address key="wallet" of={relayer.address} />],
          [i18n.t("Waiting for"), relayer?.waiting_for],
          [
            i18n.t("Waiting since"),
            relayer?.waiting_since && <Time key="since" at={relayer.waiting_since} isRelative />,
          ],
        ]}
      />
    </section>
  );
}

function LogCard({ log }: Pick<ChainStatus, "log">) {
  return (
    <section className="card" aria-labelledby="log">
      <Head id="log" title={i18n.t("Log of receipts")} state={logState(log)} />
      {log && (
        <LabelledValues
          rows={[
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

function relayerText(relayer: Chain["relayer"]): string {
  if (!relayer) return i18n.t("Not running");
  if (relayer.waiting_for) return i18n.t("Waiting");
  return relayer.balance_low ? i18n.t("Low balance") : i18n.t("Running");
}

function logState(log: ChainStatus["log"]): [string, Tone] {
  if (!log) return [i18n.t("Not running"), "warn"];
  return log.halted ? [i18n.t("Halted"), "bad"] : [i18n.t("Running"), "good"];
}
