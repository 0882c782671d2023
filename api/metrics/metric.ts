/** A metric with its samples. */
export type Metric = {
  /** in snake case and base units; a counter's name ends with `_total` */
  name: string;
  help: string;
  type: "gauge" | "counter";
  samples: { labels: Record<string, string | number>; value: number }[];
};
