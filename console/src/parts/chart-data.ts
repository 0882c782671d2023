/** A figure of a chart: its exact text, and the number that gives the mark its place. */
export type Figure = { text: string; size: number };

/** The figures at one place of the horizontal axis, one for each series; null for no figure. */
export type Point = { label: string; figures: readonly (Figure | null)[] };

/** The look and the data of a chart. */
export type PlotProps = {
  /** also the accessible name */
  title: string;
  /** `categories` are bars of which each has its label */
  kind: "bars" | "categories" | "lines";
  /** the names of the series, at most four */
  series: readonly string[];
  points: readonly Point[];
  /** the top of the vertical axis; the largest figure by default */
  most?: number;
};
