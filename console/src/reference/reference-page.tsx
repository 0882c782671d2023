import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { TextField } from "../parts/text-field.tsx";
import { i18n } from "../text/i18n.ts";
import { type Description, descriptionQuery, type Operation } from "./description.ts";
import { MarkedText } from "./marked-text.tsx";
import { OperationView, Verb } from "./operation-view.tsx";

/** The API reference: a list of all operations, and one operation in view. */
export function ReferencePage() {
  const description = useQuery(descriptionQuery);
  return (
    <Page
      title={i18n.t("API reference")}
      intro={i18n.t("Every operation of the API, with samples and a form that sends it.")}
      actions={
        <a className="button" href="./api/v1/openapi.json">
          openapi.json
        </a>
      }
    >
      <Loaded query={description}>{(data) => <Reference description={data} />}</Loaded>
    </Page>
  );
}

function Reference({ description }: { description: Description }) {
  const { op } = useSearch({ from: "/docs" });
  const operations = description.groups.flatMap((group) => group.operations);
  const chosen = operations.find(({ operationId }) => operationId === op);
  return (
    <div className="reference">
      <Operations groups={description.groups} />
      <div>
        {chosen ? (
          <OperationView key={chosen.operationId} operation={chosen} schemas={description.schemas} />
        ) : (
          <Overview description={description} isMissing={op !== undefined} />
        )}
      </div>
    </div>
  );
}

/** Links to the operations that a filter leaves, by their subjects. */
function Operations({ groups }: { groups: Description["groups"] }) {
  const { op } = useSearch({ from: "/docs" });
  const [filter, setFilter] = useState("");
  const words = useDeferredValue(filter).toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ operationId, method, path, summary, tag }: Operation) => {
    const text = `${operationId} ${method} ${path} ${summary} ${tag}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const left = groups
    .map((group) => ({ ...group, operations: group.operations.filter(matches) }))
    .filter((group) => group.operations.length > 0);
  return (
    <nav aria-label={i18n.t("Operations")} className="operations">
      <TextField label={i18n.t("Filter operations")} value={filter} onChange={setFilter} />
      {left.length === 0 && <p className="quiet">{i18n.t("No operation matches.")}</p>}
      <div className="operation-list">
        {left.map(({ name, operations }) => (
          <details
            key={`${name} ${words.length > 0}`}
            open={words.length > 0 || operations.some(({ operationId }) => operationId === op) || undefined}
          >
            <summary>
              {name} <span className="quiet">{operations.length}</span>
            </summary>
            <ul>
              {operations.map(({ operationId, summary, method }) => (
                <li key={operationId}>
                  <Link
                    to="/docs"
                    search={{ op: operationId }}
                    aria-current={operationId === op ? "page" : undefined}
                  >
                    <MarkedText>{summary}</MarkedText> <span className="verb">{method}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </nav>
  );
}

function Overview({ description, isMissing }: { description: Description; isMissing: boolean }) {
  return (
    <article aria-label={i18n.t("Overview")}>
      {isMissing && (
        <p className="note" role="status">
          {i18n.t("There is no operation of this name. Choose one from the list.")}
        </p>
      )}
      <p>
        <MarkedText>{description.text}</MarkedText>
      </p>
      <p>
        {i18n.t("Base URL")}: <code>{`${location.origin}${description.base}`}</code>
      </p>
      <p>
        {i18n.t("Header")}: <code>Authorization: Bearer esk_…</code>{" "}
        <Link to="/keys">{i18n.t("Create a key")}</Link>
      </p>
      <ul className="cards two-columns">
        {description.groups.map(({ name, text, operations }) => (
          <li key={name} className="card">
            <h2>{name}</h2>
            <p className="quiet">{text}</p>
            {operations.slice(0, 3).map(({ operationId, summary, method }) => (
              <p key={operationId} className="verb-line">
                <Verb>{method}</Verb>
                <Link to="/docs" search={{ op: operationId }}>
                  <MarkedText>{summary}</MarkedText>
                </Link>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </article>
  );
}
