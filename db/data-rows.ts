import { Parser } from "pg-protocol/dist/parser.js";

/** The driver's parser: its types keep to themselves what takes a message apart. */
type Messages = {
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): unknown;
};

/** PostgreSQL's code of a row's message, which begins with its own length and the number of its columns. */
const dataRow = "D".charCodeAt(0);
const lengthBytes = 4;
const countBytes = 2;
/** What stands for the length of a value that is null. */
const nullSize = -1;

/** Bytes of the longest row that is read as one text: a value that is kept somewhere keeps the text that it is a part of. */
const longest = 2048;

/** What the driver makes of a row's message, read when it is asked for. */
export class RowMessage {
  readonly name = "dataRow";
  readonly length: number;
  /** the message from the number of its columns on, each byte a character */
  readonly text: string;

  constructor(length: number, text: string) {
    this.length = length;
    this.text = text;
  }

  get fields(): (string | null)[] {
    return readRow(this.text);
  }
}

/**
 * Has the driver read a row of PostgreSQL's as one text, of which its values are parts. It asks Node for the text of each
 * value by itself, which took an eighth of the API's processor time for a page of orders.
 */
export function readRowsAtOnce(): void {
  const messages = Parser.prototype as unknown as Messages;
  const { handlePacket } = messages;
  messages.handlePacket = function (offset, code, length, bytes) {
    if (code !== dataRow || length > longest) return handlePacket.call(this, offset, code, length, bytes);
    return new RowMessage(length, bytes.toString("latin1", offset, offset + length - lengthBytes));
  };
}

/** A row that nobody has read: most of a list are known by their text. */
export class UnreadRow {
  readonly #text: string;
  readonly #parse: (values: (string | null)[]) => unknown[];

  constructor(text: string, parse: (values: (string | null)[]) => unknown[]) {
    this.#text = text;
    this.#parse = parse;
  }

  /** All values, as the driver reads them. */
  get values(): unknown[] {
    return this.#parse(readRow(this.#text));
  }

  /** One value, as PostgreSQL wrote it. */
  valueAt(column: number): string | null {
    const at = placeOf(this.#text, column);
    const begin = at + lengthBytes;
    const size = sizeAt(this.#text, at);
    return size === nullSize ? null : readLatin(this.#text.slice(begin, begin + size));
  }

  /** Another text where one of the values from this column on is another. */
  textFrom(column: number): string {
    return this.#text.slice(placeOf(this.#text, column));
  }
}

function readRow(text: string): (string | null)[] {
  const values = new Array<string | null>((text.charCodeAt(0) << 8) | text.charCodeAt(1));
  // Bytes over 127 that belong to no value.
  let others = text.charCodeAt(1) >> 7;
  let at = countBytes;
  for (let column = 0; column < values.length; column += 1) {
    const size = sizeAt(text, at);
    const begin = at + lengthBytes;
    at = size === nullSize ? begin : begin + size;
    others += size === nullSize ? lengthBytes : (size >> 7) & 1;
    values[column] = size === nullSize ? null : text.slice(begin, at);
  }
  return bytesOver(text) === others ? values : values.map((value) => value && readLatin(value));
}

/** Where the column's length stands. */
function placeOf(text: string, column: number): number {
  let at = countBytes;
  for (let before = 0; before < column; before += 1) at += lengthBytes + Math.max(0, sizeAt(text, at));
  return at;
}

function sizeAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) << 24) |
    (text.charCodeAt(at + 1) << 16) |
    (text.charCodeAt(at + 2) << 8) |
    text.charCodeAt(at + 3)
  );
}

/** A value whose bytes are characters still: what is not ASCII is another text in UTF-8. */
function readLatin(value: string): string {
  return bytesOver(value) === 0 ? value : Buffer.from(value, "latin1").toString("utf8");
}

/** How many bytes are over 127, where each is a character: UTF-8 takes two for them, which Node counts many at a time. */
function bytesOver(text: string): number {
  return Buffer.byteLength(text) - text.length;
}
