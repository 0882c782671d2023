import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { StoredFile } from "earnest-client";
import { File as FileIcon } from "lucide-react";
import { useMemo } from "react";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { ErasureSection } from "../privacy/account-erasure.tsx";
import { DataExportSection } from "../privacy/data-export.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { FileLink } from "./file-link.tsx";
import { sizeText } from "./file-reference.ts";

/** The files of the account, the export of its data, and its erasure. */
export function FilesPage() {
  const client = useClient();
  const files = useInfiniteQuery(pagedQuery(["files"], (page) => client.files.list(page)));
  const columns = useMemo(readColumns, []);
  return (
    <Page
      title={i18n.t("Files and data")}
      intro={i18n.t("The files that you uploaded, newest first, and an archive of your data.")}
    >
      <section aria-labelledby="files">
        <h2 id="files">{i18n.t("Your files")}</h2>
        <DataTable
          label={i18n.t("Your files")}
          query={files}
          columns={columns}
          rowHeight={64}
          counted={(total) => i18n.t("{total, plural, one {# file} other {# files}}", { total })}
          empty={
            <EmptyState icon={FileIcon} title={i18n.t("No files")}>
              {i18n.t("Files that you add to orders, deliveries and messages appear here.")}
            </EmptyState>
          }
        />
      </section>
      <DataExportSection />
      <ErasureSection />
    </Page>
  );
}

const readColumns = (): Column<StoredFile>[] => [
  {
    id: "name",
    header: i18n.t("File"),
    width: "minmax(0, 2fr)",
    cell: ({ name, reference }) =>
      reference ? (
        <FileLink of={reference} />
      ) : (
        <span className="cut-line">
          <UserText>{name}</UserText>
        </span>
      ),
  },
  {
    id: "use",
    header: i18n.t("Use"),
    cell: (file) => <FileUse of={file} />,
  },
  {
    id: "size",
    header: i18n.t("Size"),
    align: "end",
    isHiddenOnPhone: true,
    cell: ({ size }) => sizeText(size),
  },
  {
    id: "kept",
    header: i18n.t("Kept until"),
    isHiddenOnPhone: true,
    cell: ({ expires_at: at, is_used: isUsed }) =>
      isUsed ? <span className="quiet">{i18n.t("Kept with its orders")}</span> : at && <Time at={at} />,
  },
  {
    id: "actions",
    header: "",
    align: "end",
    cell: (file) => (file.is_used ? null : <Deletion of={file} />),
  },
];

function FileUse({ of: { status, is_used: isUsed } }: { of: StoredFile }) {
  if (status === "withheld") return <Chip tone="bad">{i18n.t("Hidden by the operator")}</Chip>;
  if (status === "uploading") return <Chip tone="warn">{i18n.t("Not complete")}</Chip>;
  return isUsed ? <Chip tone="good">{i18n.t("Used by an order")}</Chip> : <Chip>{i18n.t("Unused")}</Chip>;
}

function Deletion({ of: { id, name } }: { of: StoredFile }) {
  const client = useClient();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: async () => await client.files.delete(id),
    onSuccess: () => announce(i18n.t("The file is deleted.")),
    onSettled: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
  return (
    <ConfirmButton
      isBare
      label={i18n.t("Delete")}
      confirmLabel={i18n.t("Delete permanently")}
      of={name}
      isPending={deleting.isPending}
      error={deleting.error}
      onPress={() => deleting.mutate()}
    />
  );
}
