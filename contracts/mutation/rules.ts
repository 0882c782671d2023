// The mutations: for each kind of node, small faulty replacements.

import { childOf, childrenOf, type Node, spanOf, typeOf, wordOf } from "./syntax.ts";

export const kinds = [
  "comparison",
  "arithmetic",
  "logic",
  "branch",
  "check removed",
  "lock removed",
  "write removed",
  "event removed",
  "call removed",
  "value dropped",
  "wrong party",
  "wrong field",
  "wrong status",
  "wrong amount",
  "constant",
  "clock",
  "width",
  "result",
  "argument order",
  "effect after call",
  "index removed",
] as const;
type Kind = (typeof kinds)[number];

/** A change of a node's text. An empty text removes the node. `note` describes a change whose text does not. */
export type Change = { kind: Kind; node: Node; text: string; note?: string };
type Rule = (node: Node, textOf: (node: Node) => string, parent: Node | undefined) => Change[];

const comparisons: Record<string, string[]> = {
  "==": ["!="],
  "!=": ["=="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
};
const arithmetic: Record<string, string> = { "+": "-", "-": "+" };
const logic: Record<string, string> = { "&&": "||", "||": "&&" };
const assignments: Record<string, string[]> = { "+=": ["-=", "="], "-=": ["+=", "="] };

/** Replacements of each party of the terms. */
const parties: Record<string, string> = { buyer: "provider", provider: "buyer", arbiter: "buyer" };
/** Replacements of each time of the terms or the state. */
const fields: Record<string, string> = {
  deliveryWindow: "acceptanceWindow",
  acceptanceWindow: "disputeWindow",
  disputeWindow: "appealWindow",
  appealWindow: "deliveryWindow",
  fundedAt: "deliveredAt",
  deliveredAt: "disputedAt",
  disputedAt: "fundedAt",
};
const statuses = ["None", "Funded", "Disputed", "Decided", "Released", "Refunded", "Split"];
const narrower: Record<string, string> = { uint48: "uint32", uint128: "uint64" };

/** Calls of other contracts, including calls by our own functions. */
const outsideCall =
  /\b(safeTransfer|safeTransferFrom|sweep|functionCall|cloneDeterministic|_pay|_collectDeposit)\(/;

export const rules: Record<string, Rule> = {
  BinaryOperation(node, textOf) {
    const operator = wordOf(node, "operator");
    const [left, right] = [childOf(node, "leftExpression"), childOf(node, "rightExpression")];
    if (!left || !right) return [];
    const by = (kind: Kind, other: string): Change => ({
      kind,
      node,
      text: `${textOf(left)} ${other} ${textOf(right)}`,
    });
    const changes = (comparisons[operator] ?? []).map((other) => by("comparison", other));
    if (arithmetic[operator]) changes.push(by("arithmetic", arithmetic[operator]));
    if (logic[operator]) {
      changes.push(by("logic", logic[operator]));
      changes.push({ kind: "logic", node, text: textOf(left) }, { kind: "logic", node, text: textOf(right) });
    }
    return changes;
  },

  UnaryOperation(node, textOf) {
    const operand = childOf(node, "subExpression");
    if (wordOf(node, "operator") !== "!" || !operand) return [];
    return [{ kind: "logic", node, text: textOf(operand) }];
  },

  IfStatement(node) {
    const condition = childOf(node, "condition");
    const body = childOf(node, "trueBody");
    if (!condition || !body) return [];
    const only = body.nodeType === "Block" ? childrenOf(body, "statements") : [body];
    if (only.length === 1 && only[0]?.nodeType === "RevertStatement" && !childOf(node, "falseBody")) {
      return [{ kind: "check removed", node, text: "{}", note: "removed" }];
    }
    return ["true", "false"].map((text) => ({ kind: "branch", node: condition, text }));
  },

  Conditional(node, textOf) {
    return ["trueExpression", "falseExpression"].flatMap((name) => {
      const branch = childOf(node, name);
      return branch ? [{ kind: "branch", node, text: textOf(branch) }] : [];
    });
  },

  ModifierInvocation(node) {
    if (wordOf(node, "kind") !== "modifierInvocation") return [];
    return [{ kind: "lock removed", node, text: "", note: "removed" }];
  },

  ExpressionStatement(node) {
    const type = childOf(node, "expression")?.nodeType;
    if (!type) return [];
    const kind = type === "FunctionCall" ? "call removed" : "write removed";
    return [{ kind, node, text: "{}", note: "removed" }];
  },

  Assignment(node, textOf) {
    const [left, right] = [childOf(node, "leftHandSide"), childOf(node, "rightHandSide")];
    if (!left || !right) return [];
    return (assignments[wordOf(node, "operator")] ?? []).map((other) => ({
      kind: "arithmetic",
      node,
      text: `${textOf(left)} ${other} ${textOf(right)}`,
    }));
  },

  EmitStatement: (node) => [{ kind: "event removed", node, text: "{}", note: "removed" }],

  VariableDeclarationStatement(node, textOf) {
    const [declaration, ...more] = childrenOf(node, "declarations");
    const initial = childOf(node, "initialValue");
    if (
      !declaration ||
      !initial ||
      more.length > 0 ||
      !/^(u?int|bool|address|bytes32)/.test(typeOf(declaration))
    ) {
      return [];
    }
    return [{ kind: "value dropped", node, text: textOf(declaration) }];
  },

  MemberAccess(node, textOf) {
    const base = childOf(node, "expression");
    const member = wordOf(node, "memberName");
    if (!base) return [];
    const as = (kind: Kind, other: string): Change => ({ kind, node, text: `${textOf(base)}.${other}` });
    const type = typeOf(base);
    if (type === "msg" && member === "sender") return [{ kind: "wrong party", node, text: "tx.origin" }];
    if (type === "block" && member === "timestamp") {
      return [{ kind: "clock", node, text: "(block.timestamp + 1)" }];
    }
    if (type === "type(enum Escrow.Status)") {
      const at = statuses.indexOf(member);
      if (at < 0) throw new Error(`rules.ts does not list Status.${member}.`);
      return [1, statuses.length - 1].map((step) =>
        as("wrong status", statuses[(at + step) % statuses.length] as string),
      );
    }
    if (!type.startsWith("struct Escrow.")) return [];
    if (parties[member]) return [as("wrong party", parties[member])];
    if (member === "amount") return [{ kind: "wrong amount", node, text: `(${textOf(node)} - 1)` }];
    return fields[member] ? [as("wrong field", fields[member])] : [];
  },

  Literal(node, textOf) {
    const text = textOf(node);
    const kind = "constant";
    switch (wordOf(node, "kind")) {
      case "number": {
        const value = BigInt(text.replaceAll("_", ""));
        return [value + 1n, value - 1n]
          .filter((other) => other >= 0n)
          .map((other) => ({ kind, node, text: String(other) }));
      }
      case "string":
        return [{ kind, node, text: `${text.slice(0, -1)}X"` }];
      case "bool":
        return [{ kind, node, text: String(text !== "true") }];
      default:
        throw new Error(`rules.ts knows no literal such as ${text}.`);
    }
  },

  Return(node) {
    const result = childOf(node, "expression");
    if (!result) return [];
    const zeros: Record<string, string> = { address: "address(0)", uint256: "0", bytes32: "bytes32(0)" };
    const zero = zeros[typeOf(result)];
    return zero ? [{ kind: "result", node: result, text: zero }] : [];
  },

  FunctionCall(node, textOf) {
    const values = childrenOf(node, "arguments");
    const called = childOf(node, "expression");
    if (wordOf(node, "kind") === "typeConversion" && called && values[0]) {
      const narrow = narrower[textOf(called)];
      if (!narrow) return [];
      return [{ kind: "width", node, text: `${textOf(called)}(${narrow}(${textOf(values[0])}))` }];
    }
    return swapNeighbours(values, textOf);
  },

  TupleExpression: (node, textOf) => swapNeighbours(childrenOf(node, "components"), textOf),

  IndexAccess(node, textOf) {
    const inner = childOf(node, "baseExpression");
    const outerIndex = childOf(node, "indexExpression");
    const innerIndex = inner && childOf(inner, "indexExpression");
    const base = inner && childOf(inner, "baseExpression");
    if (!outerIndex || !innerIndex || !base) return [];
    return [
      { kind: "argument order", node, text: `${textOf(base)}[${textOf(outerIndex)}][${textOf(innerIndex)}]` },
    ];
  },

  /** Moves each effect of a function behind the calls that follow it. */
  Block(node, textOf, parent) {
    if (parent?.nodeType !== "FunctionDefinition") return [];
    const statements = childrenOf(node, "statements");
    return statements.flatMap((statement, at) => {
      const rest = statements.slice(at + 1);
      if (!isEffect(statement) || !rest.some((later) => outsideCall.test(textOf(later)))) return [];
      const [first, last] = [spanOf(statement), spanOf(rest.at(-1) as Node)];
      const moved = { nodeType: "Statements", src: `${first[0]}:${last[1] - first[0]}:` };
      const text = `${[...rest, statement].map(textOf).map(closed).join("\n")}`;
      const note = `${textOf(statement)} moved behind the calls`;
      return [{ kind: "effect after call" as const, node: moved, text, note }];
    });
  },

  VariableDeclaration(node, textOf) {
    if (node.indexed !== true) return [];
    return [{ kind: "index removed", node, text: textOf(node).replace(" indexed", "") }];
  },

  YulExpressionStatement: (node) => [{ kind: "write removed", node, text: "{}", note: "removed" }],

  YulLiteral(node, textOf) {
    const value = Number(textOf(node));
    return [value + 0x20, value - 0x20].map((other) => ({ kind: "constant", node, text: String(other) }));
  },

  YulFunctionCall(node) {
    if (childrenOf(node, "arguments").length > 0) return [];
    return [{ kind: "value dropped", node, text: "0" }];
  },
};

function swapNeighbours(values: Node[], textOf: (node: Node) => string): Change[] {
  return values.slice(1).flatMap((right, at) => {
    const left = values[at] as Node;
    if (family(left) !== family(right) || textOf(left) === textOf(right)) return [];
    const [start, end] = [spanOf(left)[0], spanOf(right)[1]];
    const node = { nodeType: "Arguments", src: `${start}:${end - start}:` };
    return [{ kind: "argument order" as const, node, text: `${textOf(right)}, ${textOf(left)}` }];
  });
}

/** Maps types that convert into each other to one type. */
function family(node: Node): string {
  const type = typeOf(node);
  return /^(uint|int_const)/.test(type) ? "number" : type.replace(" payable", "");
}

/** Whether a statement is an effect that precedes calls: a write, an event, or an `if` around one. */
function isEffect(statement: Node): boolean {
  if (statement.nodeType === "EmitStatement") return true;
  if (statement.nodeType === "IfStatement") {
    const body = childOf(statement, "trueBody");
    return !!body && isEffect(body);
  }
  const expression = childOf(statement, "expression");
  if (statement.nodeType !== "ExpressionStatement" || !expression) return false;
  const called = childOf(expression, "expression");
  if (called) return wordOf(called, "name") === "_create";
  return childOf(expression, "leftHandSide")?.nodeType !== "Identifier";
}

/** Returns a statement's text with its semicolon, which solc leaves out of most spans. */
function closed(text: string): string {
  return /[;}]$/.test(text) ? text : `${text};`;
}
