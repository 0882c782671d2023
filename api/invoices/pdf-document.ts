/** Writes a time of a document. The foot of each document names the time zone, UTC. */
export const timeText = (time: Date) => time.toISOString().slice(0, 19).replace("T", " ");

/** A document as blocks of text. A thread draws it, so it is plain JSON. */
export type PdfDocument = {
  title: string;
  /** a line below the title, such as the status of the document */
  notice: string | null;
  /** the date that the file states, by RFC 3339 */
  dated: string;
  isWide: boolean;
  blocks: PdfBlock[];
  /** the text at the foot of each page */
  foot: string;
};

export type PdfBlock = PdfColumns | Fields | Table;

/** Two columns of text side by side. */
export type PdfColumns = { kind: "parties"; columns: { heading: string; lines: string[] }[] };

/** Names with their values, one below another. */
export type Fields = { kind: "fields"; heading: string; rows: [string, string][] };

/** A table whose heading stands on each of its pages. `width` is a share of the page's width. */
export type Table = {
  kind: "table";
  heading: string;
  columns: { name: string; width: number; isNumber?: boolean }[];
  rows: string[][];
  /** the rows at the end that are printed bold */
  sums: string[][];
};
