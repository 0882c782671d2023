import { createHash, randomUUID } from "node:crypto";
import { isId } from "../../protocol/facts/ids.ts";
import { orderStatuses } from "../../protocol/settlement/vocabulary.ts";
import { readSeal } from "../../trade/purchases/sealed-terms.ts";
import { readServiceNamed } from "../../trade/services/service-on-sale.ts";
import type { Context } from "../context.ts";
import { a2aPath, cardName } from "./agent-card.ts";
import {
  errorOf,
  type InnerAnswer,
  type InnerApi,
  isMessageFault,
  longestWait,
  toApiError,
} from "./inner-api.ts";
import {
  MessageFault,
  type MessagePayment,
  paymentKeys,
  requestExtension,
  type ServiceRequest,
} from "./message-request.ts";
import {
  paymentErrorOf,
  type ShownClaim,
  type ShownOrder,
  type ShownPayment,
  type TaskJson,
  taskOf,
  taskStates,
  writeTask,
} from "./order-task.ts";

/** The most tasks of a page, the most with outputs, and the most services that a text finds. */
const most = { tasks: 100, outputs: 10, found: 10 };

/** A payment document of x402, as a 402 has it. */
type PaymentRequired = {
  accepts: { extra?: Record<string, unknown> }[];
  extensions?: Record<string, unknown>;
};

/** The acts of tasks. Each calls this service's API, which has all rules of buying, paying and reading. */
export type TaskActs = ReturnType<typeof createTaskActs>;

/**
 * Makes the acts of one request.
 *
 * @param agent the slug of the agent whose address got the request; null for the marketplace
 */
export function createTaskActs(
  { config, db }: Pick<Context, "config" | "db">,
  api: InnerApi,
  agent: string | null,
) {
  const base = `${config.publicUrl}${a2aPath}`;

  return {
    /** Offers the terms of a purchase without an account. Nothing is stored: the terms come back with the payment. */
    async offerTerms(request: ServiceRequest): Promise<TaskJson> {
      const answer = await api.call("POST", buyPath(request), { body: request.body, isAnonymous: true });
      if (answer.status !== 402) throw refusalOf(answer);
      const document = requiredOf(answer);
      const id = readSeal(document.accepts[0]?.extra?.terms)?.orderId;
      // The price alone cannot be paid, and the message of its answer names the missing members.
      if (id === undefined) throw new MessageFault("params", errorOf(answer).message);
      const { body, ...named } = request;
      const info = { ...named, ...body };
      const extensions = { ...document.extensions, [requestExtension]: { info, schema: { type: "object" } } };
      const { agreement, other_agreements, left_out } = answer.body;
      return askForPayment(id, { ...document, extensions }, [
        { data: { agreement, other_agreements, left_out }, mediaType: "application/json" },
      ]);
    },

    /** Places an order of the token's account. The same message places it once. */
    async placeOrder({ agent: seller, service, body }: ServiceRequest, messageId: string): Promise<TaskJson> {
      const found = await readServiceNamed(db, seller, service);
      if (!found) throw new MessageFault("params", "There is no such published service.");
      const digest = createHash("sha256").update(messageId).digest("hex");
      const placed = await api.call("POST", "/orders", {
        body: { ...body, service_id: found.service.id, settlement_rail: "x402" },
        headers: { "idempotency-key": `a2a ${digest}` },
      });
      if (placed.status !== 201) throw refusalOf(placed);
      const order = placed.body as unknown as ShownOrder;
      const answer = await api.call("POST", `/orders/${order.id}/payment`);
      if (answer.status === 402) return askForPayment(order.id, requiredOf(answer));
      if (answer.status === 202) return readTask(order.id);
      const { code, message } = errorOf(answer);
      if (code !== "approval_required") throw refusalOf(answer);
      return writeTask(order.id, "TASK_STATE_AUTH_REQUIRED", message, {});
    },

    /** Pays a task: by the terms of a purchase without an account, or an order of the token's account. */
    pay(taskId: string | null, payment: MessagePayment, waitsForOutput: boolean): Promise<TaskJson> {
      if (payment.orderId !== null) return buy(payment.orderId, payment, waitsForOutput);
      if (taskId === null)
        throw new MessageFault("params", "Send the id of the paid task as message.taskId.");
      return payOrder(taskId, payment);
    },

    readTask,

    /** Lists the orders of the token's account, the newest first. */
    async listTasks({ state, pageSize, cursor, withOutputs }: TaskQuery) {
      const statuses = orderStatuses.filter((status) => state === null || taskStates[status] === state);
      const limit = Math.min(Math.max(1, pageSize), withOutputs ? most.outputs : most.tasks);
      if (statuses.length === 0) return { tasks: [], nextPageToken: "", pageSize: limit, totalSize: 0 };
      const query = new URLSearchParams({
        limit: String(limit),
        ...(state === null ? {} : { status: statuses.join(",") }),
        ...(cursor === "" ? {} : { cursor }),
        ...(agent === null ? {} : { agent }),
        ...(withOutputs ? { include: "payloads" } : {}),
      });
      const answer = await api.call("GET", `/orders?${query}`);
      if (answer.status !== 200) throw refusalOf(answer);
      const { items, total, next_cursor } = answer.body as {
        items: ShownOrder[];
        total: number;
        next_cursor: string | null;
      };
      return {
        tasks: items.map((order) => taskOf(order)),
        nextPageToken: next_cursor ?? "",
        pageSize: limit,
        totalSize: total,
      };
    },

    /** Answers a text with the services that its words find, as a message. */
    async findServices(text: string): Promise<object> {
      const query = new URLSearchParams({
        limit: String(most.found),
        ...(text === "" ? {} : { q: text }),
        ...(agent === null ? {} : { agent }),
      });
      const answer = await api.call("GET", `/marketplace/services?${query}`);
      if (answer.status !== 200) throw refusalOf(answer);
      const items = answer.body.items as FoundService[];
      const services = items.map(({ agent: seller, slug, title, summary, price, price_currency }) => ({
        agent: seller.slug,
        service: slug,
        title,
        summary,
        price,
        price_currency,
        url: `${base}/${seller.slug}`,
        card: `${base}/${seller.slug}${cardName}`,
      }));
      const how =
        "To buy a service, send a data part with `agent`, `service`, `input_payload` and `buyer_address`. The skills of an agent's card have examples.";
      return {
        messageId: randomUUID(),
        role: "ROLE_AGENT",
        parts: [
          {
            text: `${services.length === 0 ? "No service has these words." : `Services: ${services.length}.`} ${how}`,
          },
          { data: { services }, mediaType: "application/json" },
        ],
      };
    },
  };

  async function buy(orderId: string, { document, request }: MessagePayment, waitsForOutput: boolean) {
    if (!request) {
      throw new MessageFault(
        "params",
        `The payment came without its extension ${requestExtension}: send the data part of the task's first message again.`,
      );
    }
    const answer = await api.call("POST", buyPath(request), {
      body: request.body,
      headers: {
        "payment-signature": Buffer.from(JSON.stringify(document)).toString("base64"),
        ...(waitsForOutput ? { prefer: `wait=${longestWait}` } : {}),
      },
      isAnonymous: true,
    });
    if (answer.status === 402) {
      // New terms are another order, so this task ends.
      return writeTask(orderId, "TASK_STATE_FAILED", errorOf(answer).message, failed(answer));
    }
    if (answer.status !== 200 && answer.status !== 202) throw refusalOf(answer);
    const { order, payment, claim } = answer.body as unknown as {
      order: ShownOrder;
      payment: ShownPayment;
      claim: ShownClaim;
    };
    requireOwn(order);
    return taskOf(order, { payment, claim });
  }

  async function payOrder(orderId: string, { document }: MessagePayment): Promise<TaskJson> {
    await readOrder(orderId);
    const answer = await api.call("POST", `/orders/${orderId}/payment`, {
      headers: { "payment-signature": Buffer.from(JSON.stringify(document)).toString("base64") },
    });
    if (answer.status === 202) return readTask(orderId);
    if (answer.status !== 402) throw refusalOf(answer);
    return writeTask(orderId, "TASK_STATE_INPUT_REQUIRED", errorOf(answer).message, {
      ...failed(answer),
      [paymentKeys.required]: requiredOf(answer),
    });
  }

  /** Reads a task of the token's account, or of a claim token. */
  async function readTask(id: string): Promise<TaskJson> {
    if (!isId("ord", id)) throw noTask();
    const [order, answer] = await Promise.all([readOrder(id), api.call("GET", `/orders/${id}/payment`)]);
    if (answer.status !== 200) throw refusalOf(answer);
    const payment = answer.body.payment as ShownPayment | null;
    const task = taskOf(order, { payment });
    if (task.status.state !== "TASK_STATE_INPUT_REQUIRED" || order.status !== "created") return task;
    const instructions = await api.call("GET", `/orders/${id}/payment-instructions`);
    const document = instructions.body.payment_required as PaymentRequired | undefined;
    return instructions.status === 200 && document ? askForPayment(id, document) : task;
  }

  async function readOrder(id: string): Promise<ShownOrder> {
    const answer = await api.call("GET", `/orders/${id}`);
    if (answer.status === 404) throw noTask();
    if (answer.status !== 200) throw refusalOf(answer);
    const order = answer.body as unknown as ShownOrder;
    requireOwn(order);
    return order;
  }

  /** Each address has the tasks of its own agent. */
  function requireOwn(order: ShownOrder): void {
    if (agent !== null && order.agent.slug !== agent) throw noTask();
  }
}

