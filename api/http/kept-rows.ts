/** What is shown of one row, as JSON, and what it was made of. */
type Kept = { source: string; json: string };
type Own = { rows: Map<string, Kept>; bytes: number };

/** Bytes of a row beside its two texts, about. */
const overhead = 200;

/** One account has so much of all at most: who pages through many orders takes no other's rows away. */
const share = 1 / 8;

export type KeptRows = ReturnType<typeof keepRows>;

/**
 * Keeps what is shown of the rows of lists. A list is asked for again and again, and is read from the database each time; what
 * is shown of a row is written again only where one of its values is another. To take rows apart, present them and
 * write their JSON took a third of the API's processor time for a page of 50 orders.
 *
 * @param most bytes of all of it, about; the accounts that asked longest ago are forgotten first
 */
export function keepRows(most: number) {
  const accounts = new Map<string, Own>();
  let bytes = 0;

  return {
    /**
     * For one page.
     *
     * @param accountId who it is shown to
     * @returns what gives a row's JSON by the row's id and by all that it is made of; `write` makes it anew
     */
    of(accountId: string) {
      const standing = accounts.get(accountId);
      // Who has no rows here takes no place either: accounts cost nothing to make.
      if (standing && accounts.delete(accountId)) accounts.set(accountId, standing);
      return (id: string, source: string, write: () => string): string => {
        // Another page of the account may have begun to keep its rows meanwhile.
        const own = accounts.get(accountId) ?? { rows: new Map<string, Kept>(), bytes: 0 };
        const kept = own.rows.get(id);
        if (kept?.source === source) return kept.json;
        const json = write();
        keep(accountId, own, id, { source, json });
        return json;
      };
    },
  };

  function keep(accountId: string, own: Own, id: string, row: Kept): void {
    const size = sizeOf(row);
    if (own.bytes + size > most * share) forget(accountId, own);
    if (size > most * share) return;
    const added = size - sizeOf(own.rows.get(id));
    own.rows.set(id, row);
    own.bytes += added;
    bytes += added;
    accounts.set(accountId, own);
    for (const [oldestId, oldest] of accounts) {
      if (bytes <= most) break;
      forget(oldestId, oldest);
    }
  }

  function forget(accountId: string, own: Own): void {
    accounts.delete(accountId);
    bytes -= own.bytes;
    own.rows.clear();
    own.bytes = 0;
  }
}

function sizeOf(row: Kept | undefined): number {
  return row ? row.source.length + row.json.length + overhead : 0;
}
