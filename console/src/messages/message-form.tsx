import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FileReference } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { FilesField } from "../files/files-field.tsx";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** The form for a message. */
export function MessageForm({ orderId }: { orderId: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [files, setFiles] = useState<FileReference[]>([]);
  const [isTried, setTried] = useState(false);
  const sending = useMutation({
    mutationFn: () => client.orders.messages.write(orderId, { text, files }),
    onSuccess: () => {
      setText("");
      setFiles([]);
      setTried(false);
      void queries.invalidateQueries({ queryKey: ["order", orderId, "messages"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (text.trim() !== "") sending.mutate();
  };
  return (
    <form className="message-form" onSubmit={submit} noValidate>
      <TextField
        label={i18n.t("Your message")}
        help={i18n.t("Plain text. It can't be edited, only withdrawn.")}
        error={isTried && text.trim() === "" ? i18n.t("Enter a message.") : null}
        isRequired
        isLong
        value={text}
        onChange={setText}
        most={longest.orderMessage}
      />
      <FilesField
        help={i18n.t("Readers of the messages can download them.")}
        files={files}
        onChange={setFiles}
      />
      {sending.error && <ProblemNote error={sending.error} />}
      <div className="buttons">
        <Button type="submit" isPending={sending.isPending}>
          {i18n.t("Send message")}
        </Button>
      </div>
    </form>
  );
}
