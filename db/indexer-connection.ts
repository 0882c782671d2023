import pg from "pg";
import { isSubmittable, type Line, type Send, sendAlone, sendBlocksAtOnce } from "./indexer-blocks.ts";
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

/** Under which lease an indexer writes to which schema. */
export type Fenced = Pick<Lease, "name" | "fence"> & { schema: string };

type Release = (error?: Error | boolean) => void;

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
    const line = this as unknown as Line;
    const send = this.query.bind(this) as unknown as Send;
    const sendPromised = sendBlocksAtOnce(line, send);
    this.query = ((...given: unknown[]) => {
      if (given.some(isSubmittable)) return sendAlone(line, send, given);
      return given.some((each) => typeof each === "function") ? send(...given) : sendPromised(...given);
    }) as typeof this.query;
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
