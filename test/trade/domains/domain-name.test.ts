import { expect, test } from "vitest";
import { readDomain } from "../../../trade/domains/domain-name.ts";

test.each([
  ["translator.example", "translator.example", "translator.example"],
  [" Translator.EXAMPLE ", "translator.example", "translator.example"],
  ["agents.translator.co.uk", "agents.translator.co.uk", "translator.co.uk"],
  ["somebody.github.io", "somebody.github.io", "somebody.github.io"],
  // A letter of another script is shown in its encoded form.
  ["аpple.com", "xn--pple-43d.com", "xn--pple-43d.com"],
  ["bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["ｔranslator。example", "translator.example", "translator.example"],
])("%s is the domain %s of the site %s", async (written, domain, site) => {
  expect(await readDomain(written)).toEqual({ domain, site });
});

test.each([
  ["com", "forbidden_host"],
  ["co.uk", "public_suffix"],
  ["github.io", "public_suffix"],
  ["localhost", "forbidden_host"],
  ["printer.local", "forbidden_host"],
  ["127.0.0.1", "forbidden_address"],
  ["8.8.8.8", "form"],
  ["0x08080808", "form"],
  ["[::1]", "form"],
  ["https://translator.example", "form"],
  ["translator.example/agents", "form"],
  ["translator.example:443", "form"],
  ["me@translator.example", "form"],
  ["translator.example.", "invalid_host"],
  ["trans_lator.example", "invalid_host"],
  [`${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(40)}.example`, "length"],
  ["", "form"],
])("%j is refused as %s", async (written, keyword) => {
  await expect(readDomain(written)).rejects.toEqual(
    expect.objectContaining({
      code: "invalid_request",
      details: [expect.objectContaining({ path: "/domain", keyword })],
    }),
  );
});