/** The query of a list of tasks. */
export type TaskQuery = { state: string | null; pageSize: number; cursor: string; withOutputs: boolean };

type FoundService = {
  agent: { slug: string };
  slug: string;
  title: string;
  summary: string | null;
  price: string;
  price_currency: string;
};

/** Writes the task of an unpaid order, with what to pay. */
function askForPayment(id: string, document: object, parts: object[] = []): TaskJson {
  const metadata = { [paymentKeys.status]: "payment-required", [paymentKeys.required]: document };
  return writeTask(id, "TASK_STATE_INPUT_REQUIRED", "Payment is required.", metadata, { parts });
}

function failed(answer: InnerAnswer): Record<string, unknown> {
  const reason = errorOf(answer).details?.[0]?.keyword ?? "transaction_failed";
  const receipt = { success: false, errorReason: reason, transaction: "", network: "" };
  return {
    [paymentKeys.status]: "payment-failed",
    [paymentKeys.error]: paymentErrorOf(reason),
    [paymentKeys.receipts]: [receipt],
  };
}

const buyPath = ({ agent, service }: ServiceRequest) => `/buy/${agent}/${service}`;

/** Reads x402's document from the header of a 402. The body has the API's error in its place. */
function requiredOf({ headers }: InnerAnswer): PaymentRequired {
  const text = Buffer.from(headers.get("payment-required") ?? "", "base64").toString("utf8");
  return JSON.parse(text) as PaymentRequired;
}

const noTask = () => new MessageFault("task", "There is no such task, or this token may not read it.");

/** Returns the error for an answer that refuses: of the message, or for an answer by HTTP. */
function refusalOf(answer: InnerAnswer): Error {
  if (!isMessageFault(answer)) return toApiError(answer);
  const { code, message, details } = errorOf(answer);
  return new MessageFault("params", message, {
    code,
    ...(details ? { details: JSON.stringify(details) } : {}),
  });
}
