import * as z from "zod";
import { parseJson } from "../../receipts/json.ts";
import { type ServedChain, servedChainsAnswer } from "../settlement/served-chains.ts";
import { slugPattern } from "../settlement/shapes.ts";
import { mostOfWallet, recordSchema } from "./agent-record.ts";
import { type Counterparty, counterpartySchema, type Outcome, outcomeSchema } from "./public-outcome.ts";
import { scoreSchema } from "./score.ts";

const claimed = { score: scoreSchema, ...recordSchema.shape };

/** The recomputed part of the answer of `GET /agents/{slug}/record`. */
const recordAnswer = z.looseObject({
  as_of: z.iso.datetime({ offset: true }),
  ...claimed,
  services: z.array(z.looseObject({ slug: z.string(), ...claimed })).default([]),
  same_wallet: z
    .array(z.string().regex(slugPattern))
    .max(mostOfWallet)
    .default([])
    .describe("other agents with one of the agent's payout wallets"),
});
export type ClaimedRecord = z.infer<typeof recordAnswer>;

const agentAnswer = z.looseObject({ payout_wallet: z.string().nullable() });

/** The public data of an agent as of one time. */
export type PublicRecord = {
  record: ClaimedRecord;
  outcomes: Outcome[];
  counterparties: Counterparty[];
  /** the signed statement as served; null without one */
  statement: unknown;
  /** the agent's payout wallet, and the installation's chains with their contracts, for agents without outcomes */
  payoutWallet: string | null;
  chains: ServedChain[];
};

/** Thrown if an installation gives no valid response. */
export class Unreadable extends Error {
  override name = "Unreadable";
  /** the status, if it is not 200; null for another fault */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** The bounds of one response; `pages` and `lines` bound one list. */
const pageSize = 100;
const bounds = { answer: 20_000, tries: 4, refusals: 60, pages: 20_000, lines: 500_000, bytes: 8_000_000 };

/** The most characters of a reported reason. */
const mostOfReason = 500;

/** Reads the public data of an installation, with bounds on time and size. */
export class Installation {
  /** as in `https://earnest.example/api/v1` */
  readonly api: string;

  constructor(api: string) {
    this.api = api;
  }

  /** Reads a record with its lines. Reads again if the record was recomputed meanwhile. */
  async readRecord(slug: string): Promise<PublicRecord> {
    for (let round = 0; round < bounds.tries; round++) {
      const record = await this.read(`/agents/${slug}/record`, recordAnswer);
      const outcomes = await this.readOutcomes(slug);
      const counterparties = await this.readAll(`/agents/${slug}/record/counterparties`, counterpartySchema);
      const statement = await this.readStatement(slug);
      const { payout_wallet: payoutWallet } = await this.read(`/agents/${slug}`, agentAnswer);
      const { items: chains } = await this.read("/chains", servedChainsAnswer);
      const again = await this.read(`/agents/${slug}/record`, recordAnswer);
      if (again.as_of === record.as_of) {
        return { record, outcomes, counterparties, statement, payoutWallet, chains };
      }
    }
    throw new Unreadable(`The record of ${slug} was recomputed during each read. Try again.`);
  }

  readOutcomes(slug: string): Promise<Outcome[]> {
    return this.readAll(`/agents/${slug}/record/outcomes`, outcomeSchema);
  }

  /** Reads the outcomes of agents, one agent after the other. `isWhole` is false if the limit omitted some. */
  async readOutcomesOf(
    slugs: readonly string[],
    most = bounds.lines,
  ): Promise<{ outcomes: Outcome[]; isWhole: boolean }> {
    const outcomes: Outcome[] = [];
    for (const slug of slugs) {
      if (outcomes.length >= most) return { outcomes, isWhole: false };
      for (const outcome of await this.readOutcomes(slug)) outcomes.push(outcome);
    }
    return { outcomes, isWhole: true };
  }

  /** Reads the signed statement of the record; null if there is none. */
  private async readStatement(slug: string): Promise<unknown> {
    try {
      return await this.read(`/agents/${slug}/record/statement`, z.record(z.string(), z.unknown()));
    } catch (error) {
      if (error instanceof Unreadable && error.status === 404) return null;
      throw error;
    }
  }

  /** Reads all items of a list, page by page. */
  private async readAll<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const page = z.object({
      items: z.array(item).max(pageSize),
      next_cursor: z.string().max(1000).nullable(),
    });
    const items: T[] = [];
    let cursor: string | null = null;
    for (let count = 0; count < bounds.pages; count++) {
      const query = new URLSearchParams({ limit: String(pageSize), ...(cursor === null ? {} : { cursor }) });
      const read: z.infer<typeof page> = await this.read(`${path}?${query}`, page);
      items.push(...read.items);
      if (items.length > bounds.lines) throw new Unreadable(`${path} has more than ${bounds.lines} lines.`);
      cursor = read.next_cursor;
      if (cursor === null) return items;
    }
    throw new Unreadable(`${path} has more than ${bounds.pages} pages.`);
  }

  /** Reads the answer of a path. Waits if the service asks for it; throws `Unreadable`. */
  async read<T>(path: string, shape: z.ZodType<T>): Promise<T> {
    const url = this.api + path;
    let reason = "";
    let status: number | null = null;
    for (let [tries, refusals] = [0, 0]; tries < bounds.tries && refusals < bounds.refusals; ) {
      try {
        const response = await fetch(url, {
          redirect: "manual",
          headers: { accept: "application/json" },
          signal: AbortSignal.timeout(bounds.answer),
        });
        const text = await readBounded(response);
        if (response.status === 200) return parse(url, text, shape);
        status = response.status;
        reason = `the status is ${status}`;
        if (response.status < 500 && response.status !== 429) break;
        if (response.status === 429) refusals++;
        else tries++;
        const seconds = Number(response.headers.get("retry-after")) || 1;
        await pause(1000 * Math.min(seconds, 120));
      } catch (error) {
        if (error instanceof Unreadable) throw error;
        reason = error instanceof Error ? error.message : String(error);
        await pause(125 * 2 ** ++tries);
      }
    }
    throw new Unreadable(`${url} could not be read: ${reason}.`, status);
  }
}

function parse<T>(url: string, text: string, shape: z.ZodType<T>): T {
  try {
    return shape.parse(parseJson(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Unreadable(`${url} has an invalid response: ${why.slice(0, mostOfReason)}`);
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength;
    if (size > bounds.bytes)
      throw new Unreadable(`The response of ${response.url} exceeds ${bounds.bytes} bytes.`);
    text += decoder.decode(chunk.value, { stream: true });
  }
  return text + decoder.decode();
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
