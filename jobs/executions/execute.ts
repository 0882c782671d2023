import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
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
import { createAddresses, type Place } from "../fairness/address-concurrency.ts";
import { createInFlight } from "../in-flight.ts";
import { createPause } from "../loop.ts";
import {
  type Claim,
  claimExecutions,
  freeHost,
  noteEndpoint,
  type Pace,
  returnClaim,
  usualPace,
} from "./execution-claims.ts";
import {
  delayAfter,
  type ExecutionAnswer,
  type Failure,
  failed,
  judge,
  shownOfAnswer,
} from "./execution-outcome.ts";
import { bodyOf, idempotencyKeyOf } from "./execution-request.ts";

/** Requests under way in this process, and of them those to endpoints that are slow or have shown nothing. */
const mostHeld = 256;
const mostCareful = 128;
/** Milliseconds until an execution is tried again whose address had no place for it, and up to so many more. */
const busyFor = 1000;
/** Milliseconds that answers under way are waited for when the worker stops; what is left is asked for again by another. */
const graceMs = 10_000;
/** How often an output is checked again where the checker had no time for it, and the longest wait before, in milliseconds. */
const mostChecks = 4;
const longestWait = 5000;

/**
 * Executes funded orders at the endpoints of their services: asks for the output, and delivers it in the provider's name.
 * Several processes may do so at once, and each may be killed at any instant: a request is then made again after its
 * lease, with the same `Idempotency-Key`.
 *
 * @param options.send how the tests' endpoints are reached
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
  const addresses = createAddresses({ restMs: pace.trialSeconds * 1000 });
  const cut = new AbortController();
  const inFlight = createInFlight(execute, {
    // Ours to mend: it is taken up again after its lease, so many times as any other.
    failed: (error, { id, orderId }) =>
      log.error({ err: error, execution_id: id, order_id: orderId }, "an execution went wrong"),
    // What it has shown, or its place, may let the next go.
    settled: pause.cutShort,
  });
  let claims = 0;

  /** Claims what is due and has room, and begins it. */
  async function round(): Promise<void> {
    const asked = inFlight.items();
    const places = {
      slots: slots.held - asked.length,
      carefulSlots: slots.careful - asked.filter(({ isTrial }) => isTrial).length,
    };
    const claimed = await claimExecutions(db, places, { lease: `${name}:${++claims}`, pace });
    for (const claim of claimed) inFlight.begin(claim);
  }

  async function execute(claim: Claim): Promise<void> {
    const opened = await openExecution(db, claim);
    if (!opened) return freeHost(db, claim);
    const startedAt = new Date();
    const body = JSON.stringify(await bodyOf(db, claim, opened, startedAt));
    const result = await send(claim, body);
    const outcome = judge(result);
    const { error } = outcome.kind === "failure" ? outcome : {};
    if (error === "aborted" || error === "address_busy") {
      return returnClaim(db, claim, error === "aborted" ? 0 : busyFor * (1 + Math.random()));
    }
    const attempt = recordOf(result, startedAt);
    const failure =
      outcome.kind === "failure" ? outcome : await settle(claim, outcome, { ...attempt, responseBody: null });
    await noteEndpoint(db, claim, { hasTaken: failure === null, durationMs: result.latencyMs }, pace);
    if (failure) await fail(claim, failure, attempt);
    else log.info({ execution_id: claim.id, order_id: claim.orderId, attempt: claim.attempt }, "executed");
  }

  async function send({ timeoutMs, isTrial, ...claim }: Claim, body: string): Promise<SendResult> {
    // The text that is sent and signed: the URL as the standard writes it.
    const url = new URL(claim.url).href;
    const headers = signExecution({ url, body, idempotencyKey: idempotencyKeyOf(claim) }, signer);
    let place: Place | null = null;
    const admit = (wanted: readonly string[]) => {
      place?.leave(null);
      place = addresses.take(wanted, { isTrial });
      return place.addresses;
    };
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
    (place as Place | null)?.leave(isTaken ? result.address : null);
    return result;
  }

  /** @returns why the answer is no use; null where it was taken, or the order needs it no more */
  async function settle(
    claim: Claim,
    outcome: { kind: "accepted" } | { kind: "output"; answer: ExecutionAnswer },
    attempt: AttemptRecord,
  ): Promise<Failure | null> {
    try {
      if (outcome.kind === "accepted") await acceptExecution(db, claim, attempt);
      else await deliver(claim, outcome.answer, attempt);
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failureOf(error);
    }
  }

  async function deliver(claim: Claim, answer: ExecutionAnswer, attempt: AttemptRecord): Promise<void> {
    const { output_payload: output = null, note, signature } = answer;
    for (let tries = 1; ; tries++) {
      try {
        return await deliverExecution(context, claim, { output, note, signature }, attempt);
      } catch (error) {
        const isBusy =
          error instanceof Refusal && (error.code === "checker_busy" || error.code === "rate_limited");
        if (!isBusy || tries >= mostChecks || cut.signal.aborted) throw error;
        // The work is done: it is not asked for again because we were busy.
        await sleep(Math.min(1000 * (error.retryAfter ?? 1), longestWait));
      }
    }
  }

  async function fail(claim: Claim, failure: Failure, attempt: AttemptRecord): Promise<void> {
    const { error, message, isRejection } = failure;
    const tries = { attempts: claim.attempt, rejections: claim.rejections + (isRejection ? 1 : 0) };
    const delayMs = delayAfter(tries, failure, Math.random());
    const isLast = await failAttempt(db, claim, { ...attempt, error, message }, { delayMs, isRejection });
    if (isLast) log.info({ execution_id: claim.id, order_id: claim.orderId, reason: error }, "not executed");
  }

  return {
    pause,
    run: round,
    /** Returns when what is under way is written down; what takes longer is broken off, and begun again by another. */
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

/** What a refused delivery says of the answer. */
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
