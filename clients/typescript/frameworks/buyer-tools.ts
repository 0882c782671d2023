import { z } from "zod";
import { digestOf } from "../../../protocol/settlement/index.ts";
import { explainFailure } from "../mcp/failure.ts";
import { showOrder } from "../mcp/order-view.ts";
import { showService, userText } from "../mcp/service-view.ts";
import { RefusedCall } from "../mcp/tool-context.ts";
import { amount, orderId, slug } from "../mcp/tool-schemas.ts";
import { markUntrusted, writeText } from "../mcp/untrusted-text.ts";
import type {
  Earnest,
  HeldToken,
  Known,
  Nodes,
  Order,
  OrderWallet,
  Progress,
  Purchase,
  WaitingStage,
} from "../src/index.ts";
import { Spending } from "./spending.ts";

export interface BuyerOptions extends Omit<Known, "tokens"> {
  /** A client with a key of the buyer: `orders:read`, `orders:write`, and `webhooks:read` for shorter waits. */
  earnest: Earnest;
  /** The wallet of the buyer's account. The model never sees it. */
  wallet: OrderWallet;
  /** A viem public client, for a wallet that is only an account. */
  node?: Nodes;
  /** The most to pay for one order, a decimal of the order's token such as `"3.00"`. The model cannot raise it. */
  maxPerPurchase: string;
  /** The most to pay in all through these tools. */
  maxTotal: string;
  /** The tokens that you hold. Default: the known token of the service's chain. */
  payWith?: Omit<HeldToken, "maxAmount"> | readonly Omit<HeldToken, "maxAmount">[];
  /** The trusted issuer of receipts. Default: the service of the client. */
  issuer?: string;
}

/** A tool as every framework takes it: its input's JSON schema, and a function that never throws. */
export interface BuyerTool {
  name: "search" | "buy" | "follow";
  description: string;
  parameters: Record<string, unknown>;
  run(input: unknown, signal?: AbortSignal): Promise<string>;
}

const inputs = {
  search: z.strictObject({
    query: z.string().max(200).optional().describe("Search words."),
    max_price: amount.optional().describe('The maximum price, as text such as "3.00".'),
    limit: z.int().min(1).max(5).default(3),
  }),
  buy: z.strictObject({
    agent: slug.describe("The agent's slug, from search."),
    service: slug.describe("The service's slug, from search."),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .default(null)
      .describe("Matches the service's input_schema. null if it has none."),
    purchase: z
      .string()
      .max(100)
      .optional()
      .describe("Omit it. Only to buy the same again: a new name for the further purchase."),
  }),
  follow: z.strictObject({
    order_id: orderId,
    decision: z.enum(["accept", "request_changes", "dispute"]).optional(),
    delivery: z
      .string()
      .max(40)
      .optional()
      .describe("With a decision: the mark of the delivery that you read, from the result of follow."),
    reason: z.string().min(1).max(2000).optional().describe("What is wrong, for changes and a dispute."),
    wait_seconds: z.int().min(1).max(600).default(60),
  }),
};

const descriptions: Record<BuyerTool["name"], string> = {
  search:
    "Finds services that agents sell on the Earnest market, with price, delivery time and the schema of their input.",
  buy: "Buys a service: pays into an escrow within the owner's limits, and returns the order. An equal call is the same purchase and pays nothing more, so repeat it after an error. Then call follow.",
  follow:
    "Waits for an order's delivery and returns the output. Compare it with the task, then call follow again with a decision and the delivery's mark: accept pays the provider permanently, request_changes is possible once, dispute calls the arbiter.",
};

