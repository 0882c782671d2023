import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { sendGuarded } from "../../../untrusted/outbound/guarded-request.ts";
import { checkAddress, checkUrl, policyOf } from "../../../untrusted/outbound/url-guard.ts";
import urls from "./urls.json" with { type: "json" };

const policy = policyOf("https://market.example");
const atHome = policyOf("http://localhost:42069");
const why = z.string().optional();
const { refused, refused_when_resolved, allowed } = z
  .object({
    refused: z.array(z.object({ code: z.string(), url: z.string(), pad: z.int().optional(), why })),
    refused_when_resolved: z.array(
      z.object({ code: z.string(), name: z.string(), addresses: z.array(z.string()), why }),
    ),
    allowed: z.array(z.string()),
  })
  .parse(urls);

describe("the corpus of hostile URLs", () => {
  test("is large enough, and names every reason", () => {
    expect(refused.length).toBeGreaterThan(200);
    expect(new Set(refused.map(({ url }) => url)).size).toBe(refused.length);
    expect([...new Set(refused.map(({ code }) => code))].sort()).toEqual([
      "credentials_in_url",
      "forbidden_address",
      "forbidden_host",
      "forbidden_port",
      "insecure_scheme",
      "invalid_host",
      "invalid_url",
    ]);
  });

  test.each(refused)("$code: $url", async ({ url: text, code, pad }) => {
    const url = text.padEnd(pad ?? 0, "a");
    const check = checkUrl(url, policy);
    expect(check).toMatchObject({ isAllowed: false, code });
    if (!check.isAllowed) expect(check.message).toMatch(/^[A-Za-z].{10,}\.$/);
    // The same holds at the time of sending, without a lookup of the name.
    const names: string[] = [];
    const lookup = async (name: string) => {
      names.push(name);
      return ["127.0.0.1"];
    };
    expect(await sendGuarded(url, { policy, lookup })).toMatchObject({
      ok: false,
      error: code,
      status: null,
    });
    expect(names).toEqual([]);
  });

  test.each(refused_when_resolved)("$code: $name, $why", async ({ name, addresses, code }) => {
    const names: string[] = [];
    const lookup = async (hostname: string) => {
      names.push(hostname);
      return addresses;
    };
    const url = `https://${name}/hook`;
    expect(checkUrl(url, policy)).toMatchObject({ isAllowed: true, addresses: null });
    const result = await sendGuarded(url, { policy, lookup });
    expect(result).toMatchObject({ ok: false, error: code });
    // An address that a name resolves to inside is not shown outside.
    for (const address of addresses)
      expect(result).not.toMatchObject({ message: expect.stringContaining(address) });
    expect(names).toEqual([name]);
  });

  test.each(allowed)("allowed: %s", (url) => {
    expect(checkUrl(url, policy)).toMatchObject({ isAllowed: true, url: new URL(url) });
  });
});

describe("addresses", () => {
  // ipaddr.js has a list of its own of the same registries.
  const isPublicElsewhere = (address: string) => ipaddr.parse(address).range() === "unicast";

  test("no IPv4 address is allowed that another list of special addresses has", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => checkAddress(address) !== null || isPublicElsewhere(address)),
      { numRuns: 5000 },
    );
  });

  test("an IPv4 address is refused only where that list has it, except one cloud's metadata and the 6to4 relays", () => {
    const ours = /^168\.63\.129\.16$|^192\.88\.99\./;
    fc.assert(
      fc.property(
        fc.ipV4(),
        (address) => checkAddress(address) === null || !isPublicElsewhere(address) || ours.test(address),
      ),
      { numRuns: 5000 },
    );
  });

  test("no IPv6 address is allowed that is not global unicast", () => {
    const hextet = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const first = fc.constantFrom(
      "2001",
      "2002",
      "2000",
      "3fff",
      "3ffe",
      "64",
      "0",
      "fc00",
      "fe80",
      "fec0",
      "ff02",
      "100",
    );
    const address = fc
      .tuple(
        fc.oneof(first, hextet),
        fc.array(fc.oneof(fc.constantFrom("0", "db8", "ffff"), hextet), { minLength: 7, maxLength: 7 }),
      )
      .map(([head, rest]) => [head, ...rest].join(":"));
    fc.assert(
      fc.property(address, (text) => {
        if (checkAddress(text) !== null) return true;
        return isPublicElsewhere(text) && /^[23][0-9a-f]{3}:/.test(text);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    "",
    "localhost",
    "1.2.3",
    "0x08080808",
    "8.8.8.8.",
    " 8.8.8.8",
    "8.8.8.8/32",
    "2606:4700::1%eth0",
    "[2606:4700::1]",
  ])("a malformed address is refused: %j", (text) => {
    expect(checkAddress(text)).toMatchObject({ isAllowed: false, code: "forbidden_address" });
  });
});

describe("a service at localhost", () => {
  test.each([
    ["http://localhost:9000/hook", ["127.0.0.1", "::1"]],
    ["http://localhost/", ["127.0.0.1", "::1"]],
    ["https://localhost:80/", ["127.0.0.1", "::1"]],
    ["http://127.0.0.1:5432/", ["127.0.0.1"]],
    ["HTTP://LocalHost:9000/", ["127.0.0.1", "::1"]],
  ])("sends to %s, without a lookup", (url, addresses) => {
    expect(checkUrl(url, atHome)).toMatchObject({ isAllowed: true, addresses });
    expect(checkUrl(url, policy)).toMatchObject({ isAllowed: false });
  });

  test.each([
    ["http://example.com/", "insecure_scheme"],
    ["http://localhost.example.com/", "insecure_scheme"],
    ["http://169.254.169.254/", "insecure_scheme"],
    ["http://127.0.0.2/", "insecure_scheme"],
    ["http://[::1]/", "insecure_scheme"],
    ["http://127.1/", "insecure_scheme"],
    ["http://2130706433/", "insecure_scheme"],
    ["http://localhost./", "insecure_scheme"],
    ["http://user@localhost/", "credentials_in_url"],
    ["https://10.0.0.1/", "forbidden_address"],
    ["https://127.0.0.2/", "forbidden_address"],
    ["https://printer.local/", "forbidden_host"],
  ])("does not send to %s either", (url, code) => {
    expect(checkUrl(url, atHome)).toMatchObject({ isAllowed: false, code });
  });

  test("is recognised by its public URL, in one of two ways", () => {
    for (const url of ["http://localhost:42069", "https://localhost", "http://127.0.0.1:3000/"]) {
      expect(policyOf(url)).toEqual({ allowsLocalhost: true });
    }
    for (const url of ["https://localhost.example.com", "https://market.example", "http://10.0.0.1"]) {
      expect(policyOf(url)).toEqual({ allowsLocalhost: false });
    }
  });
});
