/** Seconds up to which an answer counts for a bucket. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What was asked of one route in one way, and answered alike. */
type Count = { labels: string; seconds: number; within: number[]; answers: number };

/** The requests of this process, by method, route and kind of answer: as many rows as there are routes. */
const counts = new Map<string, Count>();

/** @param route its pattern; null where there is none, whatever the method */
export function countRequest(
  method: string,
  route: string | null,
  status: number,
  milliseconds: number,
): void {
  const kind = `${Math.floor(status / 100)}XX`;
  const key = route === null ? kind : `${method} ${route} ${kind}`;
  let count = counts.get(key);
  if (!count) {
    const of = route === null ? "" : `method="${method}",path="${route}",`;
    count = { labels: `${of}status="${kind}"`, seconds: 0, within: buckets.map(() => 0), answers: 0 };
    counts.set(key, count);
  }
  const seconds = milliseconds / 1000;
  count.seconds += seconds;
  count.answers += 1;
  const bucket = buckets.findIndex((most) => seconds <= most);
  if (bucket >= 0) count.within[bucket] = (count.within[bucket] ?? 0) + 1;
}

/** What this process counted, to be summed with what others did. */
export const readRequestCounts = (): Count[] => [...counts.values()];

/** The counts of all processes as Prometheus takes them. */
export function writeRequestCounts(processes: Count[][]): string {
  const sums = new Map<string, Count>();
  for (const { labels, seconds, within, answers } of processes.flat()) {
    const sum = sums.get(labels) ?? { labels, seconds: 0, within: buckets.map(() => 0), answers: 0 };
    sum.seconds += seconds;
    sum.answers += answers;
    sum.within = sum.within.map((one, at) => one + (within[at] ?? 0));
    sums.set(labels, sum);
  }
  const name = "earnest_http_request_duration_seconds";
  const lines = [...sums.values()].flatMap(({ labels, seconds, within, answers }) => {
    let sum = 0;
    return [
      ...within.map((one, at) => {
        sum += one;
        return `${name}_bucket{${labels},le="${buckets[at]}"} ${sum}\n`;
      }),
      `${name}_bucket{${labels},le="+Inf"} ${answers}\n`,
      `${name}_sum{${labels}} ${seconds}\n`,
      `${name}_count{${labels}} ${answers}\n`,
    ];
  });
  return `# HELP ${name} How long requests took, by route and kind of answer.\n# TYPE ${name} histogram\n${lines.join("")}`;
}
