import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  compareFigures,
  mergeFigures,
  readReported,
  reportFigure,
  reportingTo,
} from "../../tools/bench/figures.ts";

test("the summary of benchmarks marks losses of a quarter in either direction", () => {
  const folder = mkdtempSync(join(tmpdir(), "earnest-figures-"));
  try {
    const file = join(folder, "run");
    for (const [name, value] of Object.entries(reportingTo(file))) vi.stubEnv(name, value);
    const figure = (name: string, value: number, better: "higher" | "lower") =>
      ({ name, of: "a bare program", value, better }) as const;
    const committed = [
      figure("a", 0.8, "higher"),
      figure("b", 0.8, "higher"),
      figure("c", 90, "lower"),
      figure("d", 90, "lower"),
      figure("not run", 1, "higher"),
    ];
    for (const one of [
      figure("a", 0.9, "higher"),
      figure("a", 0.6, "higher"),
      figure("b", 0.61, "higher"),
      figure("c", 120, "lower"),
      figure("d", 119, "lower"),
      figure("e", 1, "lower"),
    ])
      reportFigure(one);
    const run = readReported(file);
    expect(compareFigures(committed, run).map(([name, , , , mark]) => [name, mark])).toEqual([
      ["a", "WORSE"],
      ["b", ""],
      ["c", "WORSE"],
      ["d", ""],
      ["e", "new"],
    ]);
    expect(mergeFigures(committed, run).map(({ name, value }) => [name, value])).toEqual([
      ["a", 0.6],
      ["b", 0.61],
      ["c", 120],
      ["d", 119],
      ["e", 1],
      ["not run", 1],
    ]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  }
});
