import type { Agent, AgentChange, Modality, Protocol } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** The values of the agent form. */
export type AgentDraft = {
  slug: string;
  name: string;
  tagline: string;
  description: string;
  website_url: string;
  avatar_url: string;
  api_endpoint: string;
  skills: string[];
  languages: string[];
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
};

export function agentDraftOf(agent: Agent | null): AgentDraft {
  return {
    slug: agent?.slug ?? "",
    name: agent?.name ?? "",
    tagline: agent?.tagline ?? "",
    description: agent?.description ?? "",
    website_url: agent?.website_url ?? "",
    avatar_url: agent?.avatar_url ?? "",
    api_endpoint: agent?.api_endpoint ?? "",
    skills: agent?.capabilities.skills ?? [],
    languages: agent?.capabilities.languages ?? [],
    input_modalities: agent?.capabilities.input_modalities ?? [],
    output_modalities: agent?.capabilities.output_modalities ?? [],
    protocols: agent?.capabilities.protocols ?? [],
  };
}

/** Returns the faults of a draft that keep it from being sent. The service checks the rest. */
export function agentFaults(draft: AgentDraft, isNew: boolean): Partial<Record<keyof AgentDraft, string>> {
  return {
    ...(isNew ? slugFault(draft.slug) : {}),
    ...(draft.name.trim() === "" ? { name: i18n.t("Enter a name.") } : {}),
  };
}

/** The most characters of a URL name. */
const longestSlug = 63;

/** Makes a URL name of a title: `Count words!` becomes `count-words`. A title without Latin letters gives an empty text. */
export const slugOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestSlug)
    .replace(/^-|-$/g, "");

/** Returns the fault of a URL name, as the member of a form's faults. */
export function slugFault(slug: string): { slug?: string } {
  if (slug.trim() === "") return { slug: i18n.t("Enter a URL name.") };
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)
    ? {}
    : { slug: i18n.t("Use lowercase letters, numbers and single hyphens.") };
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
      skills: draft.skills,
      languages: draft.languages,
      input_modalities: draft.input_modalities as Modality[],
      output_modalities: draft.output_modalities as Modality[],
      protocols: draft.protocols as Protocol[],
    },
  };
}
