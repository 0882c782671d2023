import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPrivately } from "../../config/keys/signing-key.ts";
import { formatVerifierKey, keyTypes, type NoteSigner, parseVerifierKey } from "../../protocol/tlog/note.ts";
import { createSigner } from "../../protocol/tlog/note-signer.ts";
import { WitnessError } from "./witness-errors.ts";
import { createState } from "./witness-state.ts";

const seedBytes = 32;
const keyFile = (folder: string) => join(folder, "key");

/**
 * Creates a witness in a folder: its key, which only the owner can read, and its state.
 *
 * @param name the name in the witness's signatures, as in `witness.example/w1`
 * @returns its verifier key
 * @throws WitnessError `state_exists`, or LogRejection `malformed_key` for an invalid name
 */
export async function createWitnessFolder(folder: string, name: string): Promise<string> {
  const seed = randomBytes(seedBytes);
  const vkey = formatVerifierKey(createSigner(name, keyTypes.cosignature, seed).key);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(keyFile(folder), `${seed.toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new WitnessError("state_exists", `The key is in ${folder}.`);
  }
  await createState(folder, vkey);
  return vkey;
}

/** Reads the key of a state's witness. Throws `key_unusable` or `key_foreign`. */
export function readWitnessSigner(folder: string, witness: string): NoteSigner {
  const file = keyFile(folder);
  let text: string;
  try {
    text = readPrivately(file).trim();
  } catch (error) {
    throw new WitnessError("key_unusable", (error as Error).message);
  }
  const seed = Buffer.from(text, "base64");
  if (seed.length !== seedBytes || seed.toString("base64") !== text) {
    throw new WitnessError("key_unusable", `${file} must contain the base64 of ${seedBytes} bytes.`);
  }
  const signer = createSigner(parseVerifierKey(witness).name, keyTypes.cosignature, seed);
  if (formatVerifierKey(signer.key) !== witness)
    throw new WitnessError("key_foreign", `The file is ${file}.`);
  return signer;
}
