/** `list_received` as `ListReceived`. */
export function pascalCase(name: string): string {
  return name
    .split(/[_-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** `list_received` as `listReceived`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
}

const initialisms: Record<string, string> = {
  api: "API",
  erc8004: "ERC8004",
  id: "ID",
  rpc: "RPC",
  ids: "IDs",
  json: "JSON",
  sha256: "SHA256",
  uri: "URI",
  url: "URL",
};

/** `order_id` as `OrderID`; a name on the wire may hold what no name in Go may. */
export function goName(name: string): string {
  const words = name
    .replace(/^\$/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return words.map((word) => initialisms[word.toLowerCase()] ?? pascalCase(word)).join("");
}

/** A text in lines of at most so many characters; nothing but a single longer word goes beyond. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** As a sentence: with a capital first and a full stop. */
export function sentence(text: string): string {
  if (text === "") return "";
  const capital = /^[a-z]+\b(?![_.(])/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
