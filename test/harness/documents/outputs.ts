import { blockOf } from "./blocks.ts";
import { readSample } from "./samples.ts";

/** Patterns of values that change in each run, each with its placeholder. The longest come first. */
const changing: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, "<time>"],
  [/0x[0-9a-fA-F]{64}\b/g, "<hash>"],
  [/0x[0-9a-fA-F]{40}\b/g, "<address>"],
  [/\breq_[0-9a-f]{32}\b/g, "<request>"],
  [/\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g, "<$1>"],
  [/\bE-[0-9A-Z]{6}\b/g, "<reference>"],
  [/\bcounter-[0-9a-f]{6}\b/g, "<slug>"],
  [/\b(localhost|127\.0\.0\.1)(:|%3A)\d+/g, "<host>$2<port>"],
  [/127\.0\.0\.1:(?=<port>)/g, "<host>:"],
  [/\beip155:\d+/g, "eip155:<chain>"],
  [/\bblock \d+/g, "block <number>"],
  [/\bentry \d+ of \d+/g, "entry <number> of <number>"],
  [/\b\d+ confirmations/g, "<number> confirmations"],
  [/confirmations: \d+/g, "confirmations: <number>"],
  [/ *\d+\.\d s\b/g, " <seconds> s"],
];

/** Replaces values that change in each run: ids, hashes, addresses, times, ports, depths. */
export function withoutChanges(output: string): string {
  return changing.reduce((text, [form, word]) => text.replaceAll(form, word), output.trimEnd());
}

const isShortened = (text: string) => text.includes("...") || text.includes("…");

const isDigits = (text: string) => /^\d+$/.test(text);

/**
 * Replaces the parts of a value that a sample omits or shortens, so that a true sample is equal. Strings lose
 * what changes, and only the kind of a number or time counts.
 */
export function likeSample(actual: unknown, sample: unknown): unknown {
  if (typeof sample === "string" && isShortened(sample)) return typeof actual === "string" ? sample : actual;
  // A number that is written as a string.
  if (typeof actual === "string" && typeof sample === "string" && [actual, sample].every(isDigits))
    return sample;
  if (typeof actual === "string") return withoutChanges(actual).replaceAll(/\d+\.\d{6}/g, "<amount>");
  if (typeof actual === "number" && typeof sample === "number") return sample;
  if (Array.isArray(actual) && Array.isArray(sample))
    return actual.map((item, at) => likeSample(item, sample[at] ?? sample.at(-1)));
  if (typeof actual !== "object" || actual === null) return actual;
  if (typeof sample !== "object" || sample === null) return actual;
  const wanted = sample as Record<string, unknown>;
  // An object that is written empty, or with `...`, has more members than shown.
  const isPart = Object.keys(wanted).length === 0 || "..." in wanted;
  const members = Object.entries(actual).filter(([name]) => !isPart || name in wanted);
  return Object.fromEntries([
    ...members.map(([name, value]) => [name, likeSample(value, wanted[name])]),
    ...("..." in wanted ? [["...", "..."]] : []),
  ]);
}

/** Returns an answer and a sample of a document, equal where the sample is true. */
export function compared(actual: unknown, key: string): [actual: unknown, sample: unknown] {
  const sample = readSample(blockOf(key));
  return [likeSample(actual, sample), likeSample(sample, sample)];
}
