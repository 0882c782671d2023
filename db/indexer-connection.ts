import pg from "pg";
import { liveChannel } from "./chain.ts";
import type { Lease } from "./lease.ts";

/** Milliseconds within which a connection is made and set up, or counts as failed. */
const patience = 5000;

/** What the connections of an indexer are called that works on a schema. Ponder calls them so, but for the last. */
export const poolsOf = (schema: string) =>
  ["internal", "user", "readonly", "sync"].map((pool) => `${schema}_${pool}`);

/** What Ponder says on each connection of its own making, by the pool that it is for. */
const readerSettings = (schema: string) => `
  set search_path = ${pg.escapeIdentifier(schema)};
  set session characteristics as transaction read only;
  set work_mem = '512MB';
  set lock_timeout = '500ms'`;
const writerSettings = `
  set synchronous_commit = off;
  set idle_in_transaction_session_timeout = 3600000`;

/** What Ponder says in the transaction of each block before anything else, and of a block without rows only then. */
const makesTable = /^create temp table live_query_tables /i;
const movesOn = /^update "[^"]+"\."_ponder_checkpoint" set "latest_checkpoint"/i;
const nothing = { command: "CREATE", rowCount: null, oid: 0, fields: [], rows: [] };
/** What Ponder's trigger would tell of a block that changed no table. */
const tellsOfBlock = `notify ${liveChannel}, '[]'`;

type Send = (...given: unknown[]) => Promise<unknown>;

/** Under which lease an indexer writes to which schema. */
export type Fenced = Pick<Lease, "name" | "fence"> & { schema: string };

type Release = (error?: Error | boolean) => void;

/**
 * Leaves out the temporary table that Ponder makes in the transaction of each block, where the block has no rows for it:
 * the table's making and end are most of what such a block costs PostgreSQL. Whoever listens is told as before.
 */
function withoutTable(send: Send): Send {
  let held: unknown[] | undefined;
  let isEmpty = false;
  return async (...given) => {
    const [statement] = given as [string | { text?: string } | undefined];
    const text = (typeof statement === "string" ? statement : statement?.text)?.trimStart() ?? "";
    if (makesTable.test(text)) {
      held = given;
      return nothing;
    }
    const table = held;
    held = undefined;
    if (table && movesOn.test(text)) {
      isEmpty = true;
      return send(...given);
    }
    const tells = isEmpty && /^commit$/i.test(text);
    isEmpty = false;
    if (tells) return send(`${tellsOfBlock}; commit`);
    if (table && !/^rollback/i.test(text)) await send(...table);
    return send(...given);
  };
}

/**
 * A connection of Ponder's pools, in the place of its own one, which waits forever where the connection is closed while
 * it is made, and ends the process where it is reset before it is set up. Here both are errors of whoever asked for the
 * connection, and Ponder asks again.
 *
 * With a lease, it is made for whoever has that alone. An indexer that was frozen while another took its place, and whose
 * connections were cut then, gets none any more.
 */
export class IndexerConnection extends pg.Client {
  readonly #settings: string;
  readonly #lease: Fenced | undefined;
  #release: Release | undefined;

  constructor({ lease, ...config }: pg.ClientConfig & { lease?: Fenced | undefined } = {}) {
    const isShared = config.application_name === "ponder_sync";
    super({
      ...config,
      application_name: lease && isShared ? `${lease.schema}_sync` : config.application_name,
      connectionTimeoutMillis: patience,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const reader = /^(.+)_readonly$/.exec(config.application_name ?? "");
    this.#lease = lease;
    this.#settings = reader?.[1] ? readerSettings(reader[1]) : writerSettings;
    const send = this.query.bind(this) as unknown as Send;
    const sendPlain = withoutTable(send);
    const isPromised = (given: unknown[]) =>
      !given.some((each) => typeof each === "function" || isSubmittable(each));
    this.query = ((...given: unknown[]) =>
      isPromised(given) ? sendPlain(...given) : send(...given)) as typeof this.query;
    // Whoever uses the connection learns of its loss by the query that fails.
    this.on("error", () => {});
    // Ponder never gives back one that is lost before its transaction has begun: the pool would run dry.
    this.once("end", () => this.#release?.(true));
  }

  /** The pool sets it each time it hands the connection out. */
  get release(): Release | undefined {
    return this.#release;
  }

  set release(give: Release) {
    let given = false;
    this.#release = (error) => {
      if (given) return;
      given = true;
      give(error);
    };
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const made = this.#make();
    if (!callback) return made;
    made.then(() => callback(undefined as unknown as Error), callback);
    return undefined;
  }

  async #make(): Promise<this> {
    await super.connect();
    const late = setTimeout(() => this.connection.stream.destroy(), patience);
    try {
      await this.query(this.#settings);
      if (this.#lease) await this.#requireLease(this.#lease);
      return this;
    } catch (error) {
      this.connection.stream.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Asked once this connection is to be seen: whoever takes the lease later cuts it. */
  async #requireLease({ name, fence }: Fenced): Promise<void> {
    const { rows } = await this.query("select from earnest.lease where name = $1 and fence = $2", [
      name,
      fence,
    ]);
    if (rows.length === 0) throw new Error(`Another has the lease "${name}" now.`);
  }
}

/** A query that brings its own way of being sent, such as a copy. */
function isSubmittable(given: unknown): boolean {
  return typeof given === "object" && given !== null && "submit" in given;
}
