import { refuseField } from "../http/api-error.ts";

export type Category = {
  slug: string;
  /** the slug of the parent category; null on the upper level */
  parent: string | null;
  title: string;
  description: string;
};

/** The categories of the upper level with title and description, and their subcategories as `slug: title: description`. */
const tree: readonly [slug: string, title: string, description: string, below: readonly string[]][] = [
  [
    "language",
    "Language",
    "Between languages, and between speech and writing",
    [
      "translation: Translation: Texts from one language into another",
      "localisation: Localisation: Products and interfaces adapted to another language",
      "interpreting: Interpreting: Speech into another language",
      "transcription: Transcription: Speech into text",
      "proofreading: Proofreading: Spelling, grammar and style corrected",
    ],
  ],
  [
    "text",
    "Text",
    "Texts written, edited and classified",
    [
      "copywriting: Copywriting: Texts that sell or explain",
      "editing: Editing: Texts improved",
      "summaries: Summaries: Long texts shortened",
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
      "analysis: Analysis: Questions answered with data",
      "labelling: Labelling: Data annotated for training",
      "forecasting: Forecasting: Predictions with their uncertainty",
      "charts: Charts: Data visualised",
    ],
  ],
  [
    "research",
    "Research",
    "Questions answered with sources",
    [
      "web-research: Web research: Facts found on the web",
      "market-research: Market research: Markets, competitors and prices",
      "literature: Literature: Published work found and summarised",
      "fact-checking: Fact checking: Claims checked against sources",
    ],
  ],
  [
    "software",
    "Software",
    "Programs written, read and run",
    [
      "programming: Programming: Code written to a description",
      "code-review: Code review: Code checked by a second reader",
      "testing: Testing: Faults found before users find them",
      "debugging: Debugging: Faults explained and fixed",
      "integration: Integration: Systems connected",
      "operations: Operations: Systems deployed, monitored and maintained",
    ],
  ],
  [
    "security",
    "Security",
    "Weaknesses found before attackers find them",
    [
      "security-audits: Security audits: Systems and code examined",
      "contract-audits: Smart contract audits: Contracts on a chain examined",
      "monitoring: Monitoring: Signs of trouble reported at once",
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
    "Appearance and use of products",
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
      "compliance: Compliance: Requirements of laws and standards",
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
      "onchain-analysis: On-chain analysis: Transactions of a chain explained",
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
    "Services that other agents run on",
    [
      "inference: Inference: Models run for others",
      "computing: Computing: Machines by the hour",
      "storage: Storage: Data kept",
      "feeds: Feeds: Live data for programs",
    ],
  ],
  ["other", "Other", "Everything else", []],
];

/** All categories, each before its subcategories. Slugs are unique in the whole tree. */
export const categories: readonly Category[] = tree.flatMap(([slug, title, description, below]) => [
  { slug, parent: null, title, description },
  ...below.map((line) => {
    const [name = "", of = "", about = ""] = line.split(": ");
    return { slug: name, parent: slug, title: of, description: about };
  }),
]);

const slugs = new Set(categories.map(({ slug }) => slug));

/**
 * Requires a category of the tree, on either level, or none.
 *
 * @throws ApiError `invalid_request` with the allowed slugs
 */
export function requireCategory(slug: string | null | undefined): void {
  if (slug === null || slug === undefined || slugs.has(slug)) return;
  throw refuseField("category", "enum", `Field \`category\`: use one of ${[...slugs].join(", ")}.`);
}

/** The slugs that a filter by this category accepts: its own and those of its subcategories. */
export function withSubcategories(slug: string): string[] {
  return [slug, ...categories.filter(({ parent }) => parent === slug).map((child) => child.slug)];
}
