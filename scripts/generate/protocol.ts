// Writes clients/scenarios/protocol-vectors.json: inputs of the protocol and their results, for clients in any language.
// With `--check`, fails if the committed file differs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createAgreement } from "../../protocol/settlement/agreement.ts";
import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { digestOf } from "../../protocol/settlement/digest.ts";
import { hashOfText } from "../../protocol/settlement/dispute.ts";
import { formatAmount, parseAmount } from "../../protocol/settlement/money.ts";
import { digestToSign } from "../../protocol/settlement/signatures.ts";
import { agreed, describeDerived, describedCalls, typedData } from "./protocol/acts.ts";
import { agreements, wrongAgreements } from "./protocol/agreements.ts";
import { wallet, walletKey } from "./protocol/parties.ts";
import { expected, signIns } from "./protocol/sign-ins.ts";
import { amounts, canonicalValues } from "./protocol/values.ts";

const file = "clients/scenarios/protocol-vectors.json";
const path = join(import.meta.dirname, "../..", file);

const vectors = {
  about: [
    "What the protocol makes of given inputs, for clients in any language: docs/x402.md and docs/contract.md say why.",
    "`canonical`: JSON texts with what RFC 8785 makes of them, and the SHA-256 of that.",
    "`agreements`: documents with all that follows from them. `wrong_agreements`: documents that have to be refused.",
    "`contents` of an agreement are what its digests are of. `refused` and null in `amounts` mean: not to be taken.",
    "`calls`, `typed_data`: of the escrow of the first agreement. Integers wider than 53 bits are decimal strings.",
    "`typed_data` has its EIP-712 digest, and the signature of `wallet` (RFC 6979), whose key anyone knows.",
    "`sign_in`: messages that a client is asked to sign; `refused` is what is wrong, null where it may sign.",
    "`amounts`: decimal texts in base units; null where it is refused, or finer than the token.",
  ],
  version: 1,
  wallet: { address: wallet.address, private_key: walletKey },
  canonical: canonicalValues.map((value) => describeCanonical(value)),
  text_hashes: ["", "Half of it is missing.", "Größe \u{1f600}"].map((text) => ({
    text,
    sha256: hashOfText(text),
  })),
  agreements: Object.entries(agreements).map(([name, fields]) => {
    const document = createAgreement(fields);
    const { inputSchema, outputSchema, inputPayload } = fields;
    const contents = { input_schema: inputSchema, output_schema: outputSchema, input_payload: inputPayload };
    return { name, document, contents, ...describeDerived(deriveDeposit(document)) };
  }),
  wrong_agreements: Object.entries(wrongAgreements).map(([name, change]) => {
    const document = { ...agreed, ...change };
    assertRefused(name, document);
    return { name, document };
  }),
  calls: describedCalls,
  typed_data: await Promise.all(
    typedData.map(async ({ kind, inputs, data }) => {
      if (data === null) throw new Error(`${kind} has no typed data.`);
      const { domain, types, primaryType, message } = data;
      return {
        kind,
        inputs,
        typed_data: data,
        digest: digestToSign(data),
        signature: await wallet.signTypedData({ domain, types, primaryType, message }),
      };
    }),
  ),
  sign_in: await Promise.all(
    signIns.map(async ({ name, message, expected: other, refused }) => ({
      name,
      message,
      expected: { ...expected, ...other },
      refused,
      signature: refused === null ? await wallet.signMessage({ message }) : null,
    })),
  ),
  amounts: amounts.map(([text, decimals]) => {
    const units = parseAmount(text, decimals);
    return {
      text,
      decimals,
      base_units: units?.toString() ?? null,
      written: units === null ? null : formatAmount(units, decimals),
    };
  }),
};

function describeCanonical(value: unknown) {
  return { json: JSON.stringify(value), sha256: digestOf(value) };
}

function assertRefused(name: string, document: unknown) {
  try {
    deriveDeposit(document);
  } catch {
    return;
  }
  throw new Error(`${name}: was accepted as an agreement.`);
}

/** Writes a line for each case, so that a changed case is a changed line. */
function write(content: object): string {
  const members = Object.entries(content).map(([name, value]) => {
    const key = JSON.stringify(name);
    if (!Array.isArray(value)) return `  ${key}: ${JSON.stringify(value)}`;
    return `  ${key}: [\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

const text = write(vectors);
if (!process.argv.includes("--check")) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
} else if (readOrEmpty() !== text) {
  console.error(`${file} differs from protocol/settlement/: run \`npm run generate\` and commit the result.`);
  process.exitCode = 1;
}

function readOrEmpty(): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
