import type { Database, Transaction } from "../db/client.ts";
import { type Cause, type Checker, CheckRefusal } from "../untrusted/schemas/checker.ts";
import type { Tasks } from "../untrusted/schemas/checker-thread.ts";
import type { Context } from "./context.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import { lookUpAccount } from "./totals/party.ts";

/**
 * Has callers' schemas run and their JSON digested, beside the thread that answers.
 *
 * @throws Refusal `rate_limited` for an account that used up its time; `checker_busy` where a service's schemas used up
 * theirs, or no thread was free in time; a violation where the check itself went wrong, which the log tells of
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
): Cause {
  if (!config.rateLimits) return { account };
  return { account, group: "unproven", lookUp: () => lookUpAccount(db, account) };
}

/** The refusal of a check that finds a violation or goes wrong. */
const violationOf = {
  schema: "invalid_schema",
  placement: "input_schema_violation",
  delivery: "output_schema_violation",
  digests: "invalid_request",
} as const satisfies Record<keyof Tasks, RefusalCode>;

/** The keyword of what no check could tell, where the check went wrong. */
export const unchecked = "unchecked";

function refusalOf({ reason, retryAfter }: CheckRefusal, task: keyof Tasks): Refusal {
  switch (reason) {
    case "fault":
      return new Refusal(violationOf[task], "This cannot be checked. The service's operator sees why.", [
        { path: "", keyword: unchecked, message: "cannot be checked" },
      ]);
    case "account":
      return new Refusal(
        "rate_limited",
        `Checking your schemas and payloads took all the time that one account has. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "unproven":
      return new Refusal(
        "checker_busy",
        `Accounts that never had a funded order have used up the time that there is for checking their payloads. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "anonymous":
      return new Refusal(
        "checker_busy",
        `Callers without an account have used up the time that there is for checking their payloads. Try again in ${retryAfter} s, or sign in and order.`,
        undefined,
        retryAfter,
      );
    case "service":
      return new Refusal(
        "checker_busy",
        `The schemas of this service take too long to be checked so often. Try again in ${retryAfter} s.`,
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
