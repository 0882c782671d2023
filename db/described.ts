import pg from "pg";
import { RowMessage, UnreadRow } from "./data-rows.ts";

/** What PostgreSQL says of a statement's columns, as the driver keeps it, and by what it found how to read them. */
type Columns = {
  rows: unknown[];
  parseRow(values: (string | null)[]): unknown[];
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
  _types: unknown;
};
type Described = Omit<Columns, "rows" | "parseRow">;
/** Of the driver's own query and connection what their types do not tell. */
type DriverQuery = {
  name: string;
  types: unknown;
  _rowMode: unknown;
  _results: Columns;
  callback: (error: Error | null, result: pg.QueryResult) => void;
  _result: Columns;
  _accumulateRows: boolean;
  handleDataRow(message: object): void;
  prepare(connection: object): void;
  handleRowDescription(message: unknown): void;
};
/** What `leaveUnread` (rows.ts) asks for. */
type Config = pg.QueryConfig & { rowMode?: "array"; leavesRows?: boolean };
type Asked = (statement: unknown, ...rest: unknown[]) => Promise<pg.QueryResult>;

const Query = pg.Query as unknown as new (text: string, values: unknown) => DriverQuery;
const { Result } = pg as unknown as { Result: new (rowMode: unknown, types: unknown) => Columns };

/** A named statement that asks for its columns only where they are not known yet. */
class DescribedQuery extends Query {
  readonly #known: Map<string, Described>;
  readonly #silent: object;
  readonly #leavesRows: boolean;

  constructor(known: Map<string, Described>, silent: object, config: Config, values: unknown) {
    // Not by the whole configuration: the driver would copy it property by property, which takes 4 µs.
    super(config.text, values ?? config.values);
    this.name = config.name ?? "";
    this.types = config.types;
    this._rowMode = config.rowMode;
    this._result = new Result(config.rowMode, config.types);
    this._results = this._result;
    this.#known = known;
    this.#silent = silent;
    this.#leavesRows = config.leavesRows ?? false;
  }

  override handleDataRow(message: object): void {
    const { _result: result } = this;
    if (!this.#leavesRows || !(message instanceof RowMessage)) super.handleDataRow(message);
    else result.rows.push(new UnreadRow(message.text, (values) => result.parseRow(values)));
  }

  override prepare(connection: object): void {
    const columns = this.#known.get(this.name);
    // Others of the same name may have another way to read values.
    const isKnown = columns && columns._types === this._result._types;
    if (isKnown) {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
    }
    super.prepare(isKnown ? this.#silent : connection);
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject, _types } = this._result;
    this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject, _types });
  }
}

/**
 * Has each named statement describe its columns once on a connection. PostgreSQL would write them anew for each run, and the
 * driver read them anew: that was a twentieth of the API's processor time for small answers.
 *
 * They stay as they are: PostgreSQL refuses to run a prepared statement whose columns would be others.
 */
export function describeOnce(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: object };
  const silent = Object.create(connection, { describe: { value: () => {} } });
  const known = new Map<string, Described>();
  const send = client.query.bind(client) as unknown as Asked;
  const query: Asked = (statement, ...rest) => {
    if (!isNamed(statement) || rest.length > 1) return send(statement, ...rest);
    const asked = new DescribedQuery(known, silent, statement, rest[0]);
    return new Promise<pg.QueryResult>((resolve, reject) => {
      asked.callback = (error, result) => (error ? reject(error) : resolve(result));
      send(asked);
    }).catch((error) => {
      // As the driver does: its own stack tells of the socket that was read, this one of who asked.
      Error.captureStackTrace(error);
      throw error;
    });
  };
  client.query = query as unknown as typeof client.query;
}

function isNamed(statement: unknown): statement is pg.QueryConfig {
  return typeof statement === "object" && statement !== null && "name" in statement && !!statement.name;
}
