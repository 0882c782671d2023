import type { FileReference } from "earnest-client";
import { mostAttachedFiles, mostPayloadFiles } from "../../../protocol/settlement/vocabulary.ts";
import { i18n } from "../text/i18n.ts";
import { FileInput } from "./file-input.tsx";
import { isFileReference } from "./file-reference.ts";

/**
 * Uploaded files, and an input for one more.
 *
 * @param most the most files; those of a message or a statement by default
 */
export function FilesField({
  help = null,
  files,
  onChange,
  most = mostAttachedFiles,
}: {
  help?: string | null;
  files: readonly FileReference[];
  onChange: (files: FileReference[]) => void;
  most?: number;
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
      {files.length < most && (
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

/** The files of a payload without a schema, in its member `files`. */
export function PayloadFiles({ value, onChange }: { value: unknown; onChange: (value: unknown) => void }) {
  const object = value instanceof Object && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  const given = Object.hasOwn(object, "files") ? object.files : [];
  if (!Array.isArray(given) || !given.every(isFileReference)) return null;
  const write = (files: FileReference[]) => {
    const { files: _, ...others } = object;
    onChange(files.length > 0 ? { ...others, files } : others);
  };
  return <FilesField files={given} onChange={write} most={mostPayloadFiles} />;
}
