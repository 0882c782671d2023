import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ShieldAlert } from "lucide-react";
import { useMemo } from "react";
import { subjectKinds } from "../../../protocol/settlement/vocabulary.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { kindText } from "../reports/report-words.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { type ListedSubject, subjectsQuery } from "./operator-queries.ts";

/** The subjects that wait for an operator, and those that are withheld. */
export function SubjectsPage() {
  const search = useSearch({ from: "/operator" });
  const navigate = useNavigate();
  const show = search.show === "withheld" ? "withheld" : "waiting";
  const kind = subjectKinds.find((one) => one === search.kind);
  const subjects = useInfiniteQuery(subjectsQuery(useClient(), show === "withheld", kind));
  const columns = useMemo(readColumns, []);
  const go = (next: { show: string; kind?: string | undefined }) =>
    void navigate({
      to: "/operator",
      search: { show: next.show, ...(next.kind ? { kind: next.kind } : {}) },
      replace: true,
    });
  return (
    <Page
      title={i18n.t("Moderation")}
      intro={i18n.t("Most reports by paying accounts first. Reports hide nothing until you decide.")}
    >
      <ListTabs
        label={i18n.t("Subjects")}
        value={show}
        onChange={(next) => go({ show: next, kind })}
        tabs={[
          { id: "waiting", title: i18n.t("To decide") },
          { id: "withheld", title: i18n.t("Withheld") },
        ]}
      />
      <div className="filters">
        <ChoiceField
          label={i18n.t("Kind")}
          value={kind ?? "all"}
          onChange={(next) => go({ show, kind: next === "all" ? undefined : next })}
          choices={[["all", i18n.t("All")], ...subjectKinds.map((one) => [one, kindText(one)] as const)]}
        />
      </div>
      <DataTable
        label={i18n.t("Subjects")}
        query={subjects}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# subject} other {# subjects}}", { total })}
        empty={<EmptyState icon={ShieldAlert} title={i18n.t("Nothing waits for you")} />}
      />
    </Page>
  );
}

const readColumns = (): Column<ListedSubject>[] => [
  {
    id: "subject",
    header: i18n.t("Subject"),
    width: "minmax(0, 2fr)",
    cell: ({ subject, title }) => (
      <span className="two-lines">
        <Link to="/operator/$subject" params={{ subject: subject.id }} className="row-link">
          <UserText>{title}</UserText>
        </Link>
        <span className="quiet">{kindText(subject.kind)}</span>
      </span>
    ),
  },
  {
    id: "reports",
    header: i18n.t("Reports"),
    cell: ({ open_reports: open, open_counted: counted }) =>
      i18n.t("{open} open, {counted} by buyers", { open, counted }),
  },
  {
    id: "state",
    header: i18n.t("State"),
    isHiddenOnPhone: true,
    cell: ({ withheld, appealed }) => (
      <>
        {withheld && <Chip tone="bad">{i18n.t("Withheld")}</Chip>}{" "}
        {appealed && <Chip tone="warn">{i18n.t("Appeal")}</Chip>}
      </>
    ),
  },
  {
    id: "noticed",
    header: i18n.t("Latest"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ noticed_at: at }) => <Time at={at} isRelative />,
  },
];
