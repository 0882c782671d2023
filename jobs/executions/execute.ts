import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { joinSignatures, signAsBot } from "../../protocol/execution/bot-signature.ts";
import { signExecution } from "../../protocol/execution/sign.ts";
import type { Context } from "../../trade/context.ts";
import {
  type AttemptRecord,
  acceptExecution,
  deliverExecution,
  failAttempt,
  openExecution,
} from "../../trade/orders/execution-steps.ts";
import { Refusal } from "../../trade/refusal.ts";
import { largestBody } from "../../trade/storable-json.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { createAddresses } from "../fairness/address-concurrency.ts";
import { createInFlight } from "../in-flight.ts";
import { createPause } from "../loop.ts";
import {
  type DueExecution,
  freeHost,
  leaseExecutions,
  type Pace,
  recordEndpoint,
  returnLease,
  usualPace,
} from "./execution-leases.ts";
import { bodyOf, idempotencyKeyOf } from "./execution-request.ts";
import {
  delayAfter,
  type ExecutionAnswer,
  type Failure,
  failed,
  readExecutionResult,
  shownOfAnswer,
} from "./execution-result.ts";

/** The most requests in flight in this process: in all, and to endpoints that are slow or unproven. */
const mostHeld = 256;
const mostCareful = 128;
/** Milliseconds until an execution is retried whose address was busy, and the maximum of a random addition. */
const busyFor = 1000;
/** Milliseconds for which a stopping worker waits for answers. Another worker repeats the other requests. */
const graceMs = 10_000;
/** The most checks of an output while the checker is busy, and the longest wait between them in milliseconds. */
const mostChecks = 4;
const longestWait = 5000;

/**
 * Executes funded orders at the endpoints of their services: requests the output, and delivers it in the provider's
 * name. Several processes may run it, and each may be killed at any instant. A request is then repeated after its
 * lease, with the same `Idempotency-Key`.
 *
 * @param options.send overrides for the tests' endpoints
 */
