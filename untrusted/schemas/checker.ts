import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import type { Tinypool } from "tinypool";
import type { TaskMessage, TaskResult, Tasks } from "./checker-thread.ts";
import { isEnd, openPool } from "./thread-pool.ts";
import { type Allowance, createTimeBudget } from "./time-budget.ts";

const threadFile = new URL("./checker-thread.ts", import.meta.url).href;

/** A group of callers with one allowance: callers without an account, or accounts without a funded order. */
export type CallerGroup = "anonymous" | "unproven";

/** The account that causes a task, its group, and the service whose schemas the task runs, if any. */
export type TaskCause = {
  account: string;
  group?: CallerGroup | undefined;
  /** reads whether the account is a party after all, and its network; called only while its group is near its allowance */
  lookUp?: (() => Promise<{ isParty: boolean; network: string | null }>) | undefined;
  network?: string | null | undefined;
  service?: string | undefined;
};

export type Limits = {
  threads: number;
  /** milliseconds until a thread that does not start is ended, with its task */
  start: number;
  /** milliseconds of a task after which its thread is ended; far above the time limits of a check */
  hardLimit: number;
  /** milliseconds that a task waits for a thread, without the start of the thread */
  queueMs: number;
  /** tasks that wait, of one account and in all */
  waitingOfAccount: number;
  waiting: number;
  account: Allowance;
  /** of a group together */
  group: Record<CallerGroup, Allowance>;
  /** of one network in a group, where the network was looked up */
  network: Allowance;
  service: Allowance;
  /** megabytes of one thread */
  memory: number;
};

const threads = Math.max(2, Math.min(4, availableParallelism() - 1));

const usualLimits: Limits = {
  threads,
  start: 30_000,
  hardLimit: 8000,
  queueMs: 5000,
  waitingOfAccount: 64,
  waiting: 512,
  account: { burst: 2000, perSecond: 200 },
  group: {
    anonymous: { burst: 4000, perSecond: 400 },
    // Half of the threads' time: the rest is kept for parties of funded orders.
    unproven: { burst: 5000 * threads, perSecond: 500 * threads },
  },
  network: { burst: 1250 * threads, perSecond: 125 * threads },
  service: { burst: 1000, perSecond: 50 },
  memory: 192,
};

const noLimit: Allowance = { burst: Number.POSITIVE_INFINITY, perSecond: 1 };

/** The limits of a service whose requests are not limited. */
export const unlimitedService: Partial<Limits> = {
  account: noLimit,
  group: { anonymous: noLimit, unproven: noLimit },
  network: noLimit,
  service: noLimit,
};

/**
 * Milliseconds of each task that are not charged to its service. An honest schema takes less, so buyers cannot use up the
 * allowance of a good service.
 */
const toleratedTime = 50;

/** Seconds after which a thread may be free again. */
const retrySoon = 2;

/**
 * The reason why a task was not done. `account`, `service` or a group: its allowance is used up. `busy`: no thread was free.
 * `fault`: the task threw an error, which is logged.
 */
export class CheckRefusal extends Error {
  override name = "CheckRefusal";
  readonly reason: "account" | CallerGroup | "service" | "busy" | "fault";
  /** whole seconds until the task may be tried again; 0 if it always fails */
  readonly retryAfter: number;

