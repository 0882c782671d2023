// Reads one page of the agents that match a search.

import { type Database, preparedName } from "../../db/client.ts";
import { and, arrayContains, type SQL, sql } from "../../db/drizzle.ts";
import { agent, listedAgent } from "../../db/schema.ts";
import { agentSelection, presentAgent } from "../agents/agent.ts";
import { canonicalLanguage, normaliseSkill } from "../agents/capability-words.ts";
import { afterPosition, type Ordering, readCursor } from "../http/list-order.ts";
import {
  countRows,
  inlineLimits,
  numberRows,
  orderAndLimit,
  type PageLimits,
  type PageQuery,
  type PageSlice,
  readPage,
} from "../http/listing.ts";
import { type FigureQuery, figureConditions } from "./figure-filters.ts";
import { allOf, oneOf } from "./index-terms.ts";
import { mostRanked, preparedSearchName, searchOf, searchTermsOf } from "./search-words.ts";

export type AgentsQuery = PageQuery &
  FigureQuery & {
    q?: string | undefined;
    skill?: string | undefined;
    language?: string | undefined;
    verified?: string[] | undefined;
    sort?: "relevance" | "newest" | "most_completed" | "score" | undefined;
  };

/** The most agents of an index that are scanned for one page of matches. */
const mostScanned = 500;

const completed = { by: sql`candidate.completed`, type: "count" } as const;
const score = { by: sql`candidate.score`, type: "count" } as const;
const time = { by: sql`candidate.created_at`, type: "time" } as const;
const id = { by: sql`candidate.id`, type: "id" } as const;
/** The orders of agents. Equally relevant agents are ordered by their completed orders. */
const orderings = {
  relevance: [{ by: sql`candidate.rank`, type: "number" }, { ...completed, type: "number" }, id],
  newest: [time, id],
  most_completed: [completed, id],
  score: [score, completed, id],
} as const;

function orderingOf(name: keyof typeof orderings): Ordering {
  return { name, direction: "desc", keys: orderings[name] };
}

/** Reads a page of agents. The default order is by relevance with words, and newest first without. */
export function readAgentPage(db: Database, query: AgentsQuery) {
  const { q, sort = "relevance" } = query;
  const ordering = orderingOf(sort === "relevance" && !q ? "newest" : sort);
  const fits = fitsListed(query);
  const select = (page: SQL) =>
    db
      .select({ ...agentSelection, position: sql<string>`page.position` })
      .from(agent)
      .innerJoin(sql`(${page}) as page`, sql`page.id = ${agent.id}`)
      .orderBy(sql`page.place`);
  const shape = preparedSearchName(query);
  return readPage(ordering, query, {
    select: async (slice) => {
      if (ordering.name === "relevance" && q) {
        if (!shape) return select(pickRelevant(q, query, slice));
        const page = pickRelevant(q, query, slice, inlineLimits(slice));
        return select(page)
          .prepare(preparedName(db, `search_agents_${shape}`))
          .execute();
      }
      if (!fits) return select(cutPage(all, slice));
      // A scan cannot reach so deep a page.
      if (slice.offset + slice.limit > mostScanned) return select(cutPage(matching(fits), slice));
      const page = await select(scan(query, slice));
      // An incomplete page: matches are rare in this order, or there are no more.
      return page.length === slice.limit ? page : select(cutPage(matching(fits), slice));
    },
    count: () => countRows(db, listedAgent, fits),
    present: (row) => presentAgent(row),
  });
}

const isShown = sql`${agent.status} = 'published'`;

/** The condition of a matching listed agent: terms by their index, figures by the row. Undefined without filters. */
function fitsListed(query: AgentsQuery): SQL | undefined {
  const { q, skill, language, verified = [] } = query;
  const terms = [
    q && searchTermsOf(q),
    skill && oneOf([`k${normaliseSkill(skill)}`]),
    language && oneOf([`l${canonicalLanguage(language) ?? language}`]),
    ...verified.map((kind) => oneOf([`v${kind}`])),
  ].filter((term): term is SQL => Boolean(term));
  return and(
    // The subselect hides the terms from the planner, so that every term has the same plan.
    terms.length > 0
      ? sql`earnest.agent_terms(${listedAgent.agentId}) @@ (select ${allOf(terms)})`
      : undefined,
    figureConditions(listedAgent, query),
    q ? isVerbatim(q) : undefined,
  );
}

