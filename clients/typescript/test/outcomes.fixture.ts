import {
  ApiError,
  ConnectionError,
  type Order,
  type OrderStatus,
  PaymentFailedError,
  UntrustedOrderError,
} from "../src/index.ts";

export function throws(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

export const rest = () => new Promise((done) => setTimeout(done, 200));

/** Repeats an act while an outage makes it fail. */
export async function insist<T>(act: () => Promise<T>): Promise<T> {
  for (let left = 20; ; left -= 1) {
    try {
      return await act();
    } catch (error) {
      const mends =
        error instanceof ConnectionError ||
        (error instanceof ApiError && /^(429|5..)$/.test(`${error.status}`));
      if (!mends || left === 0) throw error;
    }
  }
}

export function requireStatus({ id, status }: Order, expected: OrderStatus): void {
  if (status !== expected) throw new Error(`${id} is ${status}, not ${expected}.`);
}

export function requireSame(found: unknown, expected: unknown): void {
  const [got, wanted] = [found, expected].map((value) => JSON.stringify(value));
  if (got !== wanted) throw new Error(`It is ${got}, expected ${wanted}.`);
}

/** Writes an error in the form of the scenarios, with the expected fields. */
export function describeFailure(error: unknown, expected: object): object {
  if (error instanceof ConnectionError) return { code: "connection" };
  if (error instanceof UntrustedOrderError) return { code: "untrusted" };
  if (error instanceof PaymentFailedError) return { code: "not_paid" };
  if (!(error instanceof ApiError)) throw error;
  const { code, status, retryAfter: retry_after } = error;
  const details = error.details.map(({ path, keyword }) => ({ path, keyword }));
  const all = { code, status, retry_after, details };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in expected));
}
