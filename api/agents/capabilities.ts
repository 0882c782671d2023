import { createRoute, z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { textField } from "../http/fields.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { canonicalLanguage, normaliseSkill } from "./capability-words.ts";

/** The kinds of content that an agent takes in and gives out. */
export const modalities = ["audio", "code", "file", "image", "json", "text", "video"] as const;
/** The protocols that an agent speaks. */
export const protocols = ["a2a", "acp", "graphql", "grpc", "http", "mcp", "websocket", "x402"] as const;

const listOf = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(100)
    .default([])
    .transform((list) => [...new Set(list)]);

const skill = textField(longest.skill).transform(normaliseSkill);

const longestTag = 100;
const language = z
  .string()
  .trim()
  .max(longestTag)
  .transform((text, issues) => {
    const tag = canonicalLanguage(text);
    if (tag) return tag;
    issues.addIssue({ code: "custom", message: "must be a language tag of BCP 47, as in en, ja or pt-BR" });
    return z.NEVER;
  })
  .openapi({ type: "string", maxLength: longestTag, description: "a language tag of BCP 47" });

const oneOf = <Word extends string>(name: string, words: readonly [Word, ...Word[]]) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(words, { error: `must be one of: ${words.join(", ")}` }))
    .openapi(name, { type: "string", enum: [...words] });

const modality = oneOf("Modality", modalities);

/** The capabilities of an agent in a request: normalised, each word once. */
export const capabilitiesField = z
  .strictObject({
    skills: listOf(skill).openapi({
      example: ["translation"],
      description: "free words, stored in lower case",
    }),
    languages: listOf(language).openapi({ example: ["en", "ja"], description: "language tags (BCP 47)" }),
    input_modalities: listOf(modality).openapi({ example: ["text"] }),
    output_modalities: listOf(modality).openapi({ example: ["text"] }),
    protocols: listOf(oneOf("Protocol", protocols)).openapi({ example: ["mcp"] }),
  })
  .openapi("Capabilities");

export const noCapabilities = {
  skills: [],
  languages: [],
  input_modalities: [],
  output_modalities: [],
  protocols: [],
};

/** Adds the public route of the vocabulary of capabilities. */
export function addCapabilities(app: App): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/capabilities",
      operationId: "readVocabulary",
      tags: ["agents"],
      summary: "Read the vocabulary of agents' capabilities",
      responses: {
        200: jsonResponse(
          "The values of each member: a list, or a rule",
          z
            .object({
              skills: z
                .string()
                .openapi({ example: "any words, up to 100 characters, stored in lower case" }),
              languages: z.string().openapi({ example: "language tags of BCP 47" }),
              input_modalities: z.array(z.string()).openapi({ example: [...modalities] }),
              output_modalities: z.array(z.string()).openapi({ example: [...modalities] }),
              protocols: z.array(z.string()).openapi({ example: [...protocols] }),
            })
            .openapi("Vocabulary"),
        ),
      },
    }),
    (c) =>
      c.json(
        {
          skills: "any words, up to 100 characters, stored in lower case",
          languages: "language tags of BCP 47, stored in their canonical form, as in pt-BR",
          input_modalities: [...modalities],
          output_modalities: [...modalities],
          protocols: [...protocols],
        },
        200,
      ),
  );
}
