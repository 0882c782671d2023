import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describeApi } from "../../api/http/openapi.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { createTestApi, type Requester, type TestApi } from "./api.ts";

const methods = ["get", "post", "put", "patch", "delete"] as const;

export type Operation = {
  method: string;
  /** The path with its parameters, as in `/agents/{slug}`. */
  path: string;
  operationId: string;
  security: Record<string, string[]>[];
};

/** Every operation of an OpenAPI document. */
export function operationsIn({ paths }: { paths: object }): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = (item as Record<string, Partial<Operation> | undefined>)[method];
      if (!operation) return [];
      const { operationId = "", security = [] } = operation;
      return { method: method.toUpperCase(), path, operationId, security };
    }),
  );
}

/** Every operation of the API's own document. */
export function operationsOf(api: TestApi): Operation[] {
  return operationsIn(describeApi(api.app, apiPath));
}

type Described = {
  operations: (Operation & { pattern: RegExp })[];
  /** Returns the faults of a body under the schema at a JSON pointer of the document, or null. */
  fault(pointer: string, body: unknown): string | null;
};

function readDocument(document: { paths: object }): Described {
  const operations = operationsIn(document).map((operation) => ({
    ...operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  // A check that runs a few times is not worth the time of its optimisation.
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } }));
  ajv.addSchema(document as AnySchema, "document");
  const validators = new Map<string, ValidateFunction>();
  const fault = (pointer: string, body: unknown) => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${encodeURI(pointer)}` });
    validators.set(pointer, validate);
    return validate(body) ? null : ajv.errorsText(validate.errors);
  };
  return { operations, fault };
}

/** Sends requests, and fails at an answer that differs from the document. */
export function createDocumentedRequester(requester: Requester, document: { paths: object }): Requester {
  return checkAnswers(requester, readDocument(document));
}

function checkAnswers(requester: Requester, { operations, fault }: Described): Requester {
  return {
    async request(method, path, request) {
      const answer = await requester.request(method, path, request);
      const plain = path.replace(/\?.*/, "");
      // The first match counts, as in the router: `/agents/mine` comes before `/agents/{slug}`.
      const operation = operations.find((one) => one.method === method && one.pattern.test(plain));
      if (!operation) return answer;
      // A 304 has no body, and so no schema.
      if (answer.status === 304) return answer;
      const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
      const pointer = ["paths", operation.path, method.toLowerCase(), "responses", String(answer.status)]
        .concat("content", type, "schema")
        .map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"))
        .join("/");
      const found = fault(pointer, answer.body);
      if (found === null) return answer;
      throw new Error(
        `${method} ${path} answered ${answer.status} otherwise than documented: ${found}\n${JSON.stringify(answer.body)}`,
      );
    },
  };
}

/**
 * Files that share a process read a document once: reading and compiling it takes longer than most of them.
 */
const described = new Map<string, Described>();

/** The API, with every answer checked against its own OpenAPI document. */
export async function createDocumentedApi(...options: Parameters<typeof createTestApi>): Promise<TestApi> {
  const api = await createTestApi(...options);
  const key = JSON.stringify([options[0]?.env, api.config.defaultChain?.chain_id]);
  const document = described.get(key) ?? readDocument(describeApi(api.app, apiPath));
  described.set(key, document);
  return { ...api, ...checkAnswers(api, document) };
}
