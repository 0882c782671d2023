import { BaseError } from "viem";

/** What nodes say whose latest block is replaced while they look: anvil without old states, and several behind one address. */
const replaced = /BlockOutOfRangeError|header not found/;
/** How often such a node is asked again, and after how many milliseconds. */
const [times, pause] = [5, 50];

/** Asks a node, and asks again where its latest block was replaced by the next one while it looked. */
export async function askSteadily<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = times; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof BaseError) || !replaced.test(error.details)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** A client of viem, with all that its caller added to it, whose every question is asked by `askSteadily`. */
export function withSteadyAnswers<Client extends object>(client: Client): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        const ask = () => member.apply(target, given);
        // What answers at once, as `extend` and `watchBlocks` do, asks nothing yet.
        let first: unknown = ask();
        if (!(first instanceof Promise)) return first;
        return askSteadily(async () => {
          const answer = first ?? ask();
          first = null;
          return await answer;
        });
      };
    },
  });
}
