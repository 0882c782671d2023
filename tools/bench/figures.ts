import { appendFileSync, readFileSync } from "node:fs";
import { z } from "zod";

/** The report file of a run. `scripts/bench.ts` sets its name. */
const runFile = "BENCH_FIGURES";

const shape = z.object({
  /** the bench and the measured quantity, as in `orders: placed over HTTP, 8 at once` */
  name: z.string(),
  /** the baseline of a ratio, or the unit */
  of: z.string(),
  value: z.number(),
  better: z.enum(["higher", "lower"]),
});

/** A figure of a run. */
export type Figure = z.infer<typeof shape>;

/** The share by which a figure may get worse before the summary marks it. */
const loss = 0.25;

/**
 * Reports a figure to the summary of `npm run bench`, and to tools/bench/figures.json with `--write`. A bench that runs by
 * itself has no report.
 */
export function reportFigure(figure: Figure): void {
  const file = process.env[runFile];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Environment variables that name the report file of a run's benches. */
export const reportingTo = (file: string) => ({ [runFile]: file });

/** Reads the reported figures of a run. The last figure of each name counts. */
export function readReported(file: string): Figure[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return byName(lines.map((line) => shape.parse(JSON.parse(line))));
}

/** The committed figures. */
export const readFigures = (file: string): Figure[] =>
  z.array(shape).parse(JSON.parse(readFileSync(file, "utf8")));

/** Replaces committed figures by a run's figures of the same name. */
export const mergeFigures = (committed: Figure[], run: Figure[]): Figure[] =>
  byName([...committed, ...run]).sort((a, b) => (a.name < b.name ? -1 : 1));

const byName = (figures: Figure[]) => [...new Map(figures.map((figure) => [figure.name, figure])).values()];

/** Returns a table of a run's figures and the committed ones. The last column marks figures that are a quarter worse or more. */
export function compareFigures(committed: Figure[], run: Figure[]): string[][] {
  const before = new Map(committed.map((figure) => [figure.name, figure.value]));
  return run.map(({ name, of, value, better }) => {
    const old = before.get(name);
    if (old === undefined) return [name, of, "", inFigures(value), "new"];
    const share = better === "higher" ? value / old : old / value;
    const mark = share <= 1 - loss ? "WORSE" : share >= 1 / (1 - loss) ? "better" : "";
    return [name, of, inFigures(old), inFigures(value), mark];
  });
}

/** Formats a number with three significant digits. */
const inFigures = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));

/** Prints rows under a heading, in columns. */
export function printTable(heading: string, rows: (string | number)[][]): void {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell.toFixed(1) : cell)));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  process.stdout.write(`\n${heading}\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
}
