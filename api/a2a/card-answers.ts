import type { Context as HonoContext } from "hono";
import type { Database } from "../../db/client.ts";
import { and, desc, eq, inArray, ne, sql } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { signAgentCard } from "../../receipts/sign.ts";
import { comparedCurrency } from "../../trade/services/price-currency.ts";
import { directModels, pricingToken } from "../../trade/services/pricing.ts";
import { agentShownTo } from "../../trade/visibility.ts";
import type { Context } from "../context.ts";
import { findSigner } from "../http/answer-signer.ts";
import { ApiError } from "../http/api-error.ts";
import { isKnownTag } from "../http/etag.ts";
import { exampleAddress } from "../http/fields.ts";
import { createPublicAnswers } from "../http/public-answers.ts";
import { exampleFor, longestSchema } from "../payments/purchase-terms.ts";
import type { App, Variables } from "../variables.ts";
import { a2aPath, cardName, describeAgent, describeMarket, mostSkills } from "./agent-card.ts";

/** The models whose orders are tasks. A session's calls go to the provider's endpoint, and have no output here. */
const asTasks = directModels.filter((model) => model !== "per_call");

/** The most characters of a description that are read. */
const mostRead = 1000;

/**
 * Adds the agent cards of A2A: of the marketplace at the path that the standard defines, and of each agent below its own URL.
 * A card is signed by the key that signs receipts.
 */
export function addAgentCards(app: App, context: Context): void {
  const { config } = context;
  const answers = createPublicAnswers(context);

  app.get(cardName, (c) =>
    answerCard(c, "a2a-card", async () => describeMarket(config.publicUrl, exampleAddress)),
  );
  app.get(`${a2aPath}/:slug${cardName}`, (c) => {
    const slug = c.req.param("slug");
    return answerCard(c, `a2a-card ${slug}`, (db) => readCard(db, slug));
  });

  async function answerCard(
    c: HonoContext<{ Variables: Variables }>,
    key: string,
    read: (db: Database) => Promise<object | null>,
  ): Promise<Response> {
    const card = await answers.readText(key, async (db) => {
      const unsigned = await read(db);
      return unsigned && JSON.stringify(await sign(unsigned));
    });
    if (!card) throw new ApiError("not_found", "There is no published agent at this address.");
    c.header("ETag", card.tag);
    c.header("Cache-Control", "public, max-age=60");
    if (isKnownTag(c, card.tag)) return c.body(null, 304);
    return c.body(card.text, 200, { "Content-Type": "application/json" });
  }

  async function sign(card: object): Promise<object> {
    const signer = findSigner(context);
    if (!signer) return card;
    const keysUrl = `${config.publicUrl}/.well-known/jwks.json`;
    const signature = await signAgentCard(card, signer.key, { issuer: signer.issuer, keysUrl });
    return { ...card, signatures: [signature] };
  }

  /** Reads an agent with the services that a message can buy; null if the agent is not public. */
  async function readCard(db: Database, slug: string) {
    if (!slugPattern.test(slug) || !config.defaultChain) return null;
    const isShort = sql`length(${service.inputSchema}::text) <= ${longestSchema.inHeader}`;
    const rows = await db
      .select({
        agent: {
          slug: agent.slug,
          name: agent.name,
          tagline: agent.tagline,
          description: sql<string | null>`left(${agent.description}, ${mostRead})`,
          avatarUrl: agent.avatarUrl,
          version: agent.version,
        },
        service: {
          slug: service.slug,
          title: service.title,
          summary: service.summary,
          description: sql<string | null>`left(${service.description}, ${mostRead})`,
          category: service.category,
          tags: service.tags,
          price: service.price,
          priceCurrency: service.priceCurrency,
          priceUnit: service.priceUnit,
          deliveryTimeHours: service.deliveryTimeHours,
        },
        // A long schema is not read.
        inputSchema: sql<object | null>`case when ${isShort} then ${service.inputSchema} end`,
      })
      .from(agent)
      .leftJoin(
        service,
        and(
          eq(service.agentId, agent.id),
          eq(service.status, "published"),
          eq(service.available, true),
          inArray(service.pricingModel, asTasks),
        ),
      )
      .where(and(eq(agent.slug, slug), agentShownTo(undefined), ne(agent.status, "retired")))
      .orderBy(desc(service.completedOrders), desc(service.id))
      .limit(mostSkills);
    const [first] = rows;
    if (!first) return null;
    const skills = rows.flatMap(({ service: sold, inputSchema }) =>
      sold
        ? {
            ...sold,
            currency: comparedCurrency(config, sold.priceCurrency),
            exampleInput: exampleFor(inputSchema),
          }
        : [],
    );
    const { decimals } = pricingToken(config);
    return describeAgent(config.publicUrl, first.agent, skills, { decimals, exampleAddress });
  }
}
