import { createCanvas } from "@napi-rs/canvas";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

/** A text of a page, with its place in points. `y` counts from the top. */
export type PlacedText = { text: string; x: number; y: number; width: number; height: number };

/** A page: its texts, its size, and a picture of it as PNG with the share of its dots that are not white. */
export type PdfPage = {
  texts: PlacedText[];
  width: number;
  height: number;
  picture: Buffer;
  ink: number;
};

/** Dots of the picture for one point of the page. */
const scale = 1.5;

/** Reads a PDF file and draws its pages. */
export async function readPdf(file: Uint8Array, { draws = true } = {}): Promise<PdfPage[]> {
  const loading = getDocument({ data: new Uint8Array(file), verbosity: 0 });
  const pdf = await loading.promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const content = await page.getTextContent();
    const texts = content.items.flatMap((item) =>
      "str" in item && item.str.trim() !== ""
        ? [
            {
              text: item.str,
              x: item.transform[4],
              y: height - item.transform[5] - item.height,
              width: item.width,
              height: item.height,
            },
          ]
        : [],
    );
    pages.push({
      texts,
      width,
      height,
      ...(draws ? await draw(page) : { picture: Buffer.alloc(0), ink: 0 }),
    });
  }
  await loading.destroy();
  return pages;

  async function draw(page: Awaited<ReturnType<typeof pdf.getPage>>) {
    const viewport = page.getViewport({ scale });
    const canvas = createCanvas(viewport.width, viewport.height);
    await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 200) dark += 1;
    return { picture: canvas.toBuffer("image/png"), ink: dark / (data.length / 4) };
  }
}

/** The text of all pages, with one space between two texts. */
export function textOf(pages: readonly PdfPage[]): string {
  return pages.flatMap(({ texts }) => texts.map(({ text }) => text)).join(" ");
}

/** The pairs of texts of a page that cover each other. */
export function overlapsIn({ texts }: PdfPage): [string, string][] {
  const shrunk = texts.map((one) => ({
    ...one,
    left: one.x + 0.5,
    right: one.x + one.width - 0.5,
    // The height of a text is that of its font; letters of two lines do not touch if their lines do.
    top: one.y + one.height * 0.2,
    bottom: one.y + one.height * 0.9,
  }));
  return shrunk.flatMap((one, at) =>
    shrunk
      .slice(at + 1)
      .filter(
        (other) =>
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      )
      .map((other): [string, string] => [one.text, other.text]),
  );
}
