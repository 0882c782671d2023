import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { emitTypeScript } from "../emit-typescript.ts";
import { exactFieldsOf, fieldsOf, type Method, type Resource, type TypeRef } from "../model.ts";
import { type OpenApi, readModel } from "../read.ts";
import { camelCase, pascalCase, sentence, wrap } from "../words.ts";

const file = new URL("../../../docs/openapi.json", import.meta.url);
const read = () => JSON.parse(readFileSync(file, "utf8")) as OpenApi;
const model = readModel(read());
const methodsOf = (resource: Resource): Method[] => [
  ...resource.methods,
  ...resource.resources.flatMap(methodsOf),
];
const methodOf = (id: string) =>
  methodsOf(model.root).find(({ operationId }) => operationId === id) as Method;

const namesIn = (type: TypeRef): string[] =>
  type.kind === "named"
    ? [type.name]
    : type.kind === "nullable" || type.kind === "list"
      ? namesIn(type.of)
      : [];

describe("the names", () => {
  test("an operation without one stops the generator, and so does one that is gone", () => {
    const added = read();
    const place = added.paths["/orders"]?.post;
    if (place) added.paths["/another"] = { post: { ...place, operationId: "doMore" } };
    expect(() => readModel(added)).toThrow("these operations have no name: doMore");
    const less = read();
    delete less.paths["/audit"];
    expect(() => readModel(less)).toThrow("no longer in docs/openapi.json: listAudit");
  });
});

describe("the model", () => {
  test("tells money from other text, and names the fields that a float would spoil", () => {
    const price = fieldsOf(model, "Service").find(({ name }) => name === "price");
    expect(price?.type).toEqual({ kind: "nullable", of: { kind: "amount" } });
    expect(exactFieldsOf(model, methodOf("createService"))).toContainEqual({
      name: "price",
      holds: "amount",
    });
    expect(exactFieldsOf(model, methodOf("decideDispute"))).toEqual([
      { name: "provider_amount", holds: "amount" },
      { name: "deadline", holds: "uint256" },
    ]);
    expect(exactFieldsOf(model, methodOf("giveQuote"))).toContainEqual({
      name: "stages",
      holds: [{ name: "amount", holds: "amount" }],
    });
  });

  test("no money that is sent is out of sight of that list: it stands in a body, a query, or an object in them", () => {
    const checked = new Set(
      methodsOf(model.root).flatMap(({ body }) =>
        body?.type.kind === "named"
          ? [body.type.name, ...fieldsOf(model, body.type.name).flatMap(({ type }) => namesIn(type))]
          : [],
      ),
    );
    const sent = model.types.filter((type) => type.sent && type.kind === "object");
    const hidden = sent.filter(
      ({ name }) =>
        !checked.has(name) &&
        fieldsOf(model, name).some(({ type }) => /"(amount|uint256|base_units)"/.test(JSON.stringify(type))),
    );
    expect(hidden.map(({ name }) => name)).toEqual([]);
  });

  test("tells how lists page, what may be sent twice, and who may call", () => {
    expect(methodOf("listOrders").paging?.style).toBe("cursor");
    expect(methodOf("listOwnAgents").paging?.style).toBe("link");
    expect(methodOf("listEvents").paging?.style).toBe("feed");
    expect(methodOf("listWallets").paging).toBeNull();
    const once = methodsOf(model.root).filter(({ mayRepeat }) => !mayRepeat);
    // A fetch that pays by itself would pay each try anew.
    expect(once.map(({ operationId }) => operationId).sort()).toEqual([
      "approveDeviceSignIn",
      "buyService",
      "createDeviceNonce",
      "createDeviceSignIn",
      "openDeviceLink",
      "pollDeviceSignIn",
      "refuseDeviceSignIn",
      "signIn",
      "startSession",
    ]);
    expect(methodOf("placeOrder")).toMatchObject({
      access: "required",
      scopes: ["orders:write"],
      takesKey: true,
    });
    expect(methodOf("createKey").access).toBe("session");
    expect(methodOf("readAgent").access).toBe("optional");
    expect(methodOf("signIn").access).toBe("none");
  });

  test("has every event with its data", () => {
    expect(model.events.find(({ type }) => type === "quote.received")).toMatchObject({
      data: "QuoteEventData",
      delivery: "QuoteReceivedEvent",
    });
    const types = model.types.find(({ name }) => name === "EventType");
    expect(types?.kind === "enum" && types.values.toSorted()).toEqual(
      model.events.map(({ type }) => type).toSorted(),
    );
  });

  test("stops at what it cannot say", () => {
    const strange = read();
    strange.components.schemas.Wallet = {
      type: "object",
      properties: { inner: { type: "object", properties: {} } },
    };
    expect(() => readModel(strange)).toThrow("Wallet.inner: an object with fields needs a name of its own");
  });
});

test("the same model gives the same files, sorted into resources", () => {
  const files = emitTypeScript(model);
  expect(files).toEqual(emitTypeScript(model));
  expect([...files.keys()]).toContain("resources/orders.ts");
});

test("words", () => {
  expect(pascalCase("list_received")).toBe("ListReceived");
  expect(camelCase("get_x402")).toBe("getX402");
  expect(camelCase("if-match")).toBe("ifMatch");
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(sentence("an order")).toBe("An order.");
  expect(sentence("`a` stays!")).toBe("`a` stays!");
});
