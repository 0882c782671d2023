// The syntax tree of the contracts as solc writes it, and the little of it that the rules ask for.

import { z } from "zod";

/** A node of the tree: its kind, and where its text stands ("offset:length:file", in bytes). */
const nodeShape = z.looseObject({ nodeType: z.string(), src: z.string() });
export type Node = z.infer<typeof nodeShape>;

const typeShape = z.object({ typeDescriptions: z.object({ typeString: z.string() }) });

/** A Solidity file: its text and its tree. */
export type Source = { file: string; text: string; tree: Node };

/** Reads one file's tree; the text has to be ASCII, so that solc's bytes are our characters. */
export function readSource(file: string, text: string, tree: unknown): Source {
  if (Buffer.byteLength(text) !== text.length) throw new Error(`${file} is not plain ASCII.`);
  return { file, text, tree: nodeShape.parse(tree) };
}

/** The offset of a node's first character, and of the one behind its last. */
export function spanOf(node: Node): [number, number] {
  const [start = 0, length = 0] = node.src.split(":").map(Number);
  return [start, start + length];
}

/** A node's child by its name, or undefined. */
export function childOf(node: Node, name: string): Node | undefined {
  return nodeShape.safeParse(node[name]).data;
}

/** A node's list of children by its name; empty where there is none. */
export function childrenOf(node: Node, name: string): Node[] {
  return z.array(nodeShape).safeParse(node[name]).data ?? [];
}

/** An expression's type as solc words it, such as "struct Escrow.Terms calldata"; empty where it has none. */
export function typeOf(node: Node | undefined): string {
  return typeShape.safeParse(node).data?.typeDescriptions.typeString ?? "";
}

/** A node's own word by its name, such as an operator. */
export function wordOf(node: Node, name: string): string {
  return z.string().safeParse(node[name]).data ?? "";
}

/** Visits a node and all below it in the order of their text, each with its ancestors, the nearest first. */
export function visit(
  node: Node,
  see: (node: Node, ancestors: Node[]) => void,
  ancestors: Node[] = [],
): void {
  see(node, ancestors);
  const below: Node[] = [];
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      const child = nodeShape.safeParse(each).data;
      if (child) below.push(child);
    }
  }
  below.sort((a, b) => spanOf(a)[0] - spanOf(b)[0]);
  for (const child of below) visit(child, see, [node, ...ancestors]);
}
