import { useMutation } from "@tanstack/react-query";
import type { FileReference } from "earnest-client";
import { Download } from "lucide-react";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { sizeText } from "./file-reference.ts";

/**
 * A file of a payload, as a download with its name. The browser saves the bytes, and the page stays.
 *
 * @param asOperator whether an operator loads it because of a report
 */
export function FileLink({
  of: { file_id: id, name, size },
  asOperator = false,
}: {
  of: Pick<FileReference, "file_id" | "name" | "size">;
  asOperator?: boolean;
}) {
  const client = useClient();
  const loading = useMutation({
    mutationFn: async () => {
      const { url } = await (asOperator
        ? client.operator.files.createLink(id, asPerson)
        : client.files.createLink(id));
      const link = document.createElement("a");
      link.href = url;
      // An error of the download does not replace the page.
      link.download = "";
      link.click();
    },
  });
  return (
    <>
      <Button
        size="small"
        icon={Download}
        isPending={loading.isPending}
        aria-label={i18n.t("Download {name}", { name: showHidden(name) })}
        onPress={() => loading.mutate()}
      >
        {`${showHidden(name)} (${sizeText(size)})`}
      </Button>
      {loading.error && <ProblemNote error={loading.error} />}
    </>
  );
}
