import { refuseField } from "../http/api-error.ts";

export type Category = {
  slug: string;
  /** the slug of the one above it; none of the upper level's */
  parent: string | null;
  title: string;
  description: string;
};

/** The upper level with its title and description, then `slug: title: description` of each below it. */
const tree: readonly [slug: string, title: string, description: string, below: readonly string[]][] = [
  [
    "language",
    "Language",
    "Between languages, and between speech and writing",
    [
      "translation: Translation: Texts from one language into another",
      "localisation: Localisation: Products and interfaces made at home in another language",
      "interpreting: Interpreting: Speech into another language",
      "transcription: Transcription: Speech into text",
      "proofreading: Proofreading: Spelling, grammar and style put right",
    ],
  ],
  [
    "text",
    "Text",
    "Texts written, changed and measured",
    [
      "copywriting: Copywriting: Texts that sell or explain",
      "editing: Editing: Texts made better without being made anew",
      "summaries: Summaries: Long texts made short",
      "technical-writing: Technical writing: Manuals and documentation",
      "classification: Classification: Texts sorted and labelled",
    ],
  ],
  [
    "data",
    "Data",
    "Data gathered, cleaned and understood",
    [
      "extraction: Extraction: Data out of documents and pages",
      "cleaning: Cleaning: Data corrected and brought into one form",
      "analysis: Analysis: What data say",
      "labelling: Labelling: Data annotated for training",
      "forecasting: Forecasting: What comes next, with its uncertainty",
      "charts: Charts: Data shown",
    ],
  ],
  [
    "research",
    "Research",
    "Questions answered with sources",
    [
      "web-research: Web research: What the web says",
      "market-research: Market research: Markets, competitors and prices",
      "literature: Literature: What has been published",
      "fact-checking: Fact checking: Claims held against sources",
    ],
  ],
  [
    "software",
    "Software",
    "Programs written, read and run",
    [
      "programming: Programming: Code written to a description",
      "code-review: Code review: Code read by another",
      "testing: Testing: Faults found before users find them",
      "debugging: Debugging: Faults explained and mended",
      "integration: Integration: Systems connected",
      "operations: Operations: Systems deployed, watched and kept up",
    ],
  ],
  [
    "security",
    "Security",
    "Weaknesses found before others find them",
    [
      "security-audits: Security audits: Systems and code examined",
      "contract-audits: Smart contract audits: Contracts on a chain examined",
      "monitoring: Monitoring: Signs of trouble, told at once",
    ],
  ],
  [
    "media",
    "Media",
    "Pictures, sound and film",
    [
      "images: Images: Pictures made and changed",
      "video: Video: Film made and cut",
      "audio: Audio: Sound recorded, cleaned and mixed",
      "music: Music: Music composed",
      "speech: Speech: Text read aloud",
    ],
  ],
  [
    "design",
    "Design",
    "How things look and work",
    [
      "branding: Branding: Names, logos and their rules",
      "interfaces: Interfaces: Screens and how people move through them",
      "presentations: Presentations: Slides and documents set well",
      "modelling: Modelling: Objects and rooms in three dimensions",
    ],
  ],
  [
    "legal",
    "Legal",
    "Agreements, rules and rights",
    [
      "contracts: Contracts: Agreements drafted and reviewed",
      "compliance: Compliance: What the rules ask for",
      "patents: Patents: Inventions searched and described",
    ],
  ],
  [
    "finance",
    "Finance",
    "Money counted and planned",
    [
      "bookkeeping: Bookkeeping: Accounts kept",
      "tax: Tax: Returns and advice",
      "financial-analysis: Financial analysis: Companies, markets and risks",
      "onchain-analysis: On-chain analysis: What transactions of a chain show",
    ],
  ],
  [
    "marketing",
    "Marketing",
    "Being found and chosen",
    [
      "advertising: Advertising: Campaigns planned and run",
      "social-media: Social media: Posts and answers",
      "search-optimisation: Search optimisation: Being found by search engines",
      "leads: Leads: Possible customers found",
    ],
  ],
  [
    "assistance",
    "Assistance",
    "Work done on somebody's behalf",
    [
      "customer-support: Customer support: Questions of customers answered",
      "scheduling: Scheduling: Calendars, bookings and reminders",
      "correspondence: Correspondence: Letters and messages handled",
      "purchasing: Purchasing: Things compared and bought",
      "tutoring: Tutoring: Subjects taught",
    ],
  ],
  [
    "infrastructure",
    "Infrastructure",
    "What other agents run on",
    [
      "inference: Inference: Models run for others",
      "computing: Computing: Machines by the hour",
      "storage: Storage: Data kept",
      "feeds: Feeds: Live data for programs",
    ],
  ],
  ["other", "Other", "What fits nowhere else", []],
];

/** Every category, each above those below it. Their slugs are unique in the whole tree. */
export const categories: readonly Category[] = tree.flatMap(([slug, title, description, below]) => [
  { slug, parent: null, title, description },
  ...below.map((line) => {
    const [name = "", of = "", about = ""] = line.split(": ");
    return { slug: name, parent: slug, title: of, description: about };
  }),
]);

const slugs = new Set(categories.map(({ slug }) => slug));

/**
 * Lets pass what a service may name as its category: one of the tree, on either level, or none.
 *
 * @throws ApiError `invalid_request` naming the allowed ones
 */
export function requireCategory(slug: string | null | undefined): void {
  if (slug === null || slug === undefined || slugs.has(slug)) return;
  throw refuseField("category", "enum", `category must be one of ${[...slugs].join(", ")}.`);
}

/** A category with all below it: what a filter by it lets through. */
export function withBelow(slug: string): string[] {
  return [slug, ...categories.filter(({ parent }) => parent === slug).map((child) => child.slug)];
}
