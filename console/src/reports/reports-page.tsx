import { useInfiniteQuery } from "@tanstack/react-query";
import type { Report } from "earnest-client";
import { Flag } from "lucide-react";
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Decisions } from "./decisions.tsx";
import { kindText, reasonText, reportStatusText, reportStatusTones } from "./report-words.ts";

/** The account's reports with their answers, and the operators' decisions about the account. */
export function ReportsPage() {
  const client = useClient();
  const reports = useInfiniteQuery(pagedQuery(["reports"], (page) => client.reports.list(page)));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Reports and decisions")}
      intro={i18n.t("What you reported to the operators, and what they decided about what is yours.")}
    >
      <Decisions />
      <section aria-labelledby="reports">
        <h2 id="reports">{i18n.t("Your reports")}</h2>
        <DataTable
          label={i18n.t("Your reports")}
          query={reports}
          columns={columns}
          counted={(total) => i18n.t("{total, plural, one {# report} other {# reports}}", { total })}
          empty={
            <EmptyState icon={Flag} title={i18n.t("No reports")}>
              {i18n.t("An agent's, a service's or a review's page has the button to report it.")}
            </EmptyState>
          }
        />
      </section>
    </Page>
  );
}

const readColumns = (): Column<Report>[] => [
  {
    id: "subject",
    header: i18n.t("Subject"),
    width: "minmax(0, 2fr)",
    cell: ({ subject, reason, text }) => (
      <span className="two-lines">
        <strong>
          {kindText(subject.kind)} · {reasonText(reason)}
        </strong>
        <span className="quiet">
          <UserText>{text}</UserText>
        </span>
      </span>
    ),
  },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={reportStatusTones[status]}>{reportStatusText(status)}</Chip>,
  },
  {
    id: "answer",
    header: i18n.t("Answer"),
    width: "minmax(0, 2fr)",
    isHiddenOnPhone: true,
    cell: ({ answer }) => (answer ? <UserText>{answer}</UserText> : <span className="quiet">–</span>),
  },
  {
    id: "date",
    header: i18n.t("Date"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