/** Checks phrases in the agent's text, because the index of terms finds the words of a phrase in any order. */
function isVerbatim(q: string): SQL {
  const requested = searchOf(q);
  return sql`((${requested})::text !~ '<' or (
    select ${agent.search} from ${agent} where ${agent.id} = ${listedAgent.agentId}) @@ ${requested})`;
}

/** The same condition on a row of `agent`. */
function fitsItself(query: AgentsQuery): SQL | undefined {
  const { q, skill, language, verified } = query;
  return and(
    figureConditions(agent, query),
    verified ? arrayContains(agent.verified, verified) : undefined,
    skill ? sql`(${agent.capabilities} -> 'skills') ? ${normaliseSkill(skill)}` : undefined,
    language
      ? sql`(${agent.capabilities} -> 'languages') ? ${canonicalLanguage(language) ?? language}`
      : undefined,
    q ? sql`${agent.search} @@ ${searchOf(q)}` : undefined,
  );
}

/** The source of all agents, for an order that has an index. */
const all = sql`(
  select ${agent.id} as id, ${agent.completedOrders} as completed, ${agent.createdAt} as created_at, ${agent.score} as score
  from ${agent} where ${isShown})`;

/** The source of all matching agents. */
function matching(fits: SQL): SQL {
  return sql`(
    select ${listedAgent.agentId} as id, ${listedAgent.completedOrders} as completed, ${listedAgent.createdAt} as created_at,
      ${listedAgent.score} as score
    from ${listedAgent} where ${fits} offset 0)`;
}

/** Cuts a page out of the candidates. Positions are computed for the rows of the page only. */
function cutPage(candidates: SQL, slice: PageLimits): SQL {
  return numberRows(sql`
    select candidate.id, ${slice.position} as position from (
      select candidate.* from ${candidates} as candidate where ${slice.after ?? sql`true`} ${orderAndLimit(slice)}) as candidate`);
}

/** Scans the index of an order until the page is full or enough agents were scanned. */
function scan(query: AgentsQuery, { position, after, order, limit, offset }: PageSlice): SQL {
  return numberRows(sql`
    select seen.id, seen.position from (
      select candidate.id, ${position} as position, candidate.fits from (
        select ${agent.id} as id, ${agent.completedOrders} as completed, ${agent.createdAt} as created_at,
          ${agent.score} as score, (${fitsItself(query)}) as fits
        from ${agent} where ${isShown}) as candidate
      where ${after ?? sql`true`} order by ${sql.join(order, sql`, `)} limit ${mostScanned}) as seen
    where seen.fits limit ${limit} offset ${offset}`);
}

/** The order of matches without a rank: by completed orders. */
const unranked: Ordering = { name: "most_completed", direction: "desc", keys: orderings.relevance.slice(1) };

/** Ranks the matches with the most completed orders, however many match. The other matches follow, as far as the page needs. */
function pickRelevant(q: string, query: AgentsQuery, slice: PageSlice, page: PageLimits = slice): SQL {
  const fits = fitsListed(query) ?? sql`true`;
  const rest = restOf(query, slice);
  const others = sql`
    union all (
      select candidate.id, candidate.completed, 0 from ${matching(fits)} as candidate
      where (candidate.completed, candidate.id) < (
        select best.completed, best.id from best order by best.completed desc, best.id desc offset ${mostRanked - 1})
      and ${rest?.condition ?? sql`true`}
      order by candidate.completed desc, candidate.id desc limit ${rest?.most})`;
  // Ranks are in millionths, because a cursor holds whole numbers.
  const candidates = sql`(
    select ${agent.id} as id, ${agent.completedOrders} as completed,
      1 + (ts_rank(${agent.search}, ${searchOf(q)}) * 1000000)::int as rank
    from ${agent} where ${agent.id} = any(array(select best.id from best))
    ${rest ? others : sql``})`;
  return sql`
    with best as materialized (
      select candidate.id, candidate.completed from ${matching(fits)} as candidate
      order by candidate.completed desc, candidate.id desc limit ${mostRanked})
    ${cutPage(candidates, page)}`;
}

/** The part of a page without ranks: null while the ranked matches fill the page. */
function restOf({ cursor }: PageQuery, { offset, limit }: PageSlice) {
  const most = offset + limit;
  if (cursor === undefined) return most > mostRanked ? { condition: undefined, most } : null;
  const [rank, ...position] = readCursor(orderingOf("relevance"), cursor);
  return { condition: rank === "0" ? afterPosition(unranked, position) : undefined, most };
}
