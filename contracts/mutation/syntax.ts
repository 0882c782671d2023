// The parts of solc's syntax tree that the rules need.

import { z } from "zod";

/** A node of the tree: its kind, and the place of its text ("offset:length:file", in bytes). */
const nodeShape = z.looseObject({ nodeType: z.string(), src: z.string() });
export type Node = z.infer<typeof nodeShape>;

const typeShape = z.object({ typeDescriptions: z.object({ typeString: z.string() }) });

/** A Solidity file: its text and its tree. */
export type Source = { file: string; text: string; tree: Node };

/** Reads one file's tree. The text must be ASCII, so that solc's byte offsets are character offsets. */
export function readSource(file: string, text: string, tree: unknown): Source {
  if (Buffer.byteLength(text) !== text.length) throw new Error(`${file} is not plain ASCII.`);
  return { file, text, tree: nodeShape.parse(tree) };
}

/** Returns the offset of a node's first character, and the offset after its last. */
export function spanOf(node: Node): [number, number] {
  const [start = 0, length = 0] = node.src.split(":").map(Number);
  return [start, start + length];
}

/** Returns a node's child by its name, or undefined. */
export function childOf(node: Node, name: string): Node | undefined {
  return nodeShape.safeParse(node[name]).data;
}

/** Returns a node's list of children by its name; empty if there is none. */
export function childrenOf(node: Node, name: string): Node[] {
  return z.array(nodeShape).safeParse(node[name]).data ?? [];
}

/** Returns an expression's type in solc's form, such as "struct Escrow.Terms calldata"; empty if it has none. */
export function typeOf(node: Node | undefined): string {
  return typeShape.safeParse(node).data?.typeDescriptions.typeString ?? "";
}

/** Returns a node's text member by its name, such as an operator. */
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
