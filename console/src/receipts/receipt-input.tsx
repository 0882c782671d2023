import { useMutation } from "@tanstack/react-query";
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { parseReceiptInput } from "./receipt-checks.ts";
import { ReceiptVerdict } from "./receipt-verdict.tsx";
import { RecordVerdict } from "./record-verdict.tsx";

/** The most bytes of an input. No receipt is as large. */
const mostBytes = 262_144;
const tooLarge = () => new Error(i18n.t("This is too large to be a receipt."));

/** Checks a receipt, or a signed record of an agent, from a text or a file. Nothing of the input leaves the browser. */
export function ReceiptInput() {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const reading = useMutation({
    mutationFn: async (input: string) => {
      if (input.trim() === "") throw new Error(i18n.t("Paste a receipt, or choose its file."));
      if (input.length > mostBytes) throw tooLarge();
      return parseReceiptInput(input);
    },
  });
  const loading = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > mostBytes) throw tooLarge();
      return await file.text();
    },
    onSuccess: (loaded) => {
      setText(loaded);
      reading.mutate(loaded);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reading.mutate(text);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) loading.mutate(file);
  };
  const error = loading.error ?? reading.error;
  useEffect(() => {
    if (error) focusFirstFault(form.current);
  }, [error]);
  return (
    <section aria-label={i18n.t("Verify a receipt")}>
      <p className="receipt-input">
        {i18n.t(
          "Paste a receipt of {issuer} or drop its file here. Settlement documents, x402 receipts, API receipts and signed agent records are accepted. Your browser verifies it; nothing is uploaded.",
          { issuer: settings.issuer },
        )}
      </p>
      <form
        ref={form}
        className="receipt-input"
        onSubmit={submit}
        onDrop={drop}
        onDragOver={(event) => event.preventDefault()}
        noValidate
      >
        <Field label={i18n.t("Receipt")} error={error ? error.message : null}>
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
        <Field label={i18n.t("Upload file")}>
          {(wiring) => (
            <input
              {...wiring}
              type="file"
              onChange={({ target }) => target.files?.[0] && loading.mutate(target.files[0])}
            />
          )}
        </Field>
        <div className="buttons">
          <Button type="submit" variant="primary" isPending={reading.isPending}>
            {i18n.t("Verify")}
          </Button>
        </div>
      </form>
      {reading.data && "receipt" in reading.data && <ReceiptVerdict parts={reading.data.receipt} />}
      {reading.data && "record" in reading.data && <RecordVerdict text={reading.data.record} />}
    </section>
  );
}
