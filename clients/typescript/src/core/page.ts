import { Answer, type RawResponse } from "./call.ts";

/** One page of a list. An iteration continues with the next pages. */
export class Page<Item, Body> implements AsyncIterable<Item> {
  readonly items: Item[];
  /** The response body, which has `total` if the list is counted. */
  readonly body: Body;
  /** The `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
  readonly #readPage: (cursor: string) => PagePromise<Item, Body>;

  constructor(response: RawResponse, body: Body, readPage: (cursor: string) => PagePromise<Item, Body>) {
    const page = body as Item[] | { items: Item[]; next_cursor: string | null };
    this.items = Array.isArray(page) ? page : page.items;
    this.nextCursor = Array.isArray(page) ? cursorOfLink(response.headers.get("link")) : page.next_cursor;
    this.body = body;
    this.#readPage = readPage;
  }

  /** Reads the next page; null after the last. */
  async next(): Promise<Page<Item, Body> | null> {
    return this.nextCursor === null ? null : await this.#readPage(this.nextCursor);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (let page: Page<Item, Body> | null = this; page; page = await page.next()) yield* page.items;
  }
}

/** A list. Await it for the first page, or iterate over the items of all pages. */
export class PagePromise<Item, Body> extends Answer<Page<Item, Body>> implements AsyncIterable<Item> {
  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    yield* await this;
  }
}

/** Reads the cursor in the URL of the next page (RFC 8288). */
function cursorOfLink(link: string | null): string | null {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
  return address ? new URL(address, "http://localhost").searchParams.get("cursor") : null;
}
