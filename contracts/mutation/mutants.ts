// All mutants of a Solidity file: each a copy of its text with one small change.

import { type Change, rules } from "./rules.ts";
import { type Node, type Source, spanOf, visit, wordOf } from "./syntax.ts";

export type Mutant = {
  /** the place, the old text and the new text; edits elsewhere in the file do not change it */
  id: string;
  kind: Change["kind"];
  file: string;
  line: number;
  /** the whole file */
  text: string;
};

/** The least number of characters of the expression around a change that an id shows. */
const shortest = 20;
const longest = 160;

/** Makes the mutants of a file in the order of its text. Changes with the same result are one mutant. */
export function listMutants(source: Source): Mutant[] {
  const textOf = (node: Node) => source.text.slice(...spanOf(node));
  const mutants: Mutant[] = [];
  const texts = new Set([source.text]);
  const times = new Map<string, number>();
  visit(source.tree, (node, ancestors) => {
    const place = placeOf([node, ...ancestors]);
    if (!place) return;
    for (const change of rules[node.nodeType]?.(node, textOf, ancestors[0]) ?? []) {
      const text = apply(source.text, change);
      if (texts.has(text)) continue;
      texts.add(text);
      const sentence = `${place}: ${describe(source.text, change, [change.node, node, ...ancestors])}`;
      const time = (times.get(sentence) ?? 0) + 1;
      times.set(sentence, time);
      mutants.push({
        id: time === 1 ? sentence : `${sentence} (${time})`,
        kind: change.kind,
        file: source.file,
        line: source.text.slice(0, spanOf(change.node)[0]).split("\n").length,
        text,
      });
    }
  });
  return mutants;
}

/** Finds the contract and the function, event or constant of a node; undefined for a node that is no code. */
function placeOf(path: Node[]): string | undefined {
  const contract = path.find((node) => node.nodeType === "ContractDefinition");
  const member = path.find(
    (node) =>
      node.nodeType === "FunctionDefinition" ||
      node.nodeType === "EventDefinition" ||
      (node.nodeType === "VariableDeclaration" && node.stateVariable === true),
  );
  if (!contract || !member) return undefined;
  return `${wordOf(contract, "name")}.${wordOf(member, "name") || wordOf(member, "kind")}`;
}

function apply(text: string, { node, text: changed }: Change): string {
  const [start, end] = spanOf(node);
  // A statement's span in solc's tree ends before its semicolon.
  const rest = /[;}]$/.test(changed) && text[end] === ";" ? end + 1 : end;
  return text.slice(0, start) + changed + text.slice(rest);
}

/** Writes "old text -> new text", with enough text around the change to make it unique. */
function describe(text: string, change: Change, path: Node[]): string {
  const around = path.find((node) => {
    const [start, end] = spanOf(node);
    return end - start >= shortest;
  });
  const [from, to] = spanOf(change.node);
  const [start, end] =
    around && spanOf(around)[1] - spanOf(around)[0] <= longest ? spanOf(around) : [from, to];
  const was = text.slice(start, end);
  if (change.note?.includes(" ")) return squeeze(change.note);
  if (change.note) return squeeze(`${text.slice(from, to)} -> ${change.note}`);
  return squeeze(`${was} -> ${text.slice(start, from)}${change.text}${text.slice(to, end)}`);
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
