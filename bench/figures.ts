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
