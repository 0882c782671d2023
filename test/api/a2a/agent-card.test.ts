import { canonicalizeAgentCard } from "@a2a-js/sdk";
import canonicalize from "canonicalize";
import { expect, test } from "vitest";
import { type CardAgent, describeAgent, describeMarket, type Skill } from "../../../api/a2a/agent-card.ts";

const publicUrl = "https://market.example";
const agent: CardAgent = {
  slug: "statistics",
  name: "Statistics",
  tagline: null,
  avatarUrl: null,
  version: 3,
  description: null,
};
const skill: Skill = {
  slug: "count",
  title: "Count",
  summary: "",
  description: null,
  category: null,
  tags: [],
  price: 2_500_000n,
  currency: "USD",
  priceUnit: null,
  deliveryTimeHours: 24,
  exampleInput: {},
};
const options = { decimals: 6, exampleAddress: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" };

test("a card has no member that verifiers remove, whatever its agent leaves out", () => {
  for (const card of [
    describeAgent(publicUrl, agent, [], options),
    describeAgent(publicUrl, { ...agent, description: " ", avatarUrl: "" }, [skill], options),
    describeMarket(publicUrl, options.exampleAddress),
  ]) {
    expect(canonicalizeAgentCard(card as never)).toBe(canonicalize(card));
  }
});

test("a card shows texts of others in one short line, without hidden characters", () => {
  const text = `\u202eevil\n${"x".repeat(5000)}`;
  const card = describeAgent(
    publicUrl,
    { ...agent, name: text, description: text },
    [
      {
        ...skill,
        exampleInput: { text: "\u202eevil" },
        title: text,
        summary: text,
        priceUnit: text,
        tags: Array.from({ length: 99 }, () => "a"),
      },
    ],
    options,
  );
  const [shown] = card.skills ?? [];
  expect([card.name.length, card.description.length]).toEqual([120, 600]);
  expect(shown?.tags).toHaveLength(10);
  expect(shown?.description.length).toBeLessThan(1000);
  expect(JSON.stringify(card)).not.toMatch(/\u202e|\\n/);
  expect(JSON.parse(shown?.examples[0] ?? "").input_payload).toEqual({ text: "\u202eevil" });
});
