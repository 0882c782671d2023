import type { Logger } from "pino";
import type { PublicClient } from "viem";
import type { Chain, Config } from "../config/config.ts";
import type { Database } from "../db/client.ts";
import type { Checker } from "../untrusted/schemas/checker.ts";

/** The dependencies that the operations of a process share. Each process creates one. */
export type Context = {
  config: Config;
  db: Database;
  log: Logger;
  /** validates and digests callers' JSON in threads */
  checker: Checker;
  /** returns a served chain with its client; undefined for any other id */
  chain: (chainId: number) => { chain: Chain; client: PublicClient } | undefined;
};

/** The account on whose behalf an operation runs. */
export type Caller = { accountId: string };

/** A person who acts for an account. `memberAccountId` is the person's own account; of a key, its creator's. */
export type Member = Caller & { memberAccountId: string };

/** The account that places or pays orders. The orders count against the limits of the key; a session has none (null). */
export type Spender = Caller & { keyId: string | null };
