import { argumentNames, methodNames } from "../../../clients/generator/names.ts";
import { camelCase, goName } from "../../../clients/generator/words.ts";
import { serviceUrl } from "../settings.ts";
import {
  addressOf,
  exampleOf,
  isOpen,
  jsonOf,
  nameOf,
  type Operation,
  type Parameter,
} from "./description.ts";

/** An example of a call in each language that has one. */
export function samplesOf(operation: Operation): [language: string, code: string][] {
  const method = methodNames[operation.operationId];
  const samples: [string, string | null][] = [["curl", curlOf(operation)]];
  if (method) {
    const call = readCall(operation, method);
    samples.push(["TypeScript", typescriptOf(call)], ["Python", pythonOf(call)], ["Go", goOf(call)]);
  }
  return samples.filter((sample): sample is [string, string] => sample[1] !== null);
}

type Call = {
  /** such as `["orders", "list"]` */
  names: string[];
  path: string[];
  query: Record<string, unknown>;
  takesQuery: boolean;
  isList: boolean;
  body: unknown;
  /** the name of the body's type; null if it has none */
  bodyType: string | null;
};

function readCall(operation: Operation, method: string): Call {
  const { parameters = [], requestBody } = operation;
  const media = jsonOf(requestBody?.content);
  const queries = parameters.filter(({ in: place }) => place === "query");
  return {
    names: method.split("."),
    path: parameters.filter(({ in: place }) => place === "path").map(argumentOf),
    query: Object.fromEntries(
      queries
        .filter(({ name, required }) => required || name === "limit")
        .map((parameter) => [parameter.name, sampleOf(parameter)]),
    ),
    takesQuery: queries.length > 0,
    isList: queries.some(({ name }) => name === "cursor"),
    body: media?.example,
    bodyType: media?.schema?.$ref ? nameOf(media.schema.$ref) : null,
  };
}

/** The value of a query parameter: its example, its default, or its name. */
function sampleOf(parameter: Parameter): unknown {
  const { name, schema } = parameter;
  return exampleOf(parameter) || (schema.default ?? schema.enum?.[0] ?? name);
}

/** The value of a path parameter: its example, or the name of the clients' argument. */
function argumentOf(parameter: Parameter): string {
  const prefix = /^\^(\w{3})_/.exec(parameter.schema.pattern ?? "")?.[1] ?? parameter.name;
  return exampleOf(parameter) || (argumentNames[prefix] ?? parameter.name);
}

function curlOf(operation: Operation): string {
  const { method, parameters = [], requestBody } = operation;
  const values = Object.fromEntries(
    parameters
      .filter(({ in: place, required }) => place === "path" || required)
      .map((parameter) => [
        parameter.name,
        parameter.in === "path" ? argumentOf(parameter) : String(sampleOf(parameter)),
      ]),
  );
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${addressOf(operation, values)}"`];
  if (!isOpen(operation)) lines.push(`-H "Authorization: Bearer $EARNEST_KEY"`);
  const example = jsonOf(requestBody?.content)?.example;
  if (example !== undefined) {
    lines.push(`-H "Content-Type: application/json"`);
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}

function typescriptOf({ names, path, query, takesQuery, isList, body }: Call): string {
  const given = [...path.map((value) => JSON.stringify(value))];
  if (body !== undefined) given.push(JSON.stringify(body, null, 2));
  else if (takesQuery && Object.keys(query).length > 0) given.push(spaced(query));
  const call = `earnest.${names.map(camelCase).join(".")}(${given.join(", ")})`;
  return `const earnest = new Earnest({ baseUrl: "${serviceUrl}", apiKey: process.env.EARNEST_KEY });
${
  isList
    ? `for await (const item of ${call}) console.log(item);`
    : `const answer = await ${call};\nconsole.log(answer);`
}`;
}

/** An object as a line of TypeScript. */
const spaced = (values: Record<string, unknown>): string =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ")} }`;

function pythonOf({ names, path, query, isList, body }: Call): string {
  const named = Object.entries({ ...query, ...((body ?? {}) as Record<string, unknown>) });
  const given = [
    ...path.map((value) => JSON.stringify(value)),
    ...named.map(([name, value]) => `${name}=${pythonValue(value)}`),
  ];
  const call = `earnest.${names.join(".")}(${given.length > 2 ? `\n        ${given.join(",\n        ")},\n    ` : given.join(", ")})`;
  return `with Earnest("${serviceUrl}", api_key=os.environ["EARNEST_KEY"]) as earnest:
    ${isList ? `for item in ${call}:\n        print(item)` : `print(${call})`}`;
}

function pythonValue(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each)}`,
  );
  return `{${members.join(", ")}}`;
}

function goOf({ names, path, takesQuery, isList, body, bodyType }: Call): string | null {
  if (body !== undefined && bodyType === null) return null;
  const given = ["ctx", ...path.map((value) => JSON.stringify(value))];
  const lines = [
    `client, err := earnest.NewClient("${serviceUrl}", earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))`,
  ];
  if (body !== undefined) {
    lines.push(`var body earnest.${goName(bodyType ?? "")}`);
    lines.push(`err = json.Unmarshal([]byte(\`${JSON.stringify(body, null, 2)}\`), &body)`);
    given.push("body");
  } else if (takesQuery) {
    given.push(`earnest.${names.map(goName).join("")}Query{}`);
  }
  const call = `client.${names.map(goName).join(".")}(${given.join(", ")})`;
  lines.push(
    isList ? `for item, err := range ${call}.All() {\n\tfmt.Println(item, err)\n}` : `answer, err := ${call}`,
  );
  return lines.join("\n");
}
