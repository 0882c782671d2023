/** A metric that a PromQL expression reads, with the labels that it selects. */
export type Selected = { metric: string; labels: Record<string, string> };

const aggregations = new Set(["sum", "max", "min", "avg", "count", "topk", "bottomk", "quantile"]);
/** The kinds of the arguments of each function: a vector, a range or a number. */
const functions: Record<string, ("vector" | "range" | "number")[]> = {
  time: [],
  rate: ["range"],
  increase: ["range"],
  histogram_quantile: ["number", "vector"],
  absent: ["vector"],
};
/** The binary operators, from the loosest to the tightest. */
const operators = [
  ["or"],
  ["and", "unless"],
  ["==", "!=", "<=", "<", ">=", ">"],
  ["+", "-"],
  ["*", "/", "%"],
];

const token =
  /\s*(?:([a-zA-Z_:][\w:]*)|(\d+(?:\.\d+)?(?:ms|[smhdwy])?)|("(?:[^"\\]|\\.)*")|(==|!=|=~|!~|<=|>=|[-+*/%<>=(){}[\],]))/y;

/**
 * Parses an expression of as much of PromQL as our rules and dashboards need, with the kinds of its parts.
 *
 * @returns what it reads
 * @throws Error where it is no expression
 */
export function parsePromQl(text: string): Selected[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (text.slice(token.lastIndex).trim() !== "") {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (!found) throw new Error(`There is no word of PromQL at "${text.slice(at)}".`);
    tokens.push(found[0].trim());
  }
  const selected: Selected[] = [];
  let at = 0;
  const peek = () => tokens[at] ?? "";
  const take = (wanted?: string) => {
    const one = tokens[at++];
    if (one === undefined || (wanted !== undefined && one !== wanted))
      throw new Error(`"${text}" has ${one ?? "its end"} where ${wanted ?? "more"} should be.`);
    return one;
  };
  const list = <T>(end: string, item: () => T): T[] => {
    const items: T[] = [];
    while (peek() !== end) {
      items.push(item());
      if (peek() !== end) take(",");
    }
    take(end);
    return items;
  };
  const name = () => {
    const one = take();
    if (!/^[a-zA-Z_]/.test(one)) throw new Error(`"${one}" is no name.`);
    return one;
  };
  const nameList = () => {
    take("(");
    return list(")", name);
  };
  type Kind = "vector" | "range" | "number";

  function binary(level: number): Kind {
    const here = operators[level];
    if (!here) return unary();
    let left = binary(level + 1);
    while (here.includes(peek())) {
      take();
      if (["on", "ignoring"].includes(peek())) {
        take();
        nameList();
      }
      const right = binary(level + 1);
      if (left === "range" || right === "range") throw new Error(`"${text}" calculates with a range.`);
      left = left === "number" && right === "number" ? "number" : "vector";
    }
    return left;
  }

  function unary(): Kind {
    if (peek() === "-") take();
    const one = take();
    if (one === "(") {
      const kind = binary(0);
      take(")");
      return kind;
    }
    if (/^\d/.test(one)) {
      if (!/^[\d.]+$/.test(one)) throw new Error(`"${one}" is no number.`);
      return "number";
    }
    if (aggregations.has(one)) return aggregate(one);
    if (peek() === "(") return call(one);
    return select(one);
  }

  function aggregate(one: string): Kind {
    const grouped = ["by", "without"].includes(peek());
    if (grouped) {
      take();
      nameList();
    }
    take("(");
    const kinds = list(")", () => binary(0));
    const wanted = ["topk", "bottomk", "quantile"].includes(one) ? "number,vector" : "vector";
    if (kinds.join() !== wanted) throw new Error(`${one} takes ${wanted}, and has ${kinds}.`);
    return "vector";
  }

  function call(one: string): Kind {
    const wanted = Object.hasOwn(functions, one) ? functions[one] : undefined;
    if (!wanted) throw new Error(`${one} is no function that is known here.`);
    take("(");
    const kinds = list(")", () => binary(0));
    if (kinds.join() !== wanted.join()) throw new Error(`${one} takes ${wanted}, and has ${kinds}.`);
    return one === "time" ? "number" : "vector";
  }

  function select(metric: string): Kind {
    if (!/^[a-zA-Z_:]/.test(metric)) throw new Error(`"${text}" has ${metric} where a metric should be.`);
    const labels: Record<string, string> = {};
    if (peek() === "{") {
      take();
      list("}", () => {
        const label = name();
        if (!["=", "!=", "=~", "!~"].includes(take())) throw new Error(`"${text}" has no matcher.`);
        labels[label] = JSON.parse(take());
      });
    }
    selected.push({ metric, labels });
    if (peek() !== "[") return "vector";
    take();
    if (!/^\d+(ms|[smhdwy])$/.test(take())) throw new Error(`"${text}" has no duration.`);
    take("]");
    return "range";
  }

  if (binary(0) === "range") throw new Error(`"${text}" is a range.`);
  if (at < tokens.length) throw new Error(`"${text}" goes on with ${peek()}.`);
  return selected;
}