  constructor(reason: CheckRefusal["reason"], retryAfter: number) {
    super(`A check was not done (${reason}).`);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

export type Checker = {
  /** @throws CheckRefusal if the task was not done */
  run<Name extends keyof Tasks>(
    cause: TaskCause,
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<ReturnType<Tasks[Name]>>;
  close(): Promise<void>;
};

type Waiting = {
  cause: TaskCause;
  message: TaskMessage;
  timer: NodeJS.Timeout;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/**
 * Runs checks of callers' schemas and large JSON in a few threads. The task of the account with the least recent use runs
 * first, and no account or service has all threads at once. So no caller delays others by using its whole allowance.
 */
export function createChecker(log: Pick<Logger, "warn" | "error">, given: Partial<Limits> = {}): Checker {
  const limits = { ...usualLimits, ...given };
  const accounts = createTimeBudget(limits.account);
  const groups = {
    anonymous: createTimeBudget(limits.group.anonymous),
    unproven: createTimeBudget(limits.group.unproven),
  };
  const networks = createTimeBudget(limits.network);
  const waitOf = (group: CallerGroup) => groups[group].refusedFor(group);
  const services = createTimeBudget(limits.service);
  const waiting: Waiting[] = [];
  const running = new Map<string, number>();
  /** A flag of each running task, 1 once it has begun. A thread may load for seconds on a busy machine. */
  const begun = new Set<Int32Array>();
  const maxRunningOfOne = Math.max(1, limits.threads - 1);
  let busy = 0;
  let pool: Tinypool | undefined;

  return {
    run: (cause, name, task) => enqueue(cause, { name, json: JSON.stringify(task) }) as Promise<never>,
    close: async () => {
      for (const task of waiting.splice(0)) refuse(task, new CheckRefusal("busy", retrySoon));
      await pool?.destroy();
    },
  };

  function enqueue(cause: TaskCause, message: TaskMessage): Promise<unknown> {
    const { group, lookUp } = cause;
    // The database is queried only when a group is near its allowance.
    const isShort =
      group && (waiting.length > 0 || (running.get(group) ?? 0) >= maxRunningOfOne || waitOf(group) > 0);
    if (!isShort || !lookUp) return wait(cause, message);
    return lookUp().then(({ isParty, network }) =>
      wait(isParty ? { ...cause, group: undefined } : { ...cause, network }, message),
    );
  }

  function wait(cause: TaskCause, message: TaskMessage): Promise<unknown> {
    const overspent = findOverspent(cause);
    if (overspent) return Promise.reject(overspent);
    return new Promise((resolve, reject) => {
      const task: Waiting = {
        cause,
        message,
        resolve,
        reject,
        timer: setTimeout(() => {
          if ([...begun].some((one) => one[0] === 0)) return task.timer.refresh();
          waiting.splice(waiting.indexOf(task), 1);
          task.reject(new CheckRefusal("busy", retrySoon));
        }, limits.queueMs),
      };
      waiting.push(task);
      shorten(cause.account);
      dispatch();
    });
  }

  /** Keeps the queue within its bounds: a full queue drops the newest task of the account or group with the most tasks. */
  function shorten(account: string): void {
    const held = Map.groupBy(waiting, ({ cause }) => cause.group ?? cause.account);
    const own = waiting.filter(({ cause }) => cause.account === account);
    const tooMany =
      own.length > limits.waitingOfAccount
        ? own
        : waiting.length > limits.waiting
          ? [...held.values()].reduce((most, one) => (one.length > most.length ? one : most))
          : [];
    const last = tooMany.at(-1);
    if (!last) return;
    waiting.splice(waiting.indexOf(last), 1);
    refuse(last, new CheckRefusal("busy", retrySoon));
  }

  function findOverspent({ account, group, network, service }: TaskCause): CheckRefusal | null {
    const accountWait = accounts.refusedFor(account);
    if (accountWait > 0) return new CheckRefusal("account", accountWait);
    if (group !== undefined && waitOf(group) > 0) return new CheckRefusal(group, waitOf(group));
    const networkWait = network ? networks.refusedFor(network) : 0;
    if (group !== undefined && networkWait > 0) return new CheckRefusal(group, networkWait);
    const serviceWait = service === undefined ? 0 : services.refusedFor(service);
    return serviceWait > 0 ? new CheckRefusal("service", serviceWait) : null;
  }

  function refuse({ timer, reject }: Waiting, refusal: CheckRefusal): void {
    clearTimeout(timer);
    reject(refusal);
  }

  function dispatch(): void {
    while (busy < limits.threads) {
      const next = findNext();
      if (!next) return;
      waiting.splice(waiting.indexOf(next), 1);
      // Earlier tasks may have used up the allowance since this task was queued.
      const overspent = findOverspent(next.cause);
      if (overspent) refuse(next, overspent);
      else void runTask(next);
    }
  }

  function findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const task of waiting) {
      if (keysOf(task.cause).some((key) => (running.get(key) ?? 0) >= maxRunningOfOne)) continue;
      const { account, group, network, service } = task.cause;
      const used =
        accounts.used(account) +
        (group === undefined ? 0 : groups[group].used(group)) +
        (network ? networks.used(network) : 0) +
        (service === undefined ? 0 : services.used(service));
      if (used < least) [next, least] = [task, used];
    }
    return next;
  }

  async function runTask({ cause, message, timer, resolve, reject }: Waiting): Promise<void> {
    clearTimeout(timer);
    count(cause, 1);
    let began = performance.now();
    let spent: number | undefined;
    const hasBegun = new Int32Array(new SharedArrayBuffer(4));
    begun.add(hasBegun);
    const controller = new AbortController();
    const startsUntil = began + limits.start;
    const limit = setTimeout(() => {
      if (hasBegun[0] === 1 || performance.now() > startsUntil) return controller.abort();
      began = performance.now();
      limit.refresh();
    }, limits.hardLimit);
    try {
      pool ??= openPool({ ...limits, filename: threadFile }, log);
      const done: TaskResult = await pool.run({ ...message, hasBegun }, { signal: controller.signal });
      spent = done.spent;
      if ("fault" in done) throw done.fault;
      resolve(done.result);
    } catch (error) {
      const fields = { err: error, account_id: cause.account, service_id: cause.service, task: message.name };
      if (isEnd(error)) {
        log.warn(fields, "the thread of a check was ended");
        reject(new CheckRefusal("busy", retrySoon));
      } else {
        log.error(fields, "a check failed");
        reject(new CheckRefusal("fault", 0));
      }
    } finally {
      clearTimeout(limit);
      begun.delete(hasBegun);
      spent ??= performance.now() - began;
      count(cause, -1);
      accounts.charge(cause.account, spent);
      if (cause.group !== undefined) groups[cause.group].charge(cause.group, spent);
      if (cause.network) networks.charge(cause.network, spent);
      if (cause.service !== undefined && spent > toleratedTime)
        services.charge(cause.service, spent - toleratedTime);
      dispatch();
    }
  }

  function count(cause: TaskCause, change: 1 | -1): void {
    busy += change;
    for (const key of keysOf(cause)) {
      const now = (running.get(key) ?? 0) + change;
      if (now > 0) running.set(key, now);
      else running.delete(key);
    }
  }
}

function keysOf({ account, group, service }: TaskCause): string[] {
  return [account, group, service].filter((key) => key !== undefined);
}
