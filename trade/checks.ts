import { type Checker, CheckRefusal } from "../checker/checker.ts";
import { Refusal } from "./refusal.ts";

/**
 * Has callers' schemas run and their JSON digested, beside the thread that answers.
 *
 * @throws Refusal `rate_limited` for an account that used up its time; `checker_busy` where a service's schemas used up
 * theirs, or no thread was free in time
 */
export function checksOf(checker: Checker): Pick<Checker, "run"> {
  return {
    run: async (...task) => {
      try {
        return await checker.run(...task);
      } catch (error) {
        throw error instanceof CheckRefusal ? refusalOf(error) : error;
      }
    },
  };
}

function refusalOf({ reason, retryAfter }: CheckRefusal): Refusal {
  switch (reason) {
    case "account":
      return new Refusal(
        "rate_limited",
        `Checking your schemas and payloads took all the time that one account has. Try again in ${retryAfter} s.`,
        undefined,
        retryAfter,
      );
    case "crowd":
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
