import { describe, expect, test } from "vitest";
import {
  MessageFault,
  readMessage,
  requestExtension,
  type SentMessage,
} from "../../../api/a2a/message-request.ts";
import { sealTerms } from "../../../trade/purchases/sealed-terms.ts";
import { blockOf } from "../../harness/documents/blocks.ts";

const orderId = "ord_01jd3w8x2mfhz8w9q4t6n5k7ra";
const seal = sealTerms(new Uint8Array(32), { orderId, fundBy: 1_795_000_000 }, `0x${"11".repeat(32)}`);
const buyer_address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const order = { service: "count", input_payload: { text: "Good day" }, buyer_address };

const data = (value: unknown) => ({ content: { $case: "data", value } });
const text = (value: string) => ({ content: { $case: "text", value } });
const messageOf = (more: Partial<SentMessage> = {}): SentMessage => ({
  messageId: "m-1",
  taskId: "",
  contextId: "",
  parts: [],
  ...more,
});
const pay = (document: Record<string, unknown>, more: Partial<SentMessage> = {}) =>
  messageOf({ ...more, metadata: { "x402.payment.payload": document } });
const payment = {
  x402Version: 2,
  accepted: { extra: { terms: seal } },
  payload: {},
  extensions: {
    "payment-identifier": { info: { id: "one" } },
    [requestExtension]: { info: { agent: "statistics", ...order }, schema: {} },
  },
};

/** The kind of fault with which a message is refused. */
function faultOf(message: SentMessage | undefined, agent: string | null = "statistics"): string {
  try {
    return JSON.stringify(readMessage(message, agent));
  } catch (error) {
    if (error instanceof MessageFault) return error.kind;
    throw error;
  }
}

describe("a message", () => {
  test("orders by its data part, at the address of the agent or with its name", () => {
    const { service, ...body } = order;
    const request = { agent: "statistics", service, body };
    expect(readMessage(messageOf({ parts: [data(order), text("Please.")] }), "statistics")).toEqual({
      kind: "order",
      request,
    });
    const named = messageOf({ parts: [data({ agent: "statistics", ...order })] });
    expect(readMessage(named, null)).toEqual({ kind: "order", request });
  });

  test("orders by the data part of the documentation", () => {
    const part = JSON.parse(blockOf("docs/a2a.md: Buy a service"));
    const { service, ...body } = part;
    expect(readMessage(messageOf({ parts: [data(part)] }), "translator")).toEqual({
      kind: "order",
      request: { agent: "translator", service, body },
    });
  });

  test("pays with the request that its terms brought, without our extension", () => {
    const read = readMessage(pay(payment, { taskId: orderId, contextId: orderId }), "statistics");
    const { service, ...body } = order;
    expect(read).toMatchObject({
      kind: "payment",
      taskId: orderId,
      payment: { orderId, request: { agent: "statistics", service, body } },
    });
    const { document } = (read as { payment: { document: Record<string, unknown> } }).payment;
    expect(document).toEqual({ ...payment, extensions: { "payment-identifier": { info: { id: "one" } } } });
  });

  test("pays with its own data part, if it has one", () => {
    const own = { ...order, input_payload: { text: "Another" } };
    const read = readMessage(
      pay({ ...payment, extensions: undefined }, { parts: [data(own)] }),
      "statistics",
    );
    expect(read).toMatchObject({
      taskId: orderId,
      payment: { request: { body: { input_payload: own.input_payload } } },
    });
  });

  test("of text alone searches, with so many characters", () => {
    const read = readMessage(messageOf({ parts: [text("translate "), text("x".repeat(900))] }), null);
    expect(read).toMatchObject({ kind: "text", text: expect.stringMatching(/^translate {2}x{189}$/) });
  });
});

describe("refused is", () => {
  test.each<[string, SentMessage | undefined, string]>([
    ["no message", undefined, "params"],
    ["a message without an id", messageOf({ messageId: "" }), "params"],
    ["a message with a long id", messageOf({ messageId: "x".repeat(256) }), "params"],
    ["a task that is no order", messageOf({ taskId: "../me", parts: [data(order)] }), "task"],
    ["a context of the client's own", messageOf({ contextId: "mine", parts: [data(order)] }), "params"],
    ["a second message to a task", messageOf({ taskId: orderId, parts: [data(order)] }), "operation"],
    [
      "a URL",
      messageOf({ parts: [{ content: { $case: "url", value: "http://169.254.169.254/" } }] }),
      "part",
    ],
    ["a file", messageOf({ parts: [{ content: { $case: "raw", value: Buffer.alloc(9) } }] }), "part"],
    ["a message without parts", messageOf(), "params"],
    ["an empty part", messageOf({ parts: [{}] }), "part"],
    ["two data parts", messageOf({ parts: [data(order), data(order)] }), "params"],
    ["data without a service", messageOf({ parts: [data({ buyer_address })] }), "params"],
    ["a service that leads out of its path", messageOf({ parts: [data({ service: "../../me" })] }), "params"],
    ["a list as data", messageOf({ parts: [data([order])] }), "params"],
    ["another agent", messageOf({ parts: [data({ ...order, agent: "another" })] }), "params"],
    ["a payment that is no object", messageOf({ metadata: { "x402.payment.payload": "0x" } }), "params"],
    ["a payment of another task", pay(payment, { taskId: orderId.replace("ra", "rb") }), "params"],
    [
      "a payment whose terms bring another agent's request",
      pay({ ...payment, extensions: { [requestExtension]: { info: { agent: "another", ...order } } } }),
      "params",
    ],
  ])("%s", (_, message, kind) => {
    expect(faultOf(message)).toBe(kind);
  });

  test("a message to the marketplace without an agent", () => {
    expect(faultOf(messageOf({ parts: [data(order)] }), null)).toBe("params");
  });
});
