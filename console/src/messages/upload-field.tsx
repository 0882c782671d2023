import type { FileReference } from "earnest-client";
import { FileInput } from "../files/file-input.tsx";
import { i18n } from "../text/i18n.ts";

/** The most files of a message or a statement; the service has the same number. */
const mostFiles = 20;

/** The uploaded files of a message or a statement, and an input for one more. */
export function UploadField({
  help,
  files,
  onChange,
}: {
  help: string;
  files: readonly FileReference[];
  onChange: (files: FileReference[]) => void;
}) {
  return (
    <>
      {files.map((file, at) => (
        <FileInput
          key={file.file_id}
          label={i18n.t("File {number}", { number: at + 1 })}
          value={file}
          onChange={() => onChange(files.filter((_, place) => place !== at))}
        />
      ))}
      {files.length < mostFiles && (
        <FileInput
          key={files.length}
          label={i18n.t("Add a file")}
          help={help}
          value={undefined}
          onChange={(file) => file && onChange([...files, file])}
        />
      )}
    </>
  );
}
