import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hashOfText } from "../../../protocol/settlement/dispute.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** What only its writer can tell: the text of a hash that a transaction of their own put onto the chain. */
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
    return <PublishForm what="reason" hash={opened.reason_hash} draft={reason} orderId={order.id} />;
  }
  if (decision?.confirmed && role === "arbiter" && decision.ruling_hash && decision.ruling === null) {
    return <PublishForm what="ruling" hash={decision.ruling_hash} draft={ruling} orderId={order.id} />;
  }
  return null;
}

function PublishForm(props: { what: "reason" | "ruling"; hash: string; draft: string; orderId: string }) {
  const { what, hash, draft, orderId } = props;
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState(draft);
  const telling = useMutation({
    mutationFn: () => client.disputes.addStatement(orderId, { text }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["order", orderId] }),
  });
  const isIt = hashOfText(text) === hash;
  return (
    <section className="note" aria-labelledby="untold">
      <h2 id="untold">{`Nobody can read your ${what} yet`}</h2>
      <p>{`The chain has its hash alone: ${hash}.`}</p>
      <Field
        label={`Your ${what}`}
        error={text !== "" && !isIt ? `This is another text: its hash is ${hashOfText(text)}.` : null}
      >
        {(wiring) => <textarea {...wiring} value={text} onChange={({ target }) => setText(target.value)} />}
      </Field>
      {telling.error && <ProblemNote error={telling.error} />}
      <Button
        className="primary"
        isDisabled={!isIt}
        isPending={telling.isPending}
        onPress={() => telling.mutate()}
      >
        {`Publish the ${what}`}
      </Button>
    </section>
  );
}
