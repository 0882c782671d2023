import { useMutation } from "@tanstack/react-query";
import { type DragEvent, type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { settings } from "../settings.ts";
import { readGiven } from "./receipt-checks.ts";
import { ReceiptVerdict } from "./receipt-verdict.tsx";
import { RecordVerdict } from "./record-verdict.tsx";

/** Larger than any receipt, in bytes: what is larger is not read. */
const mostBytes = 262_144;
const tooLarge = "This is larger than any receipt.";

/** Takes a receipt, or a statement of an agent's record, as text or as a file, and checks it in this browser: nothing of it is sent anywhere. */
export function ReceiptInput() {
  const [text, setText] = useState("");
  const reading = useMutation({
    mutationFn: async (given: string) => {
      if (given.length > mostBytes) throw new Error(tooLarge);
      return readGiven(given);
    },
  });
  const loading = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > mostBytes) throw new Error(tooLarge);
      return await file.text();
    },
    onSuccess: (read) => {
      setText(read);
      reading.mutate(read);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") reading.mutate(text);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) loading.mutate(file);
  };
  const error = loading.error ?? reading.error;
  return (
    <section aria-labelledby="check-receipt">
      <h2 id="check-receipt">Check a receipt</h2>
      <p>
        Paste a receipt of {settings.issuer}, or drop its file here. A settlement document, an x402 receipt
        and the service's own answer with both are taken, and so is a statement of an agent's record. Your
        browser checks it and sends it nowhere.
      </p>
      <form onSubmit={submit} onDrop={drop} onDragOver={(event) => event.preventDefault()} noValidate>
        <Field label="Receipt" error={error ? error.message : null}>
          {(wiring) => (
            <textarea
              {...wiring}
              className="code"
              spellCheck={false}
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                reading.reset();
              }}
            />
          )}
        </Field>
        <Field label="Or its file">
          {(wiring) => (
            <input
              {...wiring}
              type="file"
              onChange={({ target }) => target.files?.[0] && loading.mutate(target.files[0])}
            />
          )}
        </Field>
        <div className="buttons">
          <Button type="submit" className="primary" isPending={reading.isPending}>
            Check it
          </Button>
        </div>
      </form>
      {reading.data && "receipt" in reading.data && <ReceiptVerdict parts={reading.data.receipt} />}
      {reading.data && "record" in reading.data && <RecordVerdict text={reading.data.record} />}
    </section>
  );
}
