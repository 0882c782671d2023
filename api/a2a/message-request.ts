import { z } from "zod";
import { isId } from "../../protocol/facts/ids.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { readSeal } from "../../trade/purchases/sealed-terms.ts";

/** The names of a message's metadata in the x402 extension of A2A. */
export const paymentKeys = {
  status: "x402.payment.status",
  required: "x402.payment.required",
  payload: "x402.payment.payload",
  receipts: "x402.payment.receipts",
  error: "x402.payment.error",
} as const;

/**
 * The name of the extension of an x402 document that has the request of a task. An x402 client returns the extensions with
 * its payment. So the service stores no request before the payment.
 */
export const requestExtension = "a2a-request";

/** The service that a message orders, and the body of its order. */
export type ServiceRequest = { agent: string; service: string; body: Record<string, unknown> };

/** The payment of a message. `orderId` is the sealed order of a purchase without an account; null for another order. */
export type MessagePayment = {
  document: Record<string, unknown>;
  orderId: string | null;
  request: ServiceRequest | null;
};

/** The request of a message. */
export type MessageRequest =
  | { kind: "text"; text: string }
  | { kind: "order"; request: ServiceRequest }
  | { kind: "payment"; taskId: string | null; payment: MessagePayment }
  | { kind: "rejection"; taskId: string };

/** A fault of a message, with what to do. */
export class MessageFault extends Error {
  override name = "MessageFault";
  readonly kind: "params" | "part" | "task" | "operation";
  /** the API's error code, and its details as JSON */
  readonly metadata: Record<string, string>;

  constructor(kind: MessageFault["kind"], message: string, metadata: Record<string, string> = {}) {
    super(message);
    this.kind = kind;
    this.metadata = metadata;
  }
}

/** The members of A2A's message that count here. */
export type SentMessage = {
  messageId: string;
  taskId: string;
  contextId: string;
  parts: { content?: { $case: string; value: unknown } | undefined }[];
  metadata?: Record<string, unknown> | undefined;
};

const slug = z.string().regex(slugPattern, "must be a slug");
const dataPart = z.looseObject({ agent: slug.optional(), service: slug });
const object = z.record(z.string(), z.unknown());

/** The most characters of a message's id and of a text that counts. */
const longest = { id: 255, text: 200 };

/**
 * Reads a message. Files are refused, and no URL is fetched.
 *
 * @param agent the agent whose address got the message; null for the marketplace
 * @throws MessageFault
 */
export function readMessage(message: SentMessage | undefined, agent: string | null): MessageRequest {
  if (!message?.messageId || message.messageId.length > longest.id) {
    throw new MessageFault("params", `message.messageId: send a text of 1 to ${longest.id} characters.`);
  }
  const { taskId, contextId, parts, metadata = {} } = message;
  if (taskId !== "" && !isId("ord", taskId)) throw new MessageFault("task", "There is no such task.");
  if (contextId !== "" && contextId !== taskId) {
    throw new MessageFault(
      "params",
      "message.contextId: leave it out, or send the id of the task with its taskId.",
    );
  }
  const ordered = readParts(parts, agent);
  const payload = metadata[paymentKeys.payload];
  if (payload !== undefined) {
    const payment = readPayment(payload, agent, ordered.request);
    if (taskId !== "" && payment.orderId !== null && payment.orderId !== taskId) {
      throw new MessageFault("params", "This payment has the terms of another task.");
    }
    return { kind: "payment", taskId: taskId || payment.orderId, payment };
  }
  if (taskId !== "") {
    if (metadata[paymentKeys.status] === "payment-rejected") return { kind: "rejection", taskId };
    throw new MessageFault(
      "operation",
      `A task takes one message: its payment, in the metadata ${paymentKeys.payload}.`,
    );
  }
  if (ordered.request) return { kind: "order", request: ordered.request };
  if (ordered.text === "") throw new MessageFault("params", "message.parts: send a text or a data part.");
  return { kind: "text", text: ordered.text.slice(0, longest.text) };
}

function readParts(parts: SentMessage["parts"], agent: string | null) {
  const texts: string[] = [];
  let request: ServiceRequest | null = null;
  for (const { content } of parts) {
    if (content?.$case === "text") texts.push(String(content.value));
    else if (content?.$case !== "data") {
      throw new MessageFault("part", "Send text and data parts only. Files and URLs are not read.");
    } else if (request) {
      throw new MessageFault("params", "Send one data part: one service in each message.");
    } else request = readRequest(content.value, agent);
  }
  return { request, text: texts.join(" ").trim() };
}

function readRequest(value: unknown, agent: string | null): ServiceRequest {
  const parsed = dataPart.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.join(".") ?? "";
    throw new MessageFault(
      "params",
      `The data part${at ? ` at ${at}` : ""}: ${issue?.message}. Send an object with the slug of a service as \`service\`, \`input_payload\` and \`buyer_address\`.`,
    );
  }
  const { agent: named, service, ...body } = parsed.data;
  const seller = agent ?? named;
  if (seller === undefined) {
    throw new MessageFault(
      "params",
      "The data part needs `agent`, the slug of the agent that sells the service.",
    );
  }
  if (named !== undefined && named !== seller) {
    throw new MessageFault("params", `This address is that of the agent ${seller}, not of ${named}.`);
  }
  return { agent: seller, service, body };
}

/** Reads a payment, with the request of the message or else the one that came back with the terms. */
function readPayment(payload: unknown, agent: string | null, sent: ServiceRequest | null): MessagePayment {
  const { success, data: document } = object.safeParse(payload);
  if (!success) throw new MessageFault("params", `The metadata ${paymentKeys.payload} must be an object.`);
  const accepted = object.safeParse(document.accepted).data ?? {};
  const extra = object.safeParse(accepted.extra).data ?? {};
  const { [requestExtension]: own, ...extensions } = object.safeParse(document.extensions).data ?? {};
  const terms = readSeal(extra.terms);
  const returned = object.safeParse(own).data?.info;
  return {
    document: { ...document, ...(document.extensions === undefined ? {} : { extensions }) },
    orderId: terms?.orderId ?? null,
    request: sent ?? (terms && returned !== undefined ? readRequest(returned, agent) : null),
  };
}
