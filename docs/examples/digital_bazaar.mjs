// Checks the document in receipt.json with the libraries of Digital Bazaar.

import { readFileSync } from "node:fs";
import { DataIntegrityProof } from "@digitalbazaar/data-integrity";
import { createVerifyCryptosuite } from "@digitalbazaar/eddsa-jcs-2022-cryptosuite";
import jsigs from "jsonld-signatures";

const { document } = JSON.parse(readFileSync("receipt.json", "utf8"));
const did = await (await fetch("https://market.example/.well-known/did.json")).json();
const { verified } = await jsigs.verify(document, {
  suite: new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
  purpose: new jsigs.purposes.AssertionProofPurpose({ controller: did }),
  documentLoader: async (url) => {
    // Serving nothing but the issuer's own methods is what pins the issuer.
    const method = did.verificationMethod.find(({ id }) => id === url);
    if (!method) throw new Error(`not the issuer's: ${url}`);
    const context = "https://w3id.org/security/multikey/v1";
    return { documentUrl: url, contextUrl: null, document: { "@context": context, ...method } };
  },
});
console.log(verified);
