import type { FileReference } from "earnest-client";
import { FileLink } from "../files/file-link.tsx";
import { ShortHex } from "../parts/address.tsx";
import { i18n } from "../text/i18n.ts";

/** The uploaded files of a message or a statement, each as a download with its hash. */
export function UploadedFiles({ files }: { files: readonly FileReference[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label={i18n.t("Uploaded files")}>
      {files.map((file) => (
        <li key={`${file.file_id} ${file.name}`}>
          <FileLink of={file} />
          <span className="quiet">
            {i18n.t("SHA-256")} <ShortHex of={file.sha256} what={i18n.t("SHA-256")} />
          </span>
        </li>
      ))}
    </ul>
  );
}
