import type { FileReference } from "earnest-client";
import { showHidden } from "../../../protocol/json/text.ts";
import { FileLink } from "../files/file-link.tsx";
import { ShortHex } from "../parts/address.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { i18n } from "../text/i18n.ts";

/** The uploaded files of a message or a statement, each as a download with its hash. Those of others can be reported. */
export function UploadedFiles({ files, isOwn }: { files: readonly FileReference[]; isOwn: boolean }) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label={i18n.t("Uploaded files")}>
      {files.map((file) => (
        <li key={`${file.file_id} ${file.name}`}>
          <FileLink of={file} />
          <span className="quiet">
            {i18n.t("SHA-256")} <ShortHex of={file.sha256} what={i18n.t("SHA-256")} />
          </span>
          {!isOwn && <ReportButton kind="file" id={file.file_id} of={showHidden(file.name)} />}
        </li>
      ))}
    </ul>
  );
}
