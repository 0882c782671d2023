import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { MessageFault, paymentKeys, readMessage } from "./message-request.ts";
import { writeTask } from "./order-task.ts";
import type { TaskActs } from "./task-acts.ts";

/** The parts of A2A's SDK, which are loaded at the first message. */
export type Sdk = typeof import("@a2a-js/sdk") & typeof import("@a2a-js/sdk/errors");

/** The size of a page of tasks that names none, as the specification has it. */
const usualPage = 50;

/**
 * Makes the handler of one request, for the transport of A2A's SDK.
 *
 * @param agent the slug of the agent whose address got the request; null for the marketplace
 * @returns the handler, and a function that returns the failure to be answered by HTTP. The SDK answers each error itself
 */
export function createRequestHandler(
  sdk: Sdk,
  acts: TaskActs,
  { agent, hasAccount }: { agent: string | null; hasAccount: boolean },
): { handler: A2ARequestHandler; readFailure: () => unknown } {
  let failure: unknown;

  const handler: A2ARequestHandler = {
    sendMessage: ({ message, configuration }) =>
      guard(async () => {
        const request = readMessage(message, agent);
        switch (request.kind) {
          case "text":
            return sdk.Message.fromJSON(await acts.findServices(request.text));
          case "order": {
            const { request: ordered } = request;
            const id = message?.messageId ?? "";
            return sdk.Task.fromJSON(
              await (hasAccount ? acts.placeOrder(ordered, id) : acts.offerTerms(ordered)),
            );
          }
          case "payment": {
            const waitsForOutput = configuration?.returnImmediately !== true;
            return sdk.Task.fromJSON(await acts.pay(request.taskId, request.payment, waitsForOutput));
          }
          case "rejection":
            return sdk.Task.fromJSON(
              hasAccount ? await acts.readTask(request.taskId) : writeRejected(request.taskId),
            );
        }
      }),
    getTask: ({ id }) => guard(async () => sdk.Task.fromJSON(await acts.readTask(id))),
    cancelTask: ({ id }) =>
      guard(async () => {
        await acts.readTask(id);
        throw new sdk.TaskNotCancelableError(
          "An order is not cancelled. Without a payment it expires. The buyer disputes a paid order, or its provider refunds it.",
        );
      }),
    listTasks: ({ contextId, status, pageSize, pageToken, statusTimestampAfter, includeArtifacts }) =>
      guard(async () => {
        if (contextId !== "" || statusTimestampAfter !== undefined) {
          throw new MessageFault(
            "params",
            "Leave out contextId and statusTimestampAfter: tasks are listed by status.",
          );
        }
        const state = status === sdk.TaskState.TASK_STATE_UNSPECIFIED ? null : (sdk.TaskState[status] ?? "");
        const page = await acts.listTasks({
          state,
          pageSize: pageSize ?? usualPage,
          cursor: pageToken,
          withOutputs: includeArtifacts === true,
        });
        return { ...page, tasks: page.tasks.map((task) => sdk.Task.fromJSON(task)) };
      }),
    // The card declares none of the following.
    getAgentCard: () => Promise.reject(new sdk.UnsupportedOperationError()),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new sdk.ExtendedAgentCardNotConfiguredError()),
    sendMessageStream: refuseStream,
    resubscribe: refuseStream,
    createTaskPushNotificationConfig: refusePush,
    getTaskPushNotificationConfig: refusePush,
    listTaskPushNotificationConfigs: refusePush,
    deleteTaskPushNotificationConfig: refusePush,
  };
  return { handler, readFailure: () => failure };

  function refuseStream(): never {
    throw new sdk.UnsupportedOperationError("This agent does not stream. Use SendMessage and GetTask.");
  }

  function refusePush(): Promise<never> {
    return Promise.reject(new sdk.PushNotificationNotSupportedError());
  }

  /** Runs a method. An error that is not of A2A is kept, and the SDK learns nothing of it. */
  async function guard<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof sdk.A2AError) throw error;
      if (error instanceof MessageFault) throw toA2aError(error);
      failure = error;
      throw new sdk.UnsupportedOperationError();
    }
  }

  function toA2aError({ kind, message, metadata }: MessageFault): Error {
    switch (kind) {
      case "params":
        return new sdk.RequestMalformedError({ message, metadata });
      case "part":
        return new sdk.ContentTypeNotSupportedError({ message });
      case "task":
        return new sdk.TaskNotFoundError({ message });
      case "operation":
        return new sdk.UnsupportedOperationError({ message });
    }
  }
}

/** Nothing was stored for unpaid terms, so nothing is changed. */
const writeRejected = (id: string) =>
  writeTask(id, "TASK_STATE_CANCELED", "The terms are not paid.", {
    [paymentKeys.status]: "payment-rejected",
  });
