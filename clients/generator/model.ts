/**
 * The model of a client library. `read.ts` makes it from docs/openapi.json, and each `emit-<language>.ts` writes it in its
 * language. Names are as on the wire or in snake_case; an emitter converts them to its language's case.
 */

export type Model = {
  /** The document's `info.version`. */
  version: string;
  /** Every schema that an operation or an event uses, by name, in the document's order. */
  types: NamedType[];
  /** The tree of `client.<resource>.<resource>.<method>`. The root has methods too, as in `client.me()`. */
  root: Resource;
  /** The types of the event feed and of webhooks, with the shape of each one's `data`. */
  events: EventType[];
  /** Each code of the error envelope, with the statuses under which operations list it. */
  errorCodes: { code: string; statuses: number[] }[];
};

export type Resource = {
  /** The name, as in `api_keys`; empty for the root. */
  name: string;
  /** From the root: `["webhooks", "deliveries"]`. */
  path: string[];
  methods: Method[];
  resources: Resource[];
};

export type Method = {
  operationId: string;
  /** The name in the table of names.ts, as in `list_received`. */
  name: string;
  summary: string;
  description: string;
  verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`, as in `/orders/{id}/deliver`; or below the service's own address. */
  path: string;
  /** Whether the path is below the service's own address. */
  root: boolean;
  /** In the path's order: the first arguments of the method. */
  pathParameters: PathParameter[];
  /** The query's fields. If the operation has pages, `cursor` and `limit` are among them. */
  query: Field[];
  /** Headers of the call, not of the transport: only `if-match`. They are options of the call. */
  headers: Field[];
  body: { type: TypeRef; required: boolean } | null;
  /** The media type of a successful response that is a text or a file, as in `text/csv`; null: JSON. */
  media: string | null;
  /** The type of a successful response, the same for each status (200, 201 or 202). */
  answer: TypeRef;
  paging: Paging | null;
  /**
   * `none`: no token is sent, because it has no effect. `optional`: a token shows more. `session`: an API key is refused.
   * `required`: either. `scopes` are those that a key needs.
   */
  access: "none" | "optional" | "session" | "required";
  scopes: string[];
  /** Anything but GET. */
  writes: boolean;
  /** The service stores the response of a write with a token under its `Idempotency-Key`. It is false for some writes: see `mayRepeat`. */
  takesKey: boolean;
  /**
   * Whether the same request may be sent again after a connection error or a 5xx: reads, writes with a key, and writes that
   * change nothing (`verify_remotely`). `sign_in` is not repeated, because its first attempt uses the nonce. A 429 may always be retried.
   */
  mayRepeat: boolean;
  /** The errors by status, as in the document. Every operation may also return 429, 500 and 503. */
  errors: { status: number; codes: string[] }[];
};

export type PathParameter = {
  /** As in the path's template. */
  name: string;
  /** The name of the argument, such as `order_id` for `/orders/{id}`. */
  argument: string;
  type: TypeRef;
};

/**
 * The way to the next page. All styles send `?cursor=` with the same query and without `offset`.
 *
 * `cursor`: the response's `next_cursor`, which is null on the last page.
 * `link`: the response is an array, and the URL in the header `Link` (rel="next") has the `cursor`.
 * `feed`: the response's `next_cursor` is never null. `has_more` tells whether to request the next page at once.
 */
export type Paging = {
  style: "cursor" | "link" | "feed";
  item: TypeRef;
};

export type NamedType = {
  name: string;
  description: string;
  /** The type is sent, or is part of a sent type. */
  sent: boolean;
  /** The type is received, or is part of a received type. A client accepts unknown fields and unknown values of enums. */
  received: boolean;
} & (
  | { kind: "object" /** whose fields it has too */; extends: string | null; fields: Field[] }
  | { kind: "enum"; values: string[] }
  | { kind: "alias"; of: TypeRef }
);

export type Field = {
  /** As on the wire. */
  name: string;
  type: TypeRef;
  /** False: the field may be omitted, which differs from null. */
  required: boolean;
  description: string;
  /** The service's default value. */
  fallback: unknown;
};

export type EventType = {
  /** As in `order.funded`. */
  type: string;
  description: string;
  /** The named type of its `data`. */
  data: string;
  /** The named type of the whole delivery, as in `OrderFundedEvent`. */
  delivery: string;
};

export type TypeRef =
  | { kind: "named"; name: string }
  | { kind: "text"; form: TextForm | null /** of an id, as in `ord` */; prefix: string | null }
  /** Money as an exact decimal in text, as in `"12.50"`. Never a float: a client refuses to send a float here. */
  | { kind: "amount" }
  /** Money in the token's smallest unit, digits in text, up to 2^256. */
  | { kind: "base_units" }
  /** Another whole number that may be beyond 2^53 (a contract's deadline, an id on a chain), digits in text. */
  | { kind: "uint256" }
  /** A whole number below 2^53. */
  | { kind: "integer" }
  /** A ratio or a duration; no money is a number. */
  | { kind: "number" }
  | { kind: "boolean" }
  /** The bytes of a file, as in a PDF. */
  | { kind: "file" }
  /** One of these values. */
  | { kind: "literal"; values: (string | number | boolean)[] }
  | { kind: "list"; of: TypeRef }
  /** An object whose keys are not known before. */
  | { kind: "map"; of: TypeRef }
  | { kind: "nullable"; of: TypeRef }
  | { kind: "union"; of: TypeRef[] }
  /** Any JSON value. */
  | { kind: "any" };

/** The form of a text. `time` is RFC 3339 with offset, `address` is EIP-55 in responses, `hash` and `bytes` are 0x-hex. */
export type TextForm = "id" | "slug" | "time" | "address" | "hash" | "bytes" | "url";

/** Returns the fields of a type, after the fields of its base. */
export function fieldsOf(model: Model, name: string): Field[] {
  const type = model.types.find((type) => type.name === name);
  if (type?.kind !== "object") return [];
  return [...(type.extends ? fieldsOf(model, type.extends) : []), ...type.fields];
}

/** A field that a float would round: its kind, or the exact fields of a nested object. */
export type ExactField = { name: string; holds: "amount" | "uint256" | ExactField[] };

/** Returns the sent fields of a method that a float would round. A client checks these fields before it sends them. */
export function exactFieldsOf(model: Model, method: Method): ExactField[] {
  const body = method.body?.type;
  return exactAmong(model, [...method.query, ...(body?.kind === "named" ? fieldsOf(model, body.name) : [])]);
}

function exactAmong(model: Model, fields: Field[]): ExactField[] {
  return fields.flatMap(({ name, type }): ExactField[] => {
    const own = type.kind === "nullable" ? type.of : type;
    const inner = own.kind === "list" && own.of.kind === "named" ? own.of : own;
    if (inner.kind === "amount" || inner.kind === "uint256") return [{ name, holds: inner.kind }];
    const within = inner.kind === "named" ? exactAmong(model, fieldsOf(model, inner.name)) : [];
    return within.length > 0 ? [{ name, holds: within }] : [];
  });
}
