import { oneLine, showHidden } from "../../protocol/json/text.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";

/** The path of A2A, below the public URL: of the marketplace itself, and of each agent below it. */
export const a2aPath = "/a2a";

/** The name below an agent's URL at which A2A clients look for the card. */
export const cardName = "/.well-known/agent-card.json";

/** The version of A2A in the header `A2A-Version` and in cards. */
export const a2aVersion = "1.0";

/** The extension of A2A by which tasks are paid. */
export const x402Extension = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

/** The most skills of a card. The services with the most completed orders are listed. */
export const mostSkills = 50;

/** The most characters of texts of others in a card. */
const longest = { name: 120, description: 600, tags: 10 };

const json = "application/json";

/** A service as a card lists it. The price is of one unit, in base units. */
export type Skill = {
  slug: string;
  title: string;
  summary: string | null;
  description: string | null;
  category: string | null;
  tags: string[];
  price: bigint;
  currency: string;
  priceUnit: string | null;
  deliveryTimeHours: number;
  exampleInput: unknown;
};

/** An agent as its card shows it. */
export type CardAgent = {
  slug: string;
  name: string;
  tagline: string | null;
  description: string | null;
  avatarUrl: string | null;
  version: number;
};

/**
 * Writes the card of an agent that sells services, without its signature. The card has no empty member, because verifiers
 * remove empty members.
 */
export function describeAgent(
  publicUrl: string,
  agent: CardAgent,
  skills: Skill[],
  { decimals, exampleAddress }: { decimals: number; exampleAddress: string },
) {
  const about = agent.description || agent.tagline || agent.name;
  const services = `${publicUrl}${apiPath}/agents/${agent.slug}/services`;
  return {
    name: oneLine(agent.name, longest.name),
    description: oneLine(about, longest.description) || agent.slug,
    ...interfaceOf(`${publicUrl}${a2aPath}/${agent.slug}`),
    provider: { organization: "Earnest", url: publicUrl },
    version: String(agent.version),
    documentationUrl: `${publicUrl}/agents/${agent.slug}`,
    ...(agent.avatarUrl ? { iconUrl: agent.avatarUrl } : {}),
    ...abilities(publicUrl),
    ...(skills.length > 0
      ? { skills: skills.map((skill) => describeSkill(skill, { services, decimals, exampleAddress })) }
      : {}),
  };
}

/** Writes the card of the marketplace, which finds and buys services of all agents. */
export function describeMarket(publicUrl: string, exampleAddress: string) {
  const example = {
    agent: "translator",
    service: "contract-translation",
    input_payload: { text: "Good day" },
  };
  return {
    name: "Earnest",
    description:
      "A marketplace of agents' services. An escrow contract holds each payment until the buyer accepts the delivery.",
    ...interfaceOf(`${publicUrl}${a2aPath}`),
    provider: { organization: "Earnest", url: publicUrl },
    version: "1",
    documentationUrl: `${publicUrl}/docs`,
    ...abilities(publicUrl),
    skills: [
      {
        id: "find-services",
        name: "Find services",
        description:
          "Send a text of search words. The message that answers has a data part with up to ten services, each with the URL of its agent.",
        tags: ["search", "marketplace"],
        examples: ["translate contracts"],
        inputModes: ["text/plain"],
      },
      {
        id: "buy-service",
        name: "Buy a service",
        description:
          "Send a data part with `agent`, `service`, `input_payload` and `buyer_address`. The task asks for an x402 payment, and has the output as its artifact.",
        tags: ["purchase", "x402", "escrow"],
        examples: [JSON.stringify({ ...example, buyer_address: exampleAddress })],
      },
    ],
  };
}

function describeSkill(
  skill: Skill,
  { services, decimals, exampleAddress }: { services: string; decimals: number; exampleAddress: string },
) {
  const about = oneLine(skill.summary || skill.description || skill.title, longest.description);
  const schemas = `Input and output schemas: ${services}/${skill.slug}`;
  const unit = skill.priceUnit === null ? "" : ` for each ${oneLine(skill.priceUnit, longest.name)}`;
  const price = `${formatAmount(skill.price, decimals)} ${skill.currency}${unit}`;
  const example = {
    service: skill.slug,
    input_payload: skill.exampleInput,
    buyer_address: exampleAddress,
  };
  return {
    id: skill.slug,
    name: oneLine(skill.title, longest.name) || skill.slug,
    description: `${about} Price: ${price}. Delivery within ${skill.deliveryTimeHours} hours. ${schemas}`,
    tags: skill.tags.length > 0 ? skill.tags.slice(0, longest.tags) : [skill.category ?? "service"],
    examples: [showHidden(JSON.stringify(example))],
  };
}

const interfaceOf = (url: string) => ({
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: a2aVersion }],
});

const abilities = (publicUrl: string) => ({
  capabilities: {
    streaming: false,
    pushNotifications: false,
    extendedAgentCard: false,
    extensions: [
      { uri: x402Extension, description: "Pays a task by x402 version 2, in the metadata of messages." },
    ],
  },
  // A purchase without an account needs none of them. Its answer has the token that reads the task.
  securitySchemes: {
    bearer: {
      httpAuthSecurityScheme: {
        scheme: "Bearer",
        description: `The claim token of a purchase, or an API key of ${publicUrl}/keys.`,
      },
    },
    apiKey: {
      apiKeySecurityScheme: {
        location: "header",
        name: "X-API-Key",
        description: `An API key of ${publicUrl}/keys.`,
      },
    },
  },
  defaultInputModes: [json],
  defaultOutputModes: [json],
});
