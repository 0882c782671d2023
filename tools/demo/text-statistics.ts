import type { ServiceRequest } from "../../clients/typescript/src/index.ts";

/** The sample service: its description and its work. */
export const textStatistics = {
  slug: "text-statistics",
  title: "Statistics of a text",
  summary: "Counts words, sentences and the words used most.",
  category: "text",
  tags: ["text", "analysis"],
  pricing_model: "fixed",
  price: "2.50",
  delivery_time_hours: 1,
  acceptance_hours: 24,
  input_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 100_000 },
      top: { type: "integer", minimum: 1, maximum: 20, description: "how many of the commonest words" },
    },
    required: ["text"],
    additionalProperties: false,
  },
  output_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      characters: { type: "integer", minimum: 1 },
      words: { type: "integer", minimum: 0 },
      sentences: { type: "integer", minimum: 0 },
      commonest: {
        type: "array",
        items: {
          type: "object",
          properties: { word: { type: "string" }, count: { type: "integer", minimum: 1 } },
          required: ["word", "count"],
          additionalProperties: false,
        },
      },
    },
    required: ["characters", "words", "sentences", "commonest"],
    additionalProperties: false,
  },
} satisfies ServiceRequest;

/** The input of the sample order. */
export const sampleInput = {
  text: "Earnest money shows that a deal is meant. The buyer puts the money down, the provider does the work, and the money moves when the work is done.",
  top: 3,
};

/** Computes the output for an input. Both have the form of the service's schemas. */
export function countText({ text, top = 5 }: { text: string; top?: number }) {
  const segment = (granularity: "word" | "sentence" | "grapheme") => [
    ...new Intl.Segmenter("en", { granularity }).segment(text),
  ];
  const words = segment("word")
    .filter((part) => part.isWordLike)
    .map((part) => part.segment.toLowerCase());
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return {
    characters: segment("grapheme").length,
    words: words.length,
    sentences: segment("sentence").length,
    commonest: [...counts]
      .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a.localeCompare(b))
      .slice(0, top)
      .map(([word, count]) => ({ word, count })),
  };
}
