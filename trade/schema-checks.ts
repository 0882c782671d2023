import type { Database, Transaction } from "../db/client.ts";
import { type Checker, CheckRefusal, type TaskCause } from "../untrusted/schemas/checker.ts";
import type { Tasks } from "../untrusted/schemas/checker-thread.ts";
import type { Context } from "./context.ts";
import { lookUpAccount } from "./fair-shares/funded-party.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

/**
 * Wraps the checker so that its refusals become refusals of operations.
 *
 * @throws Refusal `rate_limited` if the account's time is used up; `checker_busy` if the service's time is used up or
 *   no thread was free; a violation with the keyword `unchecked` if the check failed
 */
export function checksOf(checker: Checker): Pick<Checker, "run"> {
  return {
    run: async (...task) => {
      try {
        return await checker.run(...task);
      } catch (error) {
        throw error instanceof CheckRefusal ? refusalOf(error, task[1]) : error;
      }
    },
  };
}

/** Returns the cause of an account's check. If requests are limited, unproven accounts share an allowance. */
export function causeOf(
  { config, db }: Pick<Context, "config"> & { db: Database | Transaction },
  account: string,
): TaskCause {
  if (!config.rateLimits) return { account };
  return { account, group: "unproven", lookUp: () => lookUpAccount(db, account) };
}

/** The refusal code for a violation, by task. */
const violationOf = {
  schema: "invalid_schema",
  placement: "input_schema_violation",
  delivery: "output_schema_violation",
  digests: "invalid_request",
} as const satisfies Record<keyof Tasks, RefusalCode>;

/** The keyword of a violation whose check failed. */
export const uncheckedKeyword = "unchecked";

function refusalOf({ reason, retryAfter }: CheckRefusal, task: keyof Tasks): Refusal {
  switch (reason) {
    case "fault":
      return new Refusal(
        violationOf[task],
        "The schema or payload cannot be checked. The operator's log has the cause.",
        [{ path: "", keyword: uncheckedKeyword, message: "cannot be checked" }],
      );
    case "account":
      return new Refusal(
        "rate_limited",
        `Your account's time for checking schemas and payloads is used up. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "unproven":
      return new Refusal(
        "checker_busy",
        `The time for checking payloads of accounts without a funded order is used up. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "anonymous":
      return new Refusal(
        "checker_busy",
        `The time for checking payloads of callers without an account is used up. Try again in ${retryAfter} s, or sign in and order.`,
        undefined,
        retryAfter,
      );
    case "service":
      return new Refusal(
        "checker_busy",
        `The time for checking payloads by this service's schemas is used up. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "busy":
      return new Refusal(
        "checker_busy",
        `The payload could not be checked in time. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
  }
}
