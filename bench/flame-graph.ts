import type { Profiler, Runtime } from "node:inspector";

type Frame = { name: string; place: string; microseconds: number; below: Map<string, Frame> };

const width = 1600;
const height = 16;
/** Narrower frames would be no more than lines. */
const narrowest = 0.5;

/**
 * A flame graph of a processor profile, as SVG: each frame is as wide as the time in it and in what it called, the callers
 * above. Time without work is left out.
 */
export function drawFlameGraph({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const callerOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const root: Frame = { name: "all", place: "", microseconds: 0, below: new Map() };
  samples.forEach((sample, at) => {
    const stack: Runtime.CallFrame[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = callerOf.get(id)) {
      const node = nodeOf.get(id);
      if (node) stack.unshift(node.callFrame);
    }
    if (stack.at(-1)?.functionName === "(idle)") return;
    const spent = timeDeltas[at] ?? 0;
    root.microseconds += spent;
    let frame = root;
    for (const { functionName, url, lineNumber } of stack.slice(1)) {
      const place = url ? `${shorten(url)}:${lineNumber + 1}` : "";
      const key = `${functionName} ${place}`;
      const next = frame.below.get(key) ?? { name: functionName, place, microseconds: 0, below: new Map() };
      frame.below.set(key, next);
      next.microseconds += spent;
      frame = next;
    }
  });
  const boxes: string[] = [];
  const deepest = place(root, 0, 0, width / Math.max(1, root.microseconds), boxes);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${(deepest + 1) * height}" font-family="monospace" font-size="11">${boxes.join("")}</svg>\n`;
}

/** Adds the boxes of a frame and of what it called. Returns how deep they go. */
function place(frame: Frame, left: number, depth: number, scale: number, boxes: string[]): number {
  const wide = frame.microseconds * scale;
  if (wide < narrowest) return depth;
  const text = `${frame.name || "(anonymous)"} ${frame.place}`;
  const shown = text.slice(0, Math.floor(wide / 7));
  const title = `${text} ${(frame.microseconds / 1000).toFixed(1)} ms`;
  boxes.push(
    `<g><title>${escapeText(title)}</title><rect x="${left.toFixed(1)}" y="${depth * height}" width="${wide.toFixed(1)}" height="${height - 1}" fill="${colourOf(frame.place)}"/><text x="${(left + 2).toFixed(1)}" y="${depth * height + 12}">${escapeText(shown)}</text></g>`,
  );
  let deepest = depth;
  let next = left;
  for (const below of [...frame.below.values()].sort((a, b) => b.microseconds - a.microseconds)) {
    deepest = Math.max(deepest, place(below, next, depth + 1, scale, boxes));
    next += below.microseconds * scale;
  }
  return deepest;
}

/** Ours, the packages', and Node's own. */
function colourOf(place: string): string {
  if (place === "" || place.startsWith("node:")) return "#d9d9d9";
  return place.startsWith("~") ? "#fdd49e" : "#a6d96a";
}

const shorten = (url: string) =>
  url
    .replace(/^.*\/node_modules\//, "~")
    .replace(new URL("..", import.meta.url).href, "")
    .replace(/^file:\/\//, "");

const escapeText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
