/** Numbers of one meaning. */
export type Metric = {
  /** in snake case and base units; a counter's ends with `_total` */
  name: string;
  help: string;
  type: "gauge" | "counter";
  samples: { labels: Record<string, string | number>; value: number }[];
};
