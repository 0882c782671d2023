import { useQuery } from "@tanstack/react-query";
import type { AgentVerified, ReputationFigures } from "earnest-client";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { VerifiedMarks } from "../parts/agent-verification.tsx";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ReputationMarks } from "../parts/reputation.tsx";
import { ManyChoiceField, TagField } from "../parts/tag-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { type AgentDraft, agentFaults, slugOf } from "./agent-draft.ts";
import { firstFault, useDraftForm } from "./draft-form.ts";
import { FormSection, Preview } from "./form-section.tsx";

type Texts = "slug" | "name" | "tagline" | "description" | "website_url" | "avatar_url" | "api_endpoint";
type Lists = Exclude<keyof AgentDraft, Texts>;

/** The form of an agent's profile, with a preview of its public card. The URL name is chosen once. */
export function AgentForm({
  initial,
  isNew,
  marks,
  save,
}: {
  initial: AgentDraft;
  isNew: boolean;
  /** the marks beside the name, of an agent that exists */
  marks?: { verified: AgentVerified; reputation: ReputationFigures };
  save: (draft: AgentDraft) => Promise<void>;
}) {
  const client = useClient();
  const { form, root, saving, refusalOf } = useDraftForm({
    initial,
    faultsOf: (draft) => agentFaults(draft, isNew),
    save,
  });
  const words = useQuery({
    queryKey: ["vocabulary"],
    queryFn: () => client.marketplace.getVocabulary(),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const text = (
    name: Texts,
    label: string,
    more: { help?: string; isLong?: boolean; most?: number; inputMode?: "url"; isRequired?: boolean } = {},
  ) => (
    <form.Field name={name}>
      {({ state, handleChange }) => (
        <TextField
          label={label}
          {...more}
          value={state.value}
          onChange={(next) => {
            // The URL name follows the name until the reader changes it.
            if (isNew && name === "name" && form.getFieldValue("slug") === slugOf(state.value))
              form.setFieldValue("slug", slugOf(next));
            handleChange(next);
          }}
          error={firstFault(state.meta.errors) ?? refusalOf(name, state.value)}
        />
      )}
    </form.Field>
  );
  const list = (
    name: Lists,
    label: string,
    more: { help?: string; choices?: readonly (readonly [string, string])[] } = {},
  ) => (
    <form.Field name={name}>
      {({ state, handleChange }) => {
        const field = {
          label,
          help: more.help ?? null,
          value: state.value,
          onChange: handleChange,
          error: refusalOf(name, state.value),
        };
        return more.choices ? <ManyChoiceField {...field} choices={more.choices} /> : <TagField {...field} />;
      }}
    </form.Field>
  );
  return (
    <div className="split">
      <form
        ref={root}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void form.handleSubmit();
        }}
      >
        <FormSection title={i18n.t("Basics")}>
          {text("name", i18n.t("Name"), { most: longest.name, isRequired: true })}
          {isNew &&
            text("slug", i18n.t("URL name"), {
              help: i18n.t(
                "Lowercase letters, numbers and hyphens, for example word-counter. It cannot be changed later.",
              ),
              isRequired: true,
            })}
          {text("tagline", i18n.t("Tagline"), {
            most: longest.tagline,
            help: i18n.t("One line below the name."),
          })}
          {text("description", i18n.t("Description"), { isLong: true, most: longest.description })}
        </FormSection>
        <FormSection
          title={i18n.t("Capabilities")}
          intro={i18n.t("Buyers and their programs find the agent by these.")}
        >
          {list("skills", i18n.t("Skills"), { help: i18n.t("Press Enter after each skill.") })}
          {list("languages", i18n.t("Languages"), {
            help: i18n.t("Language tags, for example en, ja, pt-BR."),
          })}
          {list("input_modalities", i18n.t("Inputs"), {
            choices: choicesOf(words?.input_modalities ?? initial.input_modalities),
          })}
          {list("output_modalities", i18n.t("Outputs"), {
            choices: choicesOf(words?.output_modalities ?? initial.output_modalities),
          })}
          {list("protocols", i18n.t("Protocols"), {
            choices: choicesOf(words?.protocols ?? initial.protocols),
          })}
        </FormSection>
        <FormSection title={i18n.t("Advanced")} isFolded>
          {text("api_endpoint", i18n.t("Endpoint URL"), {
            help: i18n.t("An https URL. Earnest checks it every 15 minutes and shows its health."),
            inputMode: "url",
          })}
          {text("website_url", i18n.t("Website"), { inputMode: "url" })}
          {text("avatar_url", i18n.t("Picture URL"), { inputMode: "url" })}
        </FormSection>
        {saving.error && <ProblemNote error={saving.error} />}
        <div className="buttons form-end">
          <Button type="submit" variant="primary" isPending={saving.isPending}>
            {isNew ? i18n.t("Create agent") : i18n.t("Save")}
          </Button>
        </div>
      </form>
      <aside>
        <Preview>
          <form.Subscribe selector={({ values }) => values}>
            {({ name, tagline, skills }) => (
              <article className="service-card">
                <div>
                  <h3>
                    <UserText>{name || i18n.t("Name")}</UserText>
                    {marks && <VerifiedMarks of={marks.verified} />}
                  </h3>
                  <p>
                    <UserText>{tagline || i18n.t("Tagline")}</UserText>
                  </p>
                  {skills.length > 0 && (
                    <p className="tags">
                      {skills.map((skill) => (
                        <span key={skill} className="tag">
                          <UserText>{skill}</UserText>
                        </span>
                      ))}
                    </p>
                  )}
                  {marks && (
                    <p className="quiet">
                      <ReputationMarks of={marks.reputation} />
                    </p>
                  )}
                </div>
              </article>
            )}
          </form.Subscribe>
        </Preview>
      </aside>
    </div>
  );
}

/** The words of the service with their labels. A word that this page does not know shows as it is. */
function choicesOf(words: readonly string[]): (readonly [string, string])[] {
  const texts: Record<string, string> = {
    audio: i18n.t("Audio"),
    code: i18n.t("Code"),
    file: i18n.t("File"),
    image: i18n.t("Image"),
    text: i18n.t("Text"),
    video: i18n.t("Video"),
    ...names,
  };
  return words.map((word) => [word, texts[word] ?? word]);
}

/** Names of formats and protocols, which are the same in every language. */
const names = {
  json: "JSON",
  a2a: "A2A",
  acp: "ACP",
  graphql: "GraphQL",
  grpc: "gRPC",
  http: "HTTP",
  mcp: "MCP",
  websocket: "WebSocket",
  x402: "x402",
};
