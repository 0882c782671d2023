import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createContext, Script } from "node:vm";
import { transform } from "esbuild";
import { TransactionReceiptNotFoundError } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiptErrors } from "../../receipts/errors.ts";
import { signDocument, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import {
  type Issuer,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  startIssuer,
} from "../harness/receipts/documents.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** A user's folder, with the package as npm would install it: package.json, dist/, no dependencies. */
let folder: string;
let installed: string;
let issuer: Issuer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earnest-package-"));
  installed = join(folder, "node_modules", "earnest");
  await mkdir(installed, { recursive: true });
  await cp(join(root, "package.json"), join(installed, "package.json"));
  await run(process.execPath, [join(root, "scripts", "build.ts"), join(installed, "dist")]);
  issuer = await startIssuer();
});
afterAll(async () => {
  await issuer?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Documents that were signed just now: the user's program has the real clock. */
async function signAll() {
  const issuedAt = Math.floor(Date.now() / 1000) - 5;
  const issued_at = new Date(issuedAt * 1000).toISOString();
  const { key, did } = issuer;
  return {
    document: JSON.stringify(signDocument(sampleDocument(issuer, { issued_at }), key, did)),
    receipt: await signX402Receipt({ ...sampleReceipt(issuer), issuedAt }, key, did),
    offer: await signX402Offer({ ...sampleOffer(issuer), validUntil: issuedAt + 600 }, key, did),
  };
}

/** Every supported Node of this machine, each once. */
async function findNodes(): Promise<string[]> {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((part) => join(part, "node"));
  const files = new Set([process.execPath, ...onPath.filter(existsSync)].map((file) => realpathSync(file)));
  const nodes = new Map<string, string>();
  for (const file of files) nodes.set((await run(file, ["--version"])).stdout.trim(), file);
  return [...nodes].filter(([version]) => Number(/^v(\d+)/.exec(version)?.[1]) >= 20).map(([, file]) => file);
}

test("a user's program imports the package, in every Node of this machine from 20 on", async () => {
  const program = `
    import { verifyOffer, verifyReceipt, verifyX402Receipt } from "earnest/receipts";
    const { issuer, document, receipt, offer } = JSON.parse(process.argv[2]);
    // The issuer is a server of the test, which a busy machine may delay.
    const options = { issuer, timeoutMs: 60_000 };
    const results = [
      await verifyReceipt(document, options),
      await verifyX402Receipt(receipt, options),
      await verifyOffer(offer, options),
      await verifyReceipt(document.replace('"amount":"2500000"', '"amount":"2500001"'), options),
    ];
    console.log(results.map(({ valid, message }) => message ?? valid).join("\\n"));
  `;
  await writeFile(join(folder, "program.mjs"), program);
  const nodes = await findNodes();
  expect(nodes.length).toBeGreaterThan(0);
  for (const node of nodes) {
    const input = JSON.stringify({ issuer: issuer.did, ...(await signAll()) });
    const { stdout } = await run(node, [join(folder, "program.mjs"), input], { cwd: folder });
    const [forged, ...good] = stdout.trim().split("\n").toReversed();
    expect([node, good]).toEqual([node, ["true", "true", "true"]]);
    expect(forged).toContain(receiptErrors.invalid_signature);
  }
});

test("a user's program compiles with its types, in the strictest mode", async () => {
  // The types name those of three packages, which a real installation has.
  for (const name of ["viem", "zod", "did-resolver", "abitype"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  const program = `
    import { confirmOnChain, type ReceiptErrorCode, verifyReceipt } from "earnest/receipts";
    import { createPublicClient, http } from "viem";
    const result = await verifyReceipt("{}", { issuer: "did:web:market.example" });
    if (result.valid) {
      const amount: string = result.document.amount;
      const client = createPublicClient({ transport: http("http://127.0.0.1:1") });
      console.log(amount, await confirmOnChain(result, client));
    } else {
      const code: ReceiptErrorCode = result.code;
      console.log(code);
    }
    // @ts-expect-error: the issuer has to be given
    await verifyReceipt("{}", {});
  `;
  await writeFile(join(folder, "program.mts"), program);
  const options = { module: "nodenext", target: "es2022", strict: true, noEmit: true, types: [] };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { ...options, lib: ["es2022", "dom"], skipLibCheck: false },
      files: ["program.mts"],
    }),
  );
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const { stdout } = await run(tsc, ["--project", folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

describe("with browser features only", () => {
  let verifier: typeof import("../../receipts/index.ts");

  beforeAll(async () => {
    const { URL, TextEncoder, TextDecoder, AbortController, DOMException, crypto, atob, btoa } = globalThis;
    const timers = { setTimeout, clearTimeout };
    const context = createContext({
      crypto,
      atob,
      btoa,
      fetch,
      URL,
      TextEncoder,
      TextDecoder,
      AbortController,
      DOMException,
      ...timers,
    });
    const names = ["process", "Buffer", "require", "module", "global", "setImmediate"];
    const found = new Script(`[${names.map((name) => `typeof ${name}`)}]`).runInContext(context) as string[];
    expect([...new Set(found)]).toEqual(["undefined"]);
    const text = await readFile(join(installed, "dist", "receipts.js"), "utf8");
    const { code } = await transform(text, { format: "iife", globalName: "receipts" });
    new Script(code).runInContext(context);
    verifier = context.receipts;
  });

  test("it accepts good documents and refuses bad ones", async () => {
    const { document, receipt, offer } = await signAll();
    const options = { issuer: issuer.did };
    expect(await verifier.verifyReceipt(document, options)).toMatchObject({ valid: true, claim: "released" });
    expect(await verifier.verifyX402Receipt(receipt, options)).toMatchObject({ valid: true });
    expect(await verifier.verifyOffer(offer, options)).toMatchObject({ valid: true });
    const refused = [
      [document.replace('"released"', '"refunded"'), "invalid_signature"],
      [receipt, "wrong_kind"],
      ["{", "malformed"],
    ];
    for (const [input, code] of refused) {
      expect(await verifier.verifyReceipt(input, options)).toMatchObject({ valid: false, code });
    }
  });

  test("it reports an error of another copy of viem", async () => {
    const { document } = await signAll();
    const client = {
      getChainId: async () => 31337,
      getBlockNumber: async () => 1n,
      getTransactionReceipt: async ({ hash }: { hash: `0x${string}` }) => {
        throw new TransactionReceiptNotFoundError({ hash });
      },
    };
    const result = await verifier.verifyReceipt(document, { issuer: issuer.did });
    if (!result.valid) throw new Error(result.message);
    expect(await verifier.confirmOnChain(result, client)).toMatchObject({
      checked: true,
      agrees: false,
      code: "transaction_not_found",
    });
  });
});
