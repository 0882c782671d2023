import { CodeTabs } from "../parts/code-tabs.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";
import { type Description, isOpen, jsonOf, type Operation, scopesOf } from "./description.ts";
import { MarkedText } from "./marked-text.tsx";
import { samplesOf } from "./samples.ts";
import { SchemaView, typeText } from "./schema-view.tsx";
import { TryIt } from "./try-it.tsx";

const tones: Record<string, Tone> = { GET: "info", POST: "good", PUT: "warn", PATCH: "warn", DELETE: "bad" };

/** The method of an operation as a chip. */
export const Verb = ({ children: method }: { children: string }) => (
  <Chip tone={tones[method] ?? "neutral"}>{method}</Chip>
);

/** An operation: what it does, its parameters, bodies and answers, samples, and a form that sends it. */
export function OperationView({
  operation,
  schemas,
}: {
  operation: Operation;
  schemas: Description["schemas"];
}) {
  const { method, base, path, summary, description, parameters = [], requestBody, responses } = operation;
  const body = jsonOf(requestBody?.content);
  const samples = samplesOf(operation);
  return (
    <article aria-labelledby="operation">
      <h2 id="operation">
        <MarkedText>{summary}</MarkedText>
      </h2>
      <p className="route">
        <Verb>{method}</Verb> <code>{`${base}${path}`}</code>
        <CopyButton text={`${location.origin}${base}${path}`} what={i18n.t("URL")} />
      </p>
      {description && (
        <p>
          <MarkedText>{description}</MarkedText>
        </p>
      )}
      <p className="quiet">{accessText(operation)}</p>
      <CodeTabs samples={samples} />
      {parameters.length > 0 && (
        <section aria-labelledby="parameters">
          <h3 id="parameters">{i18n.t("Parameters")}</h3>
          <ul className="members">
            {parameters.map(({ name, in: place, required, schema, description: text }) => (
              <li key={`${place} ${name}`}>
                <code>{name}</code> <span className="quiet">{`${place} · ${typeText(schema)}`}</span>{" "}
                {required && <span className="required">{i18n.t("required")}</span>}
                {text && (
                  <p>
                    <MarkedText>{text}</MarkedText>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {body?.schema && (
        <section aria-labelledby="body">
          <h3 id="body">{i18n.t("Request body")}</h3>
          <SchemaView schema={body.schema} schemas={schemas} />
        </section>
      )}
      <TryIt key={operation.operationId} operation={operation} />
      <section aria-labelledby="answers">
        <h3 id="answers">{i18n.t("Responses")}</h3>
        {Object.entries(responses).map(([status, { description: text, content }]) => {
          const media = jsonOf(content);
          return (
            <details key={status} className="response">
              <summary>
                <code>{status}</code> <MarkedText>{text}</MarkedText>
              </summary>
              {media?.schema && <SchemaView schema={media.schema} schemas={schemas} />}
              {media?.example !== undefined && <Raw>{JSON.stringify(media.example, null, 2)}</Raw>}
            </details>
          );
        })}
      </section>
    </article>
  );
}

/** Says who may call an operation. */
function accessText(operation: Operation): string {
  if (isOpen(operation)) return i18n.t("Open to everyone, without a key.");
  const scopes = scopesOf(operation);
  if (scopes === null) return i18n.t("Needs a session. API keys may not call it.");
  if (scopes.length === 0) return i18n.t("Needs a session or any API key.");
  return i18n.t("Needs a session, or an API key with {scopes}.", { scopes: scopes.join(", ") });
}
