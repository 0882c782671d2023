// Runs in threads of its own: the layout of a long document takes seconds, and requests must not wait for it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fontkit from "fontkit";
import PDFDocument from "pdfkit";
import { hiddenCharacters } from "../../protocol/json/text.ts";
import type { Fields, PdfBlock, PdfColumns, PdfDocument, Table } from "./pdf-document.ts";

const { resolve } = createRequire(import.meta.url);
const regular = readFileSync(resolve("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf"));
const bold = readFileSync(resolve("@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf"));

/** Latin, Greek, Cyrillic, Vietnamese and Devanagari. */
const font = fontkit.create(regular) as fontkit.Font;

/** Stands for a character that the font lacks. */
const unknown = "\ufffd";
const unknownNotice =
  "The sign \ufffd stands for a letter that the font of this file lacks. The CSV file has the exact text.";

/**
 * The file maps each glyph to one text. If the font decomposed a letter, its parts would be copied and searched as the whole
 * letter, also in other words. Options take time, so texts of ASCII alone have none.
 */
const wholeLetters = { features: { ccmp: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[] };
const optionsFor = (text: string) => (/^[ -~]*$/.test(text) ? {} : wholeLetters);

const margin = 42;
const gap = 8;
const usual = 9;

type Page = PDFKit.PDFDocument;

/** Draws a document as a PDF. The same document gives the same bytes. */
export default async function print(document: PdfDocument): Promise<Uint8Array> {
  const { text, hasUnknown } = createText();
  const page = new PDFDocument({
    size: "A4",
    layout: document.isWide ? "landscape" : "portrait",
    margins: { top: margin, bottom: margin + 18, left: margin, right: margin },
    bufferPages: true,
    lang: "en",
    displayTitle: true,
    info: { Title: text(document.title), Producer: "Earnest", CreationDate: new Date(document.dated) },
  });
  page.registerFont("regular", regular as unknown as string);
  page.registerFont("bold", bold as unknown as string);
  const chunks: Uint8Array[] = [];
  page.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    page.on("end", resolve);
    page.on("error", reject);
  });

  write(page.font("bold").fontSize(16), text(document.title), { x: margin, y: margin });
  if (document.notice !== null) {
    page.moveDown(0.3).font("bold").fontSize(usual);
    write(page, text(document.notice));
  }
  for (const block of document.blocks) drawBlock(page, block, text);
  drawFeet(page, [document.foot, ...(hasUnknown() ? [unknownNotice] : [])].map(text).join(" "));
  page.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Makes texts printable: one line, composed letters, and a sign for each character without a letter form. */
function createText() {
  let isIncomplete = false;
  return {
    hasUnknown: () => isIncomplete,
    text: (value: string) =>
      Array.from(value.normalize("NFC").replaceAll(hiddenCharacters, "").replaceAll(/\s+/gu, " "))
        .map((character) => {
          if (font.hasGlyphForCodePoint(character.codePointAt(0) as number)) return character;
          isIncomplete = true;
          return unknown;
        })
        .join(""),
  };
}

type Text = (value: string) => string;

/** Writes a text at the left margin and below the last text, where no other place is given. */
function write(
  page: Page,
  text: string,
  { x = margin, y = page.y, ...options }: PDFKit.Mixins.TextOptions & { x?: number; y?: number } = {},
): Page {
  return page.text(text, x, y, { ...options, ...optionsFor(text) });
}

const widthOf = (page: Page) => page.page.width - 2 * margin;
const bottomOf = (page: Page) => page.page.maxY();

function drawBlock(page: Page, block: PdfBlock, text: Text): void {
  page.y += 2 * gap;
  if (block.kind === "parties") drawParties(page, block, text);
  else if (block.kind === "fields") drawFields(page, block, text);
  else drawTable(page, block, text);
}

function drawHeading(page: Page, heading: string): void {
  // A heading stays with the first lines below it.
  if (page.y + 48 > bottomOf(page)) page.addPage();
  write(page.font("bold").fontSize(10), heading).moveDown(0.3);
}

