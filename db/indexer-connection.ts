import pg from "pg";

/** Milliseconds within which a connection is made and set up, or counts as failed. */
const patience = 5000;

/** What Ponder says on each connection of its own making, by the pool that it is for. */
const readerSettings = (schema: string) => `
  set search_path = ${pg.escapeIdentifier(schema)};
  set session characteristics as transaction read only;
  set work_mem = '512MB';
  set lock_timeout = '500ms'`;
const writerSettings = `
  set synchronous_commit = off;
  set idle_in_transaction_session_timeout = 3600000`;

type Release = (error?: Error | boolean) => void;

/**
 * A connection of Ponder's pools, in the place of its own one, which waits forever where the connection is closed while
 * it is made, and ends the process where it is reset before it is set up. Here both are errors of whoever asked for the
 * connection, and Ponder asks again.
 */
export class IndexerConnection extends pg.Client {
  readonly #settings: string;
  #release: Release | undefined;

  constructor(config: pg.ClientConfig = {}) {
    super({
      ...config,
      connectionTimeoutMillis: patience,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const reader = /^(.+)_readonly$/.exec(config.application_name ?? "");
    this.#settings = reader?.[1] ? readerSettings(reader[1]) : writerSettings;
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
      return this;
    } catch (error) {
      this.connection.stream.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }
}
