import { Answer, type RawResponse } from "./call.ts";

/** One page of a list. Iterating goes on to the pages after it. */
export class Page<Item, Body> implements AsyncIterable<Item> {
  readonly items: Item[];
  /** The page as it was answered, with `total` where the list counts. */
  readonly body: Body;
  /** For `cursor` of the next page; null on the last. */
  readonly nextCursor: string | null;
  readonly #ask: (cursor: string) => PagePromise<Item, Body>;

  constructor(response: RawResponse, body: Body, ask: (cursor: string) => PagePromise<Item, Body>) {
    const page = body as Item[] | { items: Item[]; next_cursor: string | null };
    this.items = Array.isArray(page) ? page : page.items;
    this.nextCursor = Array.isArray(page) ? cursorOfLink(response.headers.get("link")) : page.next_cursor;
    this.body = body;
    this.#ask = ask;
  }

  /** The next page, null after the last. */
  async next(): Promise<Page<Item, Body> | null> {
    return this.nextCursor === null ? null : await this.#ask(this.nextCursor);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (let page: Page<Item, Body> | null = this; page; page = await page.next()) yield* page.items;
  }
}

/** A list: await it for its first page, or iterate over all items of all pages. */
export class PagePromise<Item, Body> extends Answer<Page<Item, Body>> implements AsyncIterable<Item> {
  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    yield* await this;
  }
}

/** The cursor in the address of the next page (RFC 8288). */
function cursorOfLink(link: string | null): string | null {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
  return address ? new URL(address, "http://localhost").searchParams.get("cursor") : null;
}