function drawParties(page: Page, { columns }: PdfColumns, text: Text): void {
  const width = (widthOf(page) - gap * (columns.length - 1)) / columns.length;
  const top = page.y;
  const ends = columns.map(({ heading, lines }, at) => {
    const x = margin + at * (width + gap);
    write(page.font("bold").fontSize(10), text(heading), { x, y: top, width }).moveDown(0.2);
    page.font("regular").fontSize(usual);
    for (const line of lines) write(page, text(line), { x, width });
    return page.y;
  });
  page.y = Math.max(...ends);
}

function drawFields(page: Page, { heading, rows }: Fields, text: Text): void {
  drawHeading(page, text(heading));
  const columns = [{ width: 0.24 }, { width: 0.76 }];
  for (const row of rows) drawRow(page, columns, row.map(text), { size: usual, fonts: ["bold", "regular"] });
}

function drawTable(page: Page, { heading, columns, rows, sums }: Table, text: Text): void {
  drawHeading(page, text(heading));
  const size = page.page.width > page.page.height ? 7 : 8;
  const names = columns.map(({ name }) => text(name));
  const drawNames = () => drawRow(page, columns, names, { size, fonts: ["bold"], hasLine: true });
  const drawTableRow = (row: string[], font: "regular" | "bold") =>
    drawRow(page, columns, row.map(text), { size, fonts: [font], onPage: drawNames });
  drawNames();
  for (const row of rows) drawTableRow(row, "regular");
  if (sums.length > 0) drawLine(page);
  for (const row of sums) drawTableRow(row, "bold");
}

type RowStyle = {
  size: number;
  /** the font of each cell; the last one is that of the others, too */
  fonts: ("regular" | "bold")[];
  hasLine?: boolean;
  /** draws what each new page begins with */
  onPage?: () => void;
};

function drawRow(
  page: Page,
  columns: { width: number; isNumber?: boolean }[],
  cells: string[],
  { size, fonts, hasLine, onPage }: RowStyle,
): void {
  const whole = widthOf(page) + 4;
  const options = columns.map(({ width, isNumber }) => ({
    width: width * whole - 4,
    align: isNumber ? ("right" as const) : ("left" as const),
  }));
  const choose = (at: number) => page.font(fonts[Math.min(at, fonts.length - 1)] ?? "regular").fontSize(size);
  const heights = cells.map((cell, at) =>
    choose(at).heightOfString(cell, { ...options[at], ...optionsFor(cell) }),
  );
  const height = Math.max(...heights);
  if (page.y + height > bottomOf(page)) {
    page.addPage();
    onPage?.();
  }
  const top = page.y;
  let x = margin;
  for (const [at, cell] of cells.entries()) {
    write(choose(at), cell, { x, y: top, ...options[at] });
    x += (columns[at]?.width ?? 0) * whole;
  }
  page.y = top + height + 2;
  if (hasLine) drawLine(page);
}

function drawLine(page: Page): void {
  page
    .moveTo(margin, page.y)
    .lineTo(page.page.width - margin, page.y)
    .lineWidth(0.5)
    .strokeColor("#888888")
    .stroke();
  page.y += 3;
}

/** Writes the foot and the number of each page, below the area of the text. */
function drawFeet(page: Page, foot: string): void {
  const { start, count } = page.bufferedPageRange();
  for (let at = start; at < start + count; at += 1) {
    page.switchToPage(at);
    page.page.margins.bottom = 0;
    const y = page.page.height - margin;
    const width = widthOf(page);
    page.font("regular").fontSize(7).fillColor("#444444");
    write(page, foot, { y, width: width - 80, height: 20, ellipsis: true });
    const x = page.page.width - margin - 72;
    write(page, `${at + 1} / ${count}`, { x, y, width: 72, align: "right" });
    page.fillColor("#000000");
  }
}
