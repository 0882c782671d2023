import type { Agent, AgentChange, Modality, Protocol } from "earnest-client";

/** The values of the agent form. All are texts; lists are separated by commas. */
export type AgentDraft = {
  slug: string;
  name: string;
  tagline: string;
  description: string;
  website_url: string;
  avatar_url: string;
  api_endpoint: string;
  skills: string;
  languages: string;
  input_modalities: string;
  output_modalities: string;
  protocols: string;
};

export function agentDraftOf(agent: Agent | null): AgentDraft {
  const list = (words: string[] | undefined) => words?.join(", ") ?? "";
  return {
    slug: agent?.slug ?? "",
    name: agent?.name ?? "",
    tagline: agent?.tagline ?? "",
    description: agent?.description ?? "",
    website_url: agent?.website_url ?? "",
    avatar_url: agent?.avatar_url ?? "",
    api_endpoint: agent?.api_endpoint ?? "",
    skills: list(agent?.capabilities.skills),
    languages: list(agent?.capabilities.languages),
    input_modalities: list(agent?.capabilities.input_modalities),
    output_modalities: list(agent?.capabilities.output_modalities),
    protocols: list(agent?.capabilities.protocols),
  };
}

/** Converts a draft to the API's request. An empty text becomes null. The service checks the words of each list. */
export function agentChangeOf(draft: AgentDraft): AgentChange & { name: string } {
  return {
    name: draft.name,
    tagline: draft.tagline.trim() || null,
    description: draft.description.trim() || null,
    website_url: draft.website_url.trim() || null,
    avatar_url: draft.avatar_url.trim() || null,
    api_endpoint: draft.api_endpoint.trim() || null,
    capabilities: {
      skills: wordsOf(draft.skills),
      languages: wordsOf(draft.languages),
      input_modalities: wordsOf(draft.input_modalities) as Modality[],
      output_modalities: wordsOf(draft.output_modalities) as Modality[],
      protocols: wordsOf(draft.protocols) as Protocol[],
    },
  };
}

/** Splits a text at commas and line breaks. */
export const wordsOf = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
