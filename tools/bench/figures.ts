import { appendFileSync, readFileSync } from "node:fs";
import { z } from "zod";

/** The file that takes what a run measures; `scripts/bench.ts` names it. */
const runFile = "BENCH_FIGURES";

const shape = z.object({
  /** the bench, then what it measured: `orders: placed over HTTP, 8 at once` */
  name: z.string(),
  /** to what it was compared, or in what it was counted */
  of: z.string(),
  value: z.number(),
  better: z.enum(["higher", "lower"]),
});

/** One figure that outlives a run. */
export type Figure = z.infer<typeof shape>;

/** The share of a figure that a run may lose before the summary marks it. */
const loss = 0.25;

/**
 * Reports a figure to the summary of `npm run bench`, and to tools/bench/figures.json with `--write`. A bench that runs without
 * the summary reports to nobody.
 */
export function reportFigure(figure: Figure): void {
  const file = process.env[runFile];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Environment variables that name the report file of a run's benches. */
export const reportingTo = (file: string) => ({ [runFile]: file });

/** Reads the figures that a run's benches reported. The last figure of each name counts. */
export function readReported(file: string): Figure[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return byName(lines.map((line) => shape.parse(JSON.parse(line))));
}

/** The committed figures. */
export const readFigures = (file: string): Figure[] =>
  z.array(shape).parse(JSON.parse(readFileSync(file, "utf8")));

/** The committed figures with a run's in place of theirs, by name. */
export const mergeFigures = (committed: Figure[], run: Figure[]): Figure[] =>
  byName([...committed, ...run]).sort((a, b) => (a.name < b.name ? -1 : 1));

const byName = (figures: Figure[]) => [...new Map(figures.map((figure) => [figure.name, figure])).values()];

/** A run's figures beside the committed ones; the last column says which lost a quarter or more. */
export function compareFigures(committed: Figure[], run: Figure[]): string[][] {
  const before = new Map(committed.map((figure) => [figure.name, figure.value]));
  return run.map(({ name, of, value, better }) => {
    const old = before.get(name);
    if (old === undefined) return [name, of, "", inFigures(value), "new"];
    const kept = better === "higher" ? value / old : old / value;
    const mark = kept <= 1 - loss ? "WORSE" : kept >= 1 / (1 - loss) ? "better" : "";
    return [name, of, inFigures(old), inFigures(value), mark];
  });
}

/** A figure's name without its last part, and this part: "orders: placed over HTTP" and "8 at once". */
function splitName(name: string): [base: string, variant: string] {
  const at = name.lastIndexOf(", ");
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 2)];
}

/** The committed figures as the table of tools/bench/README.md. Figures that differ only in the last part of their names share a row. */
export function tableOf(figures: Figure[]): string {
  const rows = Map.groupBy(figures, ({ name, of, better }) => [splitName(name)[0], of, better].join(" | "));
  return [
    "| figure | of | better | value |",
    "|---|---|---|---|",
    ...[...rows.values()].map((group) => {
      const [{ name, of, better, value }] = group as [Figure];
      if (group.length === 1) return `| ${name} | ${of} | ${better} | ${inFigures(value)} |`;
      const values = group.map((one) => `${splitName(one.name)[1]}: ${inFigures(one.value)}`);
      return `| ${splitName(name)[0]} | ${of} | ${better} | ${values.join("; ")} |`;
    }),
  ].join("\n");
}

/** Three figures that count, and no more. */
const inFigures = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));

/** The value below which this share of the samples lies (nearest rank). */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

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
