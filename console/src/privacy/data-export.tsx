import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { DataExport } from "earnest-client";
import { Download } from "lucide-react";
import { sizeText } from "../files/file-reference.ts";
import { Button } from "../parts/button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { readIfThere } from "../session/read-if-there.ts";
import { i18n } from "../text/i18n.ts";

/** The most milliseconds of a download, which has up to a gigabyte. */
const downloadMs = 30 * 60_000;

/** The export of the account's data: its state, with buttons to request it and to save it. */
export function DataExportSection() {
  const client = useClient();
  const queries = useQueryClient();
  const newest = useQuery({
    queryKey: ["data-export"],
    queryFn: () => readIfThere(client.dataExport.get(asPerson)),
    refetchInterval: ({ state }) => (state.data?.status === "waiting" ? 5000 : false),
  });
  const requesting = useMutation({
    mutationFn: async () => await client.dataExport.request(asPerson),
    onSuccess: (made) => queries.setQueryData(["data-export"], made),
  });
  const saving = useMutation({
    mutationFn: async () =>
      saveFile(
        "account.zip",
        await client.dataExport.download({ ...asPerson, timeoutMs: downloadMs }),
        "application/zip",
      ),
  });
  return (
    <section className="card" aria-labelledby="data-export">
      <h2 id="data-export">{i18n.t("Your data")}</h2>
      <p className="quiet">
        {i18n.t(
          "All data of your personal account as a zip archive, once a day. Your files are in it as far as they fit.",
        )}
      </p>
      <Loaded query={newest}>
        {(made) => (
          <>
            {made && <ExportState of={made} />}
            {(requesting.error ?? saving.error) && <ProblemNote error={requesting.error ?? saving.error} />}
            <div className="buttons">
              {made?.status === "ready" && (
                <Button icon={Download} isPending={saving.isPending} onPress={() => saving.mutate()}>
                  {i18n.t("Download archive")}
                </Button>
              )}
              {made?.status !== "waiting" && (
                <Button isPending={requesting.isPending} onPress={() => requesting.mutate()}>
                  {i18n.t("Request archive")}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function ExportState({ of: { status, failure, size, requested_at, expires_at } }: { of: DataExport }) {
  const tones: Record<DataExport["status"], Tone> = { waiting: "info", ready: "good", failed: "bad" };
  const states: Record<DataExport["status"], string> = {
    waiting: i18n.t("In progress"),
    ready: i18n.t("Ready"),
    failed: i18n.t("Failed"),
  };
  const failures: Record<NonNullable<DataExport["failure"]>, string> = {
    too_large: i18n.t("The archive is too large for this service. Ask the operator."),
    no_space: i18n.t("The service has no space for archives now. Try again tomorrow."),
    error: i18n.t("The service could not make the archive. Try again."),
  };
  return (
    <LabelledValues
      rows={[
        [
          i18n.t("Status"),
          <Chip key="status" tone={tones[status]}>
            {states[status]}
          </Chip>,
        ],
        [i18n.t("Reason"), failure && failures[failure]],
        [i18n.t("Size"), status === "ready" && size !== null ? sizeText(size) : null],
        [i18n.t("Requested"), <Time key="requested" at={requested_at} />],
        [i18n.t("Available until"), status === "ready" ? <Time key="expires" at={expires_at} /> : null],
      ]}
    />
  );
}
