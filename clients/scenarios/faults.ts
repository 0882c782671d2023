import { createHash } from "node:crypto";
import type { Fault, Scenario } from "./scenario.ts";

/** The random faults, all with the same probability. */
const drawn: Fault[] = [
  { fault: "lost" },
  { fault: "cut" },
  { fault: "late", ms: 300 },
  { fault: "twice" },
  { fault: "gateway", status: 504 },
  { fault: "refused", status: 429, retry_after: 0 },
  { fault: "refused", status: 503 },
  { fault: "reset" },
];

/** Chooses the fault of each request of a scene, and counts the faults. */
export class FaultPlan {
  /** How often each kind of fault happened. */
  readonly happened: Record<string, number> = {};
  /** The number of all requests. */
  requests = 0;
  readonly #scenario: Scenario;
  readonly #seed: string;
  readonly #seen = new Map<string, number>();
  readonly #pending: Set<string>;

  constructor(scenario: Scenario, seed: string) {
    this.#scenario = scenario;
    this.#seed = seed;
    this.#pending = new Set(scenario.faults.flatMap(({ on, at }) => at.map((number) => `${number}. ${on}`)));
  }

  /** @param path below `/api/v1`, without its query */
  next(verb: string, path: string): Fault | null {
    this.requests += 1;
    const request = `${verb} ${path}`;
    const patterns = [...this.#scenario.faults.map(({ on }) => on), ...(this.#scenario.random?.on ?? [])];
    const numbers = new Map(
      [...new Set(patterns)].filter((on) => fits(on, request)).map((on) => [on, this.#count(on)]),
    );
    const planned = this.#scenario.faults.find(({ on, at }) => at.includes(numbers.get(on) ?? 0));
    if (planned) this.#pending.delete(`${numbers.get(planned.on)}. ${planned.on}`);
    const fault = planned ?? this.#draw(numbers);
    if (fault) this.happened[fault.fault] = (this.happened[fault.fault] ?? 0) + 1;
    return fault;
  }

  /** The planned faults that did not happen, as in `2. POST /orders`. */
  get missing(): string[] {
    return [...this.#pending];
  }

  #count(pattern: string): number {
    const number = (this.#seen.get(pattern) ?? 0) + 1;
    this.#seen.set(pattern, number);
    return number;
  }

  /** Returns the same number for the same seed, pattern and request number, in any order of requests. */
  #draw(numbers: Map<string, number>): Fault | null {
    const { random } = this.#scenario;
    const on = random?.on.find((pattern) => numbers.has(pattern));
    if (!random || on === undefined) return null;
    const bytes = createHash("sha256")
      .update(`${this.#seed} ${numbers.get(on)}. ${on}`)
      .digest();
    if (bytes.readUInt32BE(0) / 2 ** 32 >= random.rate) return null;
    return drawn[bytes.readUInt32BE(4) % drawn.length] ?? null;
  }
}

function fits(pattern: string, request: string): boolean {
  const [parts, found] = [pattern.split("/"), request.split("/")];
  return parts.length === found.length && parts.every((part, at) => part === "*" || part === found[at]);
}
