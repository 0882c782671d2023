import { useMutation } from "@tanstack/react-query";
import type { FileReference } from "earnest-client";
import { X } from "lucide-react";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { uploadFile } from "./upload.ts";

/** A field that uploads files, with the uploaded ones. */
export function UploadField({
  help,
  files,
  onChange,
}: {
  help: string;
  files: readonly FileReference[];
  onChange: (change: (before: FileReference[]) => FileReference[]) => void;
}) {
  const client = useClient();
  const organisation = useSession()?.organisation ?? null;
  const uploading = useMutation({
    mutationFn: async (chosen: File[]) => {
      for (const file of chosen) {
        const added = await uploadFile(client, organisation, file);
        onChange((before) => [...before, added]);
      }
    },
  });
  return (
    <>
      <Field label={i18n.t("Upload files")} help={help}>
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            multiple
            onChange={({ target }) => target.files && uploading.mutate([...target.files])}
          />
        )}
      </Field>
      {uploading.isPending && <p role="status">{i18n.t("Uploading…")}</p>}
      {uploading.error && <ProblemNote error={uploading.error} />}
      {files.length > 0 && (
        <ul className="cards" aria-label={i18n.t("Uploaded files")}>
          {files.map(({ file_id, name }) => (
            <li key={file_id}>
              <p>
                <UserText>{name}</UserText>
              </p>
              <Button
                size="small"
                icon={X}
                onPress={() => onChange((before) => before.filter((item) => item.file_id !== file_id))}
              >
                {i18n.t("Remove {name}", { name: showHidden(name) })}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
