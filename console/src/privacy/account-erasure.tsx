import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Erasure } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { readIfThere } from "../session/read-if-there.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";

/** The erasure of the account's words and files: its state, with buttons to request it and to take it back. */
export function ErasureSection() {
  const client = useClient();
  const session = useSession();
  const queries = useQueryClient();
  const newest = useQuery({
    queryKey: ["erasure"],
    queryFn: () => readIfThere(client.erasure.get(asPerson)),
  });
  const requesting = useMutation({
    mutationFn: async () => await client.erasure.request({ confirm: session?.accountId ?? "" }, asPerson),
    onSuccess: (requested) => queries.setQueryData(["erasure"], requested),
  });
  const takingBack = useMutation({
    mutationFn: async () => await client.erasure.takeBack(asPerson),
    onSuccess: () => queries.setQueryData(["erasure"], null),
  });
  return (
    <section className="card" aria-labelledby="erasure">
      <h2 id="erasure">{i18n.t("Erase my data")}</h2>
      <p className="quiet">
        {i18n.t(
          "Erases the texts and files of your personal account after three days. Payments, receipts and hashes stay.",
        )}
      </p>
      <Loaded query={newest}>
        {(erasure) => (
          <>
            {erasure && <ErasureState of={erasure} />}
            {erasure?.status === "waiting" && (
              <>
                {takingBack.error && <ProblemNote error={takingBack.error} />}
                <div className="buttons">
                  <Button isPending={takingBack.isPending} onPress={() => takingBack.mutate()}>
                    {i18n.t("Keep my data")}
                  </Button>
                </div>
              </>
            )}
            {(erasure === null || erasure.status === "done") && (
              <ConfirmButton
                label={i18n.t("Request erasure")}
                confirmLabel={i18n.t("Erase my data in three days")}
                of=""
                isPending={requesting.isPending}
                error={requesting.error}
                onPress={() => requesting.mutate()}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function ErasureState({ of: { status, due_at, finished_at, blocked_by } }: { of: Erasure }) {
  const tones: Record<Erasure["status"], Tone> = { waiting: "info", running: "info", done: "good" };
  const states: Record<Erasure["status"], string> = {
    waiting: i18n.t("Requested"),
    running: i18n.t("In progress"),
    done: i18n.t("Done"),
  };
  const { open_orders, disputes, organisations } = blocked_by;
  return (
    <LabelledValues
      rows={[
        [
          i18n.t("Status"),
          <Chip key="status" tone={tones[status]}>
            {states[status]}
          </Chip>,
        ],
        [i18n.t("Begins"), status === "waiting" ? <Time key="due" at={due_at} /> : null],
        [i18n.t("Finished"), finished_at === null ? null : <Time key="finished" at={finished_at} />],
        [i18n.t("Open orders"), open_orders > 0 ? String(open_orders) : null],
        [i18n.t("Disputes to decide"), disputes > 0 ? String(disputes) : null],
        [i18n.t("Other organisations"), organisations > 0 ? String(organisations) : null],
      ]}
    />
  );
}
