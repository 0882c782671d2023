import { expect, test } from "vitest";
import { findTexts } from "../../scripts/texts.ts";

const find = (code: string) =>
  findTexts("page.tsx", code).map((fault) => fault.replace(/^page\.tsx:\d+: /, ""));

test.each([
  ["the text of an element", "const a = <p>Pay now</p>;", "Pay now"],
  ["a label", 'const a = <button aria-label="pay" />;', "pay"],
  ["a sentence in a table of texts", 'const a = { paid: "The buyer has paid." };', "The buyer has paid."],
  ["a word that begins a sentence", 'const a = isPaid ? "Paid" : null;', "Paid"],
  ["a template with words", `const a = \`\${count} of \${all}\`;`, "{} of {}"],
  ["a value of a text in the catalogue", 'i18n.t("Paid by {who}", { who: "Nobody" });', "Nobody"],
  [
    "a text of a page that the service writes",
    `const a = html\`<h1>Pay\n now</h1><p>\${b}</p>\`;`,
    "Pay now",
  ],
])("%s outside the catalogue is found", (_, code, text) => {
  expect(find(code)).toEqual([text]);
});

test.each([
  ["a text in the catalogue", 'const a = <p title={i18n.t("Pay now")}>{i18n.t("The buyer has paid.")}</p>;'],
  ["a text with elements in the catalogue", 'const a = <Trans id="Pay <0/> now" components={[b]} />;'],
  [
    "names of programs",
    `import a from "Paid"; const b: "Paid" = "paid"; if (c === "Enter") d.set("Accept", \`\${e}.csv\`);`,
  ],
  ["classes, ids and code", 'const a = <p className="Wide card" id="Top"><code>GET /orders now.</code></p>;'],
  [
    "a page with texts of the catalogue",
    `const a = html\`<h1>\${i18n.t("Pay now")}</h1> <a href="./docs">Earnest</a>\`;`,
  ],
  ["a name that is the same in every language", "const a = <b>Earnest</b>;"],
])("%s is accepted", (_, code) => {
  expect(find(code)).toEqual([]);
});

test("a text is reported with its line", () => {
  expect(findTexts("page.tsx", "\nconst a = (\n  <p>Pay</p>\n);\n")).toEqual(["page.tsx:3: Pay"]);
});
