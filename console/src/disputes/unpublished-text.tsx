import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hashOfText } from "../../../protocol/settlement/dispute.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** Asks the author for the text of a reason or ruling whose hash is on the chain, but which nobody can read yet. */
export function UnpublishedText({
  view: { dispute, order },
  reason,
  ruling,
}: {
  view: DisputeView;
  reason: string;
  ruling: string;
}) {
  const { opened, decision, your_role: role, stage } = dispute;
  if (stage === "settled") return null;
  if (opened?.confirmed && opened.by === role && opened.reason_hash && opened.reason === null) {
    return <PublishForm kind="reason" hash={opened.reason_hash} draft={reason} orderId={order.id} />;
  }
  if (decision?.confirmed && role === "arbiter" && decision.ruling_hash && decision.ruling === null) {
    return <PublishForm kind="ruling" hash={decision.ruling_hash} draft={ruling} orderId={order.id} />;
  }
  return null;
}

function PublishForm(props: { kind: "reason" | "ruling"; hash: string; draft: string; orderId: string }) {
  const { kind, hash, draft, orderId } = props;
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState(draft);
  const publishing = useMutation({
    mutationFn: () => client.disputes.addStatement(orderId, { text }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["order", orderId] }),
  });
  const matches = hashOfText(text) === hash;
  const words =
    kind === "reason"
      ? {
          title: i18n.t("Your reason is not published yet"),
          label: i18n.t("Your reason"),
          publish: i18n.t("Publish reason"),
        }
      : {
          title: i18n.t("Your ruling is not published yet"),
          label: i18n.t("Your ruling"),
          publish: i18n.t("Publish ruling"),
        };
  return (
    <section className="note" aria-labelledby="unpublished">
      <h2 id="unpublished">{words.title}</h2>
      <p>{i18n.t("Only the text's hash is stored on-chain: {hash}.", { hash })}</p>
      <Field
        label={words.label}
        error={
          text !== "" && !matches
            ? i18n.t("This text does not match: its hash is {hash}.", { hash: hashOfText(text) })
            : null
        }
      >
        {(wiring) => <textarea {...wiring} value={text} onChange={({ target }) => setText(target.value)} />}
      </Field>
      {publishing.error && <ProblemNote error={publishing.error} />}
      <Button
        variant="primary"
        isDisabled={!matches}
        isPending={publishing.isPending}
        onPress={() => publishing.mutate()}
      >
        {words.publish}
      </Button>
    </section>
  );
}
