import { setTimeout as sleep } from "node:timers/promises";
import { type Address, encodeFunctionData, type Hex, type LocalAccount, parseUnits } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import { apiPath } from "../../../protocol/settlement/vocabulary.ts";
import { localAccounts } from "../../stack/anvil.ts";
import type { Random } from "../random.ts";
import type { SimulatedChain } from "./chain.ts";
import type { Receiver } from "./receiver.ts";

/** The market of the parties: an API and a chain. */
export type Place = {
  apiUrl: () => string;
  /** the number of the API's refusals, by status and code, and of requests without an answer */
  refused: Map<string, number>;
  chain: Pick<SimulatedChain, "node" | "reader" | "manifest" | "remember">;
};

export type Answer = { status: number; body: unknown };
export type Role = "buyer" | "provider" | "arbiter" | "outsider";

/** A party with a wallet, an account and a webhook endpoint. */
export type Person = {
  name: string;
  role: Role;
  account: LocalAccount;
  token: string;
  endpoint: { id: string; secret: string };
  /**
   * Sends a request to the API until it is answered. With an idempotency key, a write is repeated while its outcome is
   * unknown. Null if the outcome is still unknown at the end of the time.
   */
  ask(method: string, path: string, body?: unknown, key?: string): Promise<Answer | null>;
  /** Sends calls one after the other and waits for their blocks. Returns whether all of them were mined and none reverted. */
  send(...calls: { to: Address; data: Hex }[]): Promise<boolean>;
};

/** The base units of the token that each buyer and the outsider have at the start. */
export const startBalance = parseUnits("10000", 6);

/** Milliseconds for which a request is retried, and for which one answer is awaited. */
const requestMs = 60_000;
const slowest = 8000;
/** The number of blocks after which a transaction counts as lost. */
const blocksWaited = 12n;

/** Makes people with money, accounts, sessions and webhook endpoints. */
export async function gatherPeople(
  parts: Place,
  receiver: Pick<Receiver, "urlOf">,
  random: Random,
  roles: readonly Role[],
): Promise<Person[]> {
  const people: Person[] = [];
  for (const [at, role] of roles.entries()) {
    const account = role === "arbiter" ? localAccounts.arbiter : privateKeyToAccount(random.hex(32));
    await parts.chain.node.setBalance({ address: account.address, value: 10n ** 20n });
    people.push(await enter(parts, receiver, `${role} ${at}`, role, account));
  }
  const paying = people.filter(({ role }) => role === "buyer" || role === "outsider");
  await Promise.all(
    paying.map((person) =>
      until(() =>
        person.send({
          to: parts.chain.manifest.token.address,
          data: encodeFunctionData({
            abi: testUsdAbi,
            functionName: "mint",
            args: [person.account.address, startBalance],
          }),
        }),
      ),
    ),
  );
  return people;
}

async function enter(
  { apiUrl, chain, refused }: Place,
  receiver: Pick<Receiver, "urlOf">,
  name: string,
  role: Role,
  account: LocalAccount,
): Promise<Person> {
  const person: Person = {
    name,
    role,
    account,
    token: "",
    endpoint: { id: "", secret: "" },
    ask: (method, path, body, key) =>
      ask(
        () => `${apiUrl()}${apiPath}${path}`,
        { method, token: person.token, body, key },
        (answer) => {
          const what = answer ? `${answer.status} ${codeOf(answer.body) ?? "of the proxy"}` : "no answer";
          refused.set(what, (refused.get(what) ?? 0) + 1);
        },
      ),
    send: openWallet(chain, account),
  };
  const { address } = account;
  const challenge = await person.ask("POST", "/auth/nonce", { address, chain_id: chain.manifest.chain_id });
  const { message, nonce } = z.object({ message: z.string(), nonce: z.string() }).parse(challenge?.body);
  const signature = await account.signMessage({ message });
  const signedIn = await person.ask("POST", "/auth/signin", { message, nonce, signature });
  person.token = z
    .object({ tokens: z.object({ access_token: z.string() }) })
    .parse(signedIn?.body).tokens.access_token;
  const made = await person.ask("POST", "/webhooks", { url: receiver.urlOf(name), events: ["*"] });
  person.endpoint = z.object({ id: z.string(), secret: z.string() }).parse(made?.body);
  return person;
}

async function ask(
  url: () => string,
  { method, token, body, key }: { method: string; token: string; body: unknown; key: string | undefined },
  refused: (answer: Answer | null) => void,
): Promise<Answer | null> {
  const deadline = Date.now() + requestMs;
  for (let tries = 0; Date.now() < deadline; tries += 1) {
    const answer = await fetch(url(), {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key ? { "idempotency-key": key } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(slowest),
    })
      .then(async (response) => ({
        status: response.status,
        // A proxy without a server answers 503 without JSON.
        body: (await (response.status < 500
          ? response.json()
          : response.json().catch(() => null))) as unknown,
        // The write is in progress, or its outcome is unknown.
        isToAskAgain: response.headers.has("retry-after"),
      }))
      .catch(() => null);
    if (!answer || answer.status >= 500) refused(answer);
    if (answer && answer.status < 500 && !answer.isToAskAgain) return answer;
    await sleep(Math.min(200 * 2 ** tries, 1500));
  }
  return null;
}

/** The code of an error. */
export function codeOf(body: unknown): string | undefined {
  return z.object({ error: z.object({ code: z.string() }) }).safeParse(body).data?.error.code;
}

/** A wallet that sends one transaction after the other, and gives up a transaction that no block includes. */
function openWallet(chain: Place["chain"], account: LocalAccount): Person["send"] {
  let last: Promise<unknown> = Promise.resolve();
  return (...calls) => {
    const done = last.then(async () => {
      for (const call of calls) if (!(await sendOne(call))) return false;
      return true;
    });
    last = done.catch(() => {});
    return done.catch(() => false);
  };

  async function sendOne({ to, data }: { to: Address; data: Hex }): Promise<boolean> {
    const { reader, manifest } = chain;
    const nonce = await reader.getTransactionCount({ address: account.address });
    const raw = await account.signTransaction({
      to,
      data,
      nonce,
      chainId: manifest.chain_id,
      gas: 700_000n,
      type: "eip1559",
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    chain.remember(raw);
    const hash = await reader.request({ method: "eth_sendRawTransaction", params: [raw] });
    const begun = await reader.getBlockNumber();
    while ((await reader.getBlockNumber()) < begun + blocksWaited) {
      const receipt = await reader.getTransactionReceipt({ hash }).catch(() => null);
      if (receipt) return receipt.status === "success";
      await sleep(100);
    }
    return false;
  }
}

async function until(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + requestMs;
  while (!(await attempt())) if (Date.now() > deadline) throw new Error("A wallet could not be funded.");
}