export function createExecutor(
  context: Context,
  signer: ReceiptSigner,
  options: {
    log: Logger;
    pace?: Pace;
    send?: Partial<Pick<SendOptions, "ca" | "lookup" | "policy">>;
    slots?: { held: number; careful: number };
    graceMs?: number;
  },
) {
  const { db } = context;
  const { log, pace = usualPace, slots = { held: mostHeld, careful: mostCareful } } = options;
  const name = randomBytes(6).toString("hex");
  const pause = createPause();
  const addresses = createAddresses({ holdMs: pace.trialSeconds * 1000 });
  const cut = new AbortController();
  const inFlight = createInFlight(execute, {
    // An internal error: the execution is retried after its lease, up to the usual number of attempts.
    failed: (error, { id, orderId }) =>
      log.error(
        { err: error, execution_id: id, order_id: orderId },
        "an execution failed with an internal error",
      ),
    // The endpoint's result, or its free slot, may allow the next execution.
    settled: pause.cutShort,
  });
  let leases = 0;

  /** Leases and starts the due executions that have room. */
  async function round(): Promise<void> {
    const requests = inFlight.items();
    const freeSlots = {
      slots: slots.held - requests.length,
      carefulSlots: slots.careful - requests.filter(({ isCareful }) => isCareful).length,
    };
    const leased = await leaseExecutions(db, freeSlots, { lease: `${name}:${++leases}`, pace });
    for (const execution of leased) inFlight.begin(execution);
  }

  async function execute(execution: DueExecution): Promise<void> {
    const opened = await openExecution(db, execution);
    if (!opened) return freeHost(db, execution);
    const startedAt = new Date();
    const body = JSON.stringify(await bodyOf(db, execution, opened, startedAt));
    const result = await send(execution, body);
    const executed = readExecutionResult(result);
    const { error } = executed.kind === "failure" ? executed : {};
    if (error === "aborted" || error === "address_busy") {
      return returnLease(db, execution, error === "aborted" ? 0 : busyFor * (1 + Math.random()));
    }
    const attempt = recordOf(result, startedAt);
    const failure =
      executed.kind === "failure"
        ? executed
        : await settle(execution, executed, { ...attempt, responseBody: null });
    await recordEndpoint(
      db,
      execution,
      { hasAccepted: failure === null, durationMs: result.latencyMs },
      pace,
    );
    if (failure) await fail(execution, failure, attempt);
    else
      log.info(
        { execution_id: execution.id, order_id: execution.orderId, attempt: execution.attempt },
        "executed",
      );
  }

  async function send(
    { timeoutMs, isCareful, ...execution }: DueExecution,
    body: string,
  ): Promise<SendResult> {
    // The signed URL is exactly the sent URL, in the normal form of the URL standard.
    const url = new URL(execution.url).href;
    const headers = joinSignatures(
      signExecution({ url, body, idempotencyKey: idempotencyKeyOf(execution) }, signer),
      await signAsBot({ method: "POST", url }, { ...context.config, ...signer }),
    );
    const { admit, leave } = addresses.slotsOf({ isTrial: isCareful });
    const result = await sendGuarded(url, {
      policy: policyOf(context.config.publicUrl),
      ...options.send,
      method: "POST",
      headers: { ...headers, Accept: "application/json", "User-Agent": "Earnest-Execution/1" },
      body,
      timeoutMs,
      maxResponseBytes: largestBody,
      signal: cut.signal,
      admit,
    });
    const isTaken = result.ok && (result.status === 202 || (result.status === 200 && !result.broken));
    leave(isTaken ? result.address : null);
    return result;
  }

  /** @returns why the answer is unusable; null if it was accepted, or the order does not need it */
  async function settle(
    execution: DueExecution,
    executed: { kind: "accepted" } | { kind: "output"; answer: ExecutionAnswer },
    attempt: AttemptRecord,
  ): Promise<Failure | null> {
    try {
      if (executed.kind === "accepted") await acceptExecution(db, execution, attempt);
      else await deliver(execution, executed.answer, attempt);
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failureOf(error);
    }
  }

  async function deliver(
    execution: DueExecution,
    answer: ExecutionAnswer,
    attempt: AttemptRecord,
  ): Promise<void> {
    const { output_payload: output = null, units, note, signature } = answer;
    for (let tries = 1; ; tries++) {
      try {
        return await deliverExecution(context, execution, { output, units, note, signature }, attempt);
      } catch (error) {
        const isBusy =
          error instanceof Refusal && (error.code === "checker_busy" || error.code === "rate_limited");
        if (!isBusy || tries >= mostChecks || cut.signal.aborted) throw error;
        // The endpoint has done the work, so a busy checker must not cause a second request.
        await sleep(Math.min(1000 * (error.retryAfter ?? 1), longestWait));
      }
    }
  }

  async function fail(execution: DueExecution, failure: Failure, attempt: AttemptRecord): Promise<void> {
    const { error, message, isRejection } = failure;
    const tries = { attempts: execution.attempt, rejections: execution.rejections + (isRejection ? 1 : 0) };
    const delayMs = delayAfter(tries, failure, Math.random());
    const isLast = await failAttempt(db, execution, { ...attempt, error, message }, { delayMs, isRejection });
    if (isLast)
      log.info(
        { execution_id: execution.id, order_id: execution.orderId, reason: error },
        "execution failed",
      );
  }

  return {
    pause,
    run: round,
    /**
     * Returns when all requests are recorded. Requests that take too long are aborted, and repeated by another worker.
     */
    async end(): Promise<void> {
      const timer = setTimeout(() => cut.abort(), options.graceMs ?? graceMs);
      await inFlight.ended();
      clearTimeout(timer);
    },
  };
}

function recordOf(result: SendResult, startedAt: Date): AttemptRecord {
  return {
    startedAt,
    durationMs: result.latencyMs,
    statusCode: result.status,
    error: null,
    message: null,
    responseBody: result.ok ? result.body.slice(0, shownOfAnswer).toWellFormed() : null,
  };
}

/** Describes why an answer's delivery was refused. */
function failureOf({ code, message, details = [] }: Refusal): Failure {
  const violations = details.slice(0, 5).map(({ path, message }) => `${path || "/"} ${message}`);
  const sentence = [message, ...violations].join(" ");
  switch (code) {
    case "checker_busy":
    case "rate_limited":
    case "dependency_unavailable":
      return { ...failed(code, sentence), isRejection: false };
    case "invalid_request":
      return failed("invalid_signature", sentence);
    default:
      return failed(code, sentence);
  }
}
