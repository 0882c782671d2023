import { BaseError } from "viem";

/**
 * Errors of nodes whose latest block is replaced during a read: anvil without old states, and several nodes behind one
 * address.
 */
const replaced = /BlockOutOfRangeError|header not found/;
/** The retries after such an error, and the milliseconds between them. */
const [times, pause] = [5, 50];

/** Repeats a read if the node's latest block was replaced during it. */
export async function readSteadily<T>(read: () => Promise<T>): Promise<T> {
  for (let left = times; ; left -= 1) {
    try {
      return await read();
    } catch (error) {
      if (left === 0 || !(error instanceof BaseError) || !replaced.test(error.details)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Wraps a viem client, including its extensions, so that `readSteadily` makes every call. */
export function withSteadyAnswers<Client extends object>(client: Client): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        const read = () => member.apply(target, given);
        // A function that returns a value at once, such as `extend` or `watchBlocks`, makes no call.
        let first: unknown = read();
        if (!(first instanceof Promise)) return first;
        return readSteadily(async () => {
          const answer = first ?? read();
          first = null;
          return await answer;
        });
      };
    },
  });
}
