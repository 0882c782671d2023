import { useMutation } from "@tanstack/react-query";
import type { FileReference } from "earnest-client";
import { Download } from "lucide-react";
import { showHidden } from "../../../protocol/json/text.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { UserText } from "./user-text.tsx";

/** A file of an order with its hash. A press makes a short-lived link, and the browser saves the file. */
export function UploadedFile({ file: { file_id, name, size, sha256 } }: { file: FileReference }) {
  const client = useClient();
  const loading = useMutation({
    mutationFn: () => client.files.createLink(file_id),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <li>
      <UserText>{name}</UserText> <span className="quiet">{i18n.t("{size, number} bytes", { size })}</span>
      <p className="quiet">
        {i18n.t("SHA-256")} <code>{sha256}</code>
      </p>
      {loading.error && <ProblemNote error={loading.error} />}
      <Button size="small" icon={Download} isPending={loading.isPending} onPress={() => loading.mutate()}>
        {i18n.t("Download {name}", { name: showHidden(name) })}
      </Button>
    </li>
  );
}