/** Creates the tools of a buyer. The limits hold for all calls of these tools together. */
export function createBuyerTools(options: BuyerOptions): BuyerTool[] {
  const { earnest, maxPerPurchase, maxTotal, payWith, ...known } = options;
  const spending = new Spending(maxTotal);
  const held = payWith && [payWith].flat().map((token) => ({ ...token, maxAmount: maxPerPurchase }));
  const paying = { ...known, maxAmount: maxPerPurchase, ...(held && { payWith: held }) };
  /** The orders of these tools by the caller's words. An equal purchase stays the same one after its end. */
  const bought = new Map<string, string>();
  /** The marks of the deliveries that were shown. A model that knows the mark has the output before it. */
  const shown = new Map<string, string>();

  async function search({ query, max_price, limit }: z.output<typeof inputs.search>, signal?: AbortSignal) {
    const found = await earnest.marketplace.searchServices({ q: query, max_price, limit }, { signal });
    const services = await Promise.all(
      found.items.map(async (service) => {
        const { input_schema, output_schema } = await earnest.services.get(service.agent.slug, service.slug, {
          signal,
        });
        const text = { ...userText(service), input_schema, output_schema };
        return { ...showService(service), untrusted: markUntrusted(text) };
      }),
    );
    return writeText(`Services found: ${services.length}.`, { services });
  }

  async function buy(given: z.output<typeof inputs.buy>, signal?: AbortSignal) {
    const { agent, service, input, purchase } = given;
    const words = digestOf([agent, service, input, purchase ?? null]);
    const onProgress = (progress: Progress) => {
      if (progress.step !== "agreed") return;
      spending.book(progress.agreed);
      bought.set(words, progress.order.id);
    };
    const how = { ...paying, signal, onProgress };
    const key = purchase === undefined ? {} : { key: `tools-${words.slice(2, 50)}` };
    const earlier = bought.get(words);
    const { order } = earlier
      ? await earnest.resume(earlier, how)
      : await earnest.buy(await earnest.services.get(agent, service, { signal }), input, { ...how, ...key });
    return writeOrder(`${order.id} is ${order.status}. Call follow to wait for its delivery.`, order);
  }

  async function follow(given: z.output<typeof inputs.follow>, caller?: AbortSignal) {
    const { order_id, decision, wait_seconds } = given;
    const end = AbortSignal.timeout(wait_seconds * 1000);
    const signal = caller ? AbortSignal.any([caller, end]) : end;
    const onProgress = ({ step, ...progress }: Progress) => {
      if (step !== "agreed" || !("order" in progress) || progress.order.status !== "created") return;
      throw new RefusedCall("invalid_state", `${order_id} is not paid. Repeat the call of buy.`);
    };
    try {
      const purchase = await earnest.resume(order_id, { ...paying, signal, onProgress });
      const { output, outputHash, note, stage, order } = await purchase.delivery({ signal });
      const name = `${order_id} ${stage?.number} ${outputHash}`;
      const mark = shown.get(name);
      // No delivery is accepted unread, also not by calls of one step, which a model writes before any result.
      if (decision && mark !== undefined && given.delivery === mark)
        return await decide(purchase, { ...given, decision }, stage, signal);
      const deliveryMark = mark ?? crypto.randomUUID().slice(0, 8);
      shown.set(name, deliveryMark);
      const next = `Compare the output with the task, then call follow with a decision and the delivery ${deliveryMark}.`;
      return writeOrder(`${describe(order)} ${next}`, order, { output, note });
    } catch (error) {
      if (!end.aborted || caller?.aborted) throw error;
      const order = await earnest.orders.get(order_id, { signal: caller });
      return writeOrder(`${describe(order)} Repeat the call of follow.`, order);
    }
  }

  const runs = { search, buy, follow };
  return (["search", "buy", "follow"] as const).map((name) => ({
    name,
    description: descriptions[name],
    parameters: parametersOf(inputs[name]),
    async run(given, signal) {
      try {
        const read = inputs[name].safeParse(given ?? {});
        if (!read.success) throw new RefusedCall("invalid_arguments", z.prettifyError(read.error));
        return await runs[name](read.data as never, signal);
      } catch (error) {
        return explainFailure(error).text;
      }
    },
  }));
}

/** Accepts a delivery, or its stage; or asks for changes; or opens a dispute. */
async function decide(
  purchase: Purchase,
  { decision, reason }: { decision: Decision; reason?: string | undefined },
  stage: WaitingStage | null,
  signal: AbortSignal,
): Promise<string> {
  if (decision !== "accept") {
    if (reason === undefined) throw new RefusedCall("invalid_arguments", "Give the `reason`.");
    const act =
      decision === "dispute" ? purchase.dispute(reason, { signal }) : purchase.requestChanges(reason);
    const order = await act;
    return writeOrder(describe(order), order);
  }
  if (stage && !stage.isFinal) {
    const order = await purchase.acceptStage(stage.number, { signal });
    return writeOrder(`Stage ${stage.number} is paid. Call follow to wait for the next one.`, order);
  }
  const { claim } = await purchase.accept({ signal });
  return writeOrder(`${describe(purchase.order)} Its receipt is verified: ${claim}.`, purchase.order);
}

type Decision = NonNullable<z.output<typeof inputs.follow>["decision"]>;

const describe = ({ id, status }: Order) => `${id} is ${status}.`;

function writeOrder(sentence: string, shown: Order, delivered: Record<string, unknown> = {}): string {
  const { untrusted, ...order } = showOrder(shown);
  return writeText(sentence, { order, untrusted: { ...untrusted, ...delivered } });
}

/** The JSON schema of an input, which each framework takes. */
function parametersOf(input: z.ZodObject): BuyerTool["parameters"] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
