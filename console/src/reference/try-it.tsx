import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { exampleOf, isOpen, jsonOf, type Operation } from "./description.ts";
import { sendRequest } from "./send-request.ts";

/** Sends a real request with the browser's session. A request that may change something needs a second press. */
export function TryIt({ operation }: { operation: Operation }) {
  const session = useSession();
  const form = useRef<HTMLFormElement>(null);
  const { parameters = [], requestBody, method } = operation;
  const example = jsonOf(requestBody?.content)?.example;
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(example === undefined ? "" : JSON.stringify(example, null, 2));
  const [isChecked, setChecked] = useState(false);
  const sending = useMutation({
    mutationFn: async () =>
      sendRequest(operation, { values, body, organisation: session?.organisation ?? null }),
  });
  const faultOf = (name: string, isRequired: boolean | undefined) =>
    isRequired && !values[name]?.trim() ? i18n.t("Enter a value.") : null;
  const bodyFault = body === "" || isJson(body) ? null : i18n.t("This is not valid JSON.");
  const send = () => {
    setChecked(true);
    const isMissing = parameters.some(({ name, required }) => faultOf(name, required) !== null);
    if (isMissing || bodyFault) focusFirstFault(form.current);
    else sending.mutate();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (method === "GET") send();
  };
  return (
    <section className="card" aria-labelledby="try">
      <h2 id="try">{i18n.t("Try it")}</h2>
      {!session && !isOpen(operation) && (
        <p className="note">
          {i18n.t("This request needs a session.")} <Link to="/sign-in">{i18n.t("Sign in")}</Link>
        </p>
      )}
      <form ref={form} onSubmit={submit} noValidate>
        <div className="pair">
          {parameters.map(({ name, in: place, required, schema, ...parameter }) => (
            <TextField
              key={`${place} ${name}`}
              label={name}
              help={[place, exampleOf({ name, in: place, schema, ...parameter })].filter(Boolean).join(" · ")}
              error={isChecked ? faultOf(name, required) : null}
              isRequired={required ?? false}
              value={values[name] ?? ""}
              onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
        </div>
        {example !== undefined && (
          <TextField
            label={i18n.t("Body (JSON)")}
            error={isChecked ? bodyFault : null}
            isLong
            value={body}
            onChange={setBody}
          />
        )}
        {method === "GET" ? (
          <div className="buttons">
            <Button type="submit" variant="primary" icon={Send} isPending={sending.isPending}>
              {i18n.t("Send request")}
            </Button>
          </div>
        ) : (
          <>
            <p className="quiet">{i18n.t("This request acts on your real account.")}</p>
            <ConfirmButton
              label={i18n.t("Send request")}
              confirmLabel={i18n.t("Send {method} request now", { method })}
              of=""
              isPending={sending.isPending}
              error={null}
              onPress={send}
            />
          </>
        )}
      </form>
      {sending.error && <ProblemNote error={sending.error} />}
      {sending.data && <Answer answer={sending.data} />}
    </section>
  );
}

function Answer({ answer }: { answer: Awaited<ReturnType<typeof sendRequest>> }) {
  const { status, milliseconds, headers, body, isCut } = answer;
  const tone = status < 300 ? "good" : status < 500 ? "warn" : "bad";
  return (
    <div className="answer">
      <p role="status">
        <Chip tone={tone}>{`HTTP ${status}`}</Chip>{" "}
        <span className="quiet">{i18n.t("{milliseconds} ms", { milliseconds })}</span>
      </p>
      <div className="example">
        <CopyButton text={body} what={i18n.t("answer")} />
        <Raw>{body || i18n.t("Empty body")}</Raw>
      </div>
      {isCut && <p className="quiet">{i18n.t("The answer is longer. This is its beginning.")}</p>}
      <details>
        <summary>{i18n.t("Response headers")}</summary>
        <Raw>{headers}</Raw>
      </details>
    </div>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
