import type { Logger } from "pino";
import type { PublicClient } from "viem";
import type { Chain, Config } from "../config/config.ts";
import type { Database } from "../db/client.ts";
import type { Checker } from "../untrusted/schemas/checker.ts";

/** The parts of a process that its operations share. It is made once per process. */
export type Context = {
  config: Config;
  db: Database;
  log: Logger;
  /** runs schemas and large JSON of callers, beside this thread */
  checker: Checker;
  /** the chain of this id and a client for it, or undefined where it is not served */
  chain: (chainId: number) => { chain: Chain; client: PublicClient } | undefined;
};

/** The account on whose behalf an operation runs. */
export type Caller = { accountId: string };

/** The person who acts for an account: their own account; of a key, its maker's. */
export type Member = Caller & { memberAccountId: string };

/** The account that places or pays orders. They count against the limits of the key, which is null for a session. */
export type Spender = Caller & { keyId: string | null };
