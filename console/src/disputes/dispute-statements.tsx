import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Attachment, FileReference } from "earnest-client";
import { X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { FilesField } from "../files/files-field.tsx";
import { focusFirstFault } from "../form/focus-fault.ts";
import { UploadedFiles } from "../messages/uploaded-files.tsx";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { FileChecker, hashOfFile, webLinkOf } from "./attached-files.tsx";
import type { DisputeView } from "./dispute-queries.ts";
import { roleText } from "./dispute-words.ts";

/** The statements with their files, and a form for a new statement. */
export function DisputeStatements({ view: { dispute, order } }: { view: DisputeView }) {
  const { statements, stage } = dispute;
  const isOpen = ["open", "silent", "decided", "settleable"].includes(stage);
  const files = statements.flatMap(({ attachments }) => attachments);
  if (!isOpen && statements.length === 0) return null;
  return (
    <section className="card" aria-labelledby="statements">
      <h2 id="statements">{i18n.t("Statements")}</h2>
      {statements.length === 0 && <p className="quiet">{i18n.t("No statements yet.")}</p>}
      <ol className="cards">
        {statements.map(({ id, by, at, text, attachments, files: uploaded }) => (
          <li key={id}>
            <p>
              <strong>{roleText(by)}</strong>, <Time at={at} />
            </p>
            <UserProse>{text}</UserProse>
            {attachments.length > 0 && (
              <ul aria-label={i18n.t("Files")}>
                {attachments.map((file) => (
                  <File key={`${file.sha256} ${file.name}`} file={file} />
                ))}
              </ul>
            )}
            <UploadedFiles files={uploaded} isOwn={by === dispute.your_role} />
          </li>
        ))}
      </ol>
      {dispute.folder.sealed_at && (
        <p className="quiet">{i18n.t("The arbiter has decided. No evidence can be added or removed.")}</p>
      )}
      {files.length > 0 && <FileChecker files={files} />}
      {isOpen && <StatementForm orderId={order.id} isSealed={dispute.folder.sealed_at !== null} />}
    </section>
  );
}

/** A file with its link. A user wrote the URL: it is shown in full, and the target gets no referrer. */
function File({ file: { name, url, sha256 } }: { file: Attachment }) {
  const link = webLinkOf(url);
  return (
    <li>
      <UserText>{name}</UserText>
      {url && ": "}
      {link ? (
        <a href={link} target="_blank" rel="noopener noreferrer nofollow">
          {link}
        </a>
      ) : (
        url && <UserText>{url}</UserText>
      )}
      <p className="quiet">
        {i18n.t("SHA-256")} <code>{sha256}</code>
      </p>
    </li>
  );
}

function StatementForm({ orderId, isSealed }: { orderId: string; isSealed: boolean }) {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [files, setFiles] = useState<Attachment[]>([]);
  const [uploaded, setUploaded] = useState<FileReference[]>([]);
  const [showAll, setShowAll] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const posting = useMutation({
    mutationFn: () => client.disputes.addStatement(orderId, { text, attachments: files, files: uploaded }),
    onSuccess: () => {
      setText("");
      setFiles([]);
      setUploaded([]);
      void queries.invalidateQueries({ queryKey: ["order", orderId] });
    },
  });
  const adding = useMutation({
    mutationFn: async (chosen: FileList) => {
      for (const file of chosen) {
        const named = { name: cutText(file.name, longest.fileName), sha256: await hashOfFile(file) };
        setFiles((before) => [...before.filter(({ sha256 }) => sha256 !== named.sha256), named]);
      }
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowAll(text.trim() === "");
    if (text.trim() === "") focusFirstFault(form.current);
    else posting.mutate();
  };
  const change = (at: number, url: string) =>
    setFiles((before) =>
      before.map((file, index) => (index === at ? { ...file, url: url || undefined } : file)),
    );
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <h3>{i18n.t("Add a statement")}</h3>
      <TextField
        label={i18n.t("Statement")}
        help={i18n.t("The other party and the arbiter can read it. It can't be edited.")}
        error={showAll && text.trim() === "" ? i18n.t("Enter a statement.") : null}
        isRequired
        isLong
        value={text}
        onChange={setText}
        most={longest.statement}
      />
      {!isSealed && (
        <FilesField
          help={i18n.t("Evidence that both parties and the arbiter can download. It can't be removed.")}
          files={uploaded}
          onChange={setUploaded}
        />
      )}
      {!isSealed && (
        <details>
          <summary>{i18n.t("Name files without uploading them")}</summary>
          <Field
            label={i18n.t("Files")}
            help={i18n.t(
              "Files stay on your computer. Only names and hashes are sent. Add a link to each file, or share it yourself.",
            )}
          >
            {(wiring) => (
              <input
                {...wiring}
                type="file"
                multiple
                onChange={({ target }) => target.files && adding.mutate(target.files)}
              />
            )}
          </Field>
        </details>
      )}
      {adding.error && <ProblemNote error={adding.error} />}
      <ul className="cards" aria-label={i18n.t("Files of this statement")}>
        {files.map(({ name, sha256, url }, at) => (
          <li key={sha256}>
            <p>
              <UserText>{name}</UserText>
            </p>
            <p className="quiet">
              {i18n.t("SHA-256")} <code>{sha256}</code>
            </p>
            <Field label={i18n.t("Link to {name}", { name: showHidden(name) })}>
              {(wiring) => (
                <input
                  {...wiring}
                  type="url"
                  value={url ?? ""}
                  onChange={({ target }) => change(at, target.value.trim())}
                />
              )}
            </Field>
            <Button
              size="small"
              icon={X}
              onPress={() => setFiles((before) => before.filter((_, index) => index !== at))}
            >
              {i18n.t("Remove {name}", { name: showHidden(name) })}
            </Button>
          </li>
        ))}
      </ul>
      {posting.error && <ProblemNote error={posting.error} />}
      <div className="buttons">
        <Button type="submit" isPending={posting.isPending}>
          {i18n.t("Post statement")}
        </Button>
      </div>
    </form>
  );
}
