import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../parts/loaded.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { kindText } from "./report-words.ts";

/** The public counts of reports and of the operators' decisions. */
export function Transparency() {
  const client = useClient();
  const counts = useQuery({
    queryKey: ["transparency"],
    queryFn: async () => client.getTransparency(),
    staleTime: 60_000,
  });
  return (
    <section className="card" aria-labelledby="transparency">
      <h2 id="transparency">{i18n.t("Reports and operators’ decisions")}</h2>
      <p>{i18n.t("Reports to the operators and their decisions, by month. No count names anybody.")}</p>
      <Loaded query={counts}>
        {({ months }) =>
          months.length === 0 ? (
            <p className="quiet">{i18n.t("No reports so far.")}</p>
          ) : (
            <div className="wide">
              <table className="plain-table">
                <thead>
                  <tr>
                    {heads().map((head) => (
                      <th key={head} scope="col">
                        {head}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {months.flatMap(({ month, kinds }) =>
                    kinds.map(({ kind, ...of }) => (
                      <tr key={`${month} ${kind}`}>
                        <th scope="row">{month}</th>
                        <td>{kindText(kind)}</td>
                        {[of.reported, of.acted, of.dismissed, of.withheld, of.restored, of.appealed].map(
                          (count, at) => (
                            // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places
                            <td key={at}>{count.toLocaleString(locale())}</td>
                          ),
                        )}
                      </tr>
                    )),
                  )}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

const heads = (): string[] => [
  i18n.t("Month"),
  i18n.t("Kind"),
  i18n.t("Reported"),
  i18n.t("Acted on"),
  i18n.t("Without action"),
  i18n.t("Withheld"),
  i18n.t("Restored"),
  i18n.t("Appeals"),
];
