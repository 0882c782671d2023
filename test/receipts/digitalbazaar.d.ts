// The functions that the interoperability test calls; these packages ship no types.
declare module "@digitalbazaar/data-integrity" {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object; signer?: object; date?: string });
    createProof(options: { document: object; purpose: object; documentLoader: unknown }): Promise<object>;
  }
}

declare module "@digitalbazaar/eddsa-jcs-2022-cryptosuite" {
  export function createVerifyCryptosuite(): object;
  export function createSignCryptosuite(): object;
}

declare module "@digitalbazaar/ed25519-multikey" {
  export function fromJwk(options: {
    jwk: object;
    secretKey?: boolean;
    id: string;
    controller: string;
  }): Promise<{ signer(): object }>;
}

declare module "jsonld-signatures" {
  type DocumentLoader = (
    url: string,
  ) => Promise<{ documentUrl: string; document: unknown; contextUrl: null }>;
  interface Options {
    suite: object;
    purpose: object;
    documentLoader: DocumentLoader;
  }
  const jsigs: {
    verify(document: object, options: Options): Promise<{ verified: boolean; error?: Error }>;
    purposes: { AssertionProofPurpose: new (options?: { controller?: object }) => object };
  };
  export default jsigs;
}
