import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { FileReference, ModerationSubjectDetail as Subject } from "earnest-client";
import type { ReactNode } from "react";
import { FileLink } from "../files/file-link.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import {
  actText,
  kindText,
  reasonText,
  reportStatusText,
  reportStatusTones,
} from "../reports/report-words.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { ActForm } from "./act-form.tsx";
import { subjectQuery } from "./operator-queries.ts";

/** A subject with its reports, the acts on it, and the form to act. */
export function SubjectPage() {
  const { subject: id } = useParams({ from: "/operator/$subject" });
  const subject = useQuery(subjectQuery(useClient(), id));
  return (
    <Page
      title={subject.data ? kindText(subject.data.subject.kind) : i18n.t("Subject")}
      of={subject.data?.title}
      crumbs={[
        <Link key="moderation" to="/operator">
          {i18n.t("Moderation")}
        </Link>,
      ]}
      actions={subject.data?.withheld && <Chip tone="bad">{i18n.t("Withheld")}</Chip>}
    >
      <Loaded query={subject}>{(data) => <Sections subject={data} />}</Loaded>
    </Page>
  );
}

function Sections({ subject }: { subject: Subject }) {
  return (
    <div className="split">
      <div>
        <section className="card" aria-label={i18n.t("Content")}>
          <LabelledValues
            rows={[
              [i18n.t("ID"), <code key="id">{subject.subject.id}</code>],
              [i18n.t("Owner"), ownerOf(subject)],
              ...Object.entries(subject.content).map(([name, value]) => [name, shown(value)] as const),
            ]}
          />
          <ReportedFiles subject={subject} />
        </section>
        <Reports subject={subject} />
        <Acts subject={subject} />
      </div>
      <aside>
        <ActForm key={`${subject.withheld} ${subject.acts.length}`} subject={subject} />
      </aside>
    </div>
  );
}

/** The reported file, or the files of a reported message, while the report is open or they are withheld. */
function ReportedFiles({ subject: { subject, content, open_reports, withheld } }: { subject: Subject }) {
  if (open_reports === 0 && !withheld) return null;
  const { id: file_id } = subject;
  const listed = Array.isArray(content.files) ? content.files : [];
  const named = subject.kind === "file" ? [{ ...content, file_id }] : listed;
  const files = named.filter(isNamedFile);
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label={i18n.t("Uploaded files")}>
      {files.map((file) => (
        <li key={file.file_id}>
          <FileLink of={file} asOperator />
        </li>
      ))}
    </ul>
  );
}

type NamedFile = Pick<FileReference, "file_id" | "name" | "size">;

function isNamedFile(value: unknown): value is NamedFile {
  const { file_id, name, size } = value as Partial<NamedFile>;
  return typeof file_id === "string" && typeof name === "string" && typeof size === "number";
}

const ownerOf = ({ subject, owner_account_id: owner }: Subject): ReactNode =>
  subject.id === owner ? null : (
    <Link key="owner" to="/operator/$subject" params={{ subject: owner }}>
      {owner}
    </Link>
  );

/** A field of the content, whose texts are a user's. */
function shown(value: unknown): ReactNode {
  if (value === null || value === "") return null;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > 80 ? <UserProse>{text}</UserProse> : <UserText>{text}</UserText>;
}

function Reports({ subject }: { subject: Subject }) {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">{i18n.t("Reports")}</h2>
      {subject.newest_reports.length === 0 && <p className="quiet">{i18n.t("None yet")}</p>}
      {subject.newest_reports.map((report) => (
        <article key={report.id} className="card">
          <p>
            <Chip tone={reportStatusTones[report.status]}>{reportStatusText(report.status)}</Chip>{" "}
            {reasonText(report.reason)} · <Time at={report.created_at} />
            {report.counts && ` · ${i18n.t("by a buyer")}`}
          </p>
          <UserProse>{report.text}</UserProse>
          {report.quoted !== null && (
            <>
              <p className="quiet">{i18n.t("Text at the time of the report")}</p>
              <UserProse>{report.quoted}</UserProse>
            </>
          )}
          <p className="quiet">
            <Link to="/operator/$subject" params={{ subject: report.account_id }}>
              {report.account_id}
            </Link>
          </p>
        </article>
      ))}
    </section>
  );
}

function Acts({ subject }: { subject: Subject }) {
  if (subject.acts.length === 0) return null;
  return (
    <section aria-labelledby="acts">
      <h2 id="acts">{i18n.t("Decisions")}</h2>
      {subject.acts.map((act) => (
        <article key={act.id} className="card">
          <p>
            <Chip tone={act.in_force ? "bad" : "neutral"}>{actText(act.act)}</Chip>{" "}
            <Time at={act.created_at} /> · <code>{act.operator_account_id}</code>
          </p>
          <UserProse>{act.reason}</UserProse>
          {act.appeal && (
            <>
              <p className="quiet">
                {i18n.t("Appeal")} · <Time at={act.appeal.at} />
              </p>
              <UserProse>{act.appeal.text}</UserProse>
            </>
          )}
        </article>
      ))}
    </section>
  );
}
