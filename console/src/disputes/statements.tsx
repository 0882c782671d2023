import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Attachment } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { FileChecker, hashOfFile, webLinkOf } from "./attached-files.tsx";
import type { DisputeView } from "./dispute-queries.ts";
import { roleWords } from "./dispute-words.ts";

/** What buyer, provider and arbiter said, with the files they named, and a form to say more. */
export function Statements({ view: { dispute, order } }: { view: DisputeView }) {
  const { statements, stage } = dispute;
  const isOpen = ["open", "silent", "decided", "settleable"].includes(stage);
  const files = statements.flatMap(({ attachments }) => attachments);
  if (!isOpen && statements.length === 0) return null;
  return (
    <section aria-labelledby="statements">
      <h2 id="statements">Statements</h2>
      {statements.length === 0 && <p>Nobody has said anything yet.</p>}
      <ol className="cards">
        {statements.map(({ id, by, at, text, attachments }) => (
          <li key={id}>
            <p>
              <strong>{roleWords[by]}</strong>, <Time at={at} />
            </p>
            <UserProse>{text}</UserProse>
            {attachments.length > 0 && (
              <ul aria-label="Files">
                {attachments.map((file) => (
                  <File key={`${file.sha256} ${file.name}`} file={file} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      {files.length > 0 && <FileChecker files={files} />}
      {isOpen && <StatementForm orderId={order.id} />}
    </section>
  );
}

/** The address is another's word: it is written out, and it learns nothing of where it was followed from. */
function File({ file: { name, url, sha256 } }: { file: Attachment }) {
  const link = webLinkOf(url);
  return (
    <li>
      <UserText>{name}</UserText>
      {url && ", at "}
      {link ? (
        <a href={link} target="_blank" rel="noopener noreferrer nofollow">
          {link}
        </a>
      ) : (
        url && <UserText>{url}</UserText>
      )}
      <p className="quiet">
        SHA-256 <code>{sha256}</code>
      </p>
    </li>
  );
}

function StatementForm({ orderId }: { orderId: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [files, setFiles] = useState<Attachment[]>([]);
  const saying = useMutation({
    mutationFn: () => client.disputes.addStatement(orderId, { text, attachments: files }),
    onSuccess: () => {
      setText("");
      setFiles([]);
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
    if (text.trim() !== "") saying.mutate();
  };
  const change = (at: number, url: string) =>
    setFiles((before) =>
      before.map((file, index) => (index === at ? { ...file, url: url || undefined } : file)),
    );
  return (
    <form onSubmit={submit} noValidate>
      <h3>Say something, or name evidence</h3>
      <TextField
        label="Statement"
        help="The other side and the arbiter read it. It stays as it is."
        isRequired
        isLong
        value={text}
        onChange={setText}
        most={longest.statement}
      />
      <Field
        label="Files"
        help="Your files stay on your machine: their names and hashes are sent. Say where each lies, or send it to the readers yourself."
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
      {adding.error && <ProblemNote error={adding.error} />}
      <ul className="cards" aria-label="Files of this statement">
        {files.map(({ name, sha256, url }, at) => (
          <li key={sha256}>
            <p>
              <UserText>{name}</UserText>
            </p>
            <p className="quiet">
              SHA-256 <code>{sha256}</code>
            </p>
            <Field label={`Address of ${name}`}>
              {(wiring) => (
                <input
                  {...wiring}
                  type="url"
                  value={url ?? ""}
                  onChange={({ target }) => change(at, target.value.trim())}
                />
              )}
            </Field>
            <Button onPress={() => setFiles((before) => before.filter((_, index) => index !== at))}>
              {`Leave ${name} out`}
            </Button>
          </li>
        ))}
      </ul>
      {saying.error && <ProblemNote error={saying.error} />}
      <div className="buttons">
        <Button type="submit" isPending={saying.isPending} isDisabled={text.trim() === ""}>
          Say it
        </Button>
      </div>
    </form>
  );
}
