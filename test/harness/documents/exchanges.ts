import { createSampleCheck, readSample, type Schema } from "./samples.ts";

type Operation = {
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};
export type Description = { paths: Record<string, Record<string, Operation>> };

const request = /^(GET|POST|PUT|PATCH|DELETE) +(\/[^\s?]*)(\?\S+)?(.*)$/;
const answer = /^(\d{3})(?: (.*))?$/;

/**
 * Tells whether a block shows requests to the API. A request to another host is shown with its HTTP
 * version.
 */
export function isExchange(text: string): boolean {
  const [first = ""] = text.split("\n");
  return request.test(first) && !first.endsWith("HTTP/1.1");
}

/** Returns the JSON in a text that also has words. */
function splitJson(text: string): { json: string | null; words: string } {
  const from = text.search(/[{[]/);
  // A list of requests has `{id}` in paths only, which are not in this text.
  if (from < 0) return { json: null, words: text };
  let depth = 0;
  for (const { 0: found, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (found === "{" || found === "[") depth++;
    else if (found === "}" || found === "]") depth--;
    if (depth > 0) continue;
    const end = from + index + 1;
    return { json: text.slice(from, end), words: `${text.slice(0, from)} ${text.slice(end)}` };
  }
  throw new Error(`This JSON has no end: ${text}`);
}

/** A request or an answer of a document, with the text beside and below it. */
type Part = { method: string; path: string; status: string | null; text: string };

/** Splits a block into its requests and answers, the queries in it, and the events that it names. */
function readParts(block: string) {
  const parts: Part[] = [];
  const queries: { request: Part; query: string }[] = [];
  const events: string[] = [];
  for (const line of block.split("\n")) {
    const [, method, path = "", query, rest = ""] = request.exec(line) ?? [];
    const [, status, body = ""] = answer.exec(line) ?? [];
    const [, event] = /^ *-> event (\S+)/.exec(line) ?? [];
    const last = parts.at(-1);
    if (method) {
      const part = { method, path, status: null, text: rest };
      parts.push(part);
      if (query) queries.push({ request: part, query });
    } else if (status && last) parts.push({ ...last, status, text: body });
    else if (event) events.push(event);
    else if (/^ *\?/.test(line) && last)
      queries.push({ request: last, query: line.trim().split(" ")[0] ?? "" });
    else if (last) last.text += `\n${line}`;
  }
  return { parts, queries, events };
}

/** Returns the differences between the requests and answers of a document and the API's description. */
export function createExchangeCheck(
  description: Description,
  eventTypes: readonly string[],
): (block: string) => string[] {
  const checkSample = createSampleCheck(description);
  const operationOf = ({ method, path }: Part) => description.paths[path]?.[method.toLowerCase()];

  function judge(part: Part): string[] {
    const { method, path, status, text } = part;
    const name = `${method} ${path}`;
    const operation = operationOf(part);
    if (!operation) return [`${name} is no operation`];
    const { json, words } = splitJson(text);
    const described = status ? operation.responses[status] : operation.requestBody;
    if (status && !described) return [`${name} does not answer ${status}`];
    const schema = described?.content?.["application/json"]?.schema;
    if (json && !schema) return [`${name} ${status ?? ""} has no body`];
    const found = json && schema ? checkSample(readSample(json), schema) : [];
    return [
      ...found.map((fault) => `${name} ${status ?? "body"} ${fault}`),
      ...judgeAccess(name, words, operation.security ?? []),
    ];
  }

  function judgeAccess(name: string, words: string, requirements: Record<string, string[]>[]): string[] {
    const scopes = requirements.flatMap((one) => Object.values(one).flat());
    const scopesNamed = words.match(/\b[a-z-]+:(?:read|write)\b/g) ?? [];
    const isOpen = requirements.length === 0 || requirements.some((one) => Object.keys(one).length === 0);
    return [
      ...scopesNamed
        .filter((scope) => !scopes.includes(scope))
        .map((scope) => `${name} does not take ${scope}`),
      ...(/\bopen$/.test(words.trim()) && !isOpen ? [`${name} is not open`] : []),
    ];
  }

  return (block) => {
    const { parts, queries, events } = readParts(block);
    const unknown = queries.flatMap(({ request, query }) => {
      const known = operationOf(request)?.parameters?.filter((one) => one.in === "query") ?? [];
      const parameters = [...new URLSearchParams(query).keys()];
      return parameters.filter((name) => !known.some((one) => one.name === name));
    });
    return [
      ...parts.flatMap(judge),
      ...unknown.map((name) => `${name} is no parameter`),
      ...events.filter((event) => !eventTypes.includes(event)).map((event) => `${event} is no event`),
    ];
  };
}
