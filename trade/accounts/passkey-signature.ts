import { createHash } from "node:crypto";
import { type Address, type Hex, parseErc6492Signature } from "viem";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse.ts";
import { decodeAssertion, isPasskeyAccountCode } from "../../protocol/settlement/passkey.ts";

const clientData = z.object({ origin: z.string(), crossOrigin: z.boolean().optional() });

/**
 * Tells whether a passkey signed: by the code of its account, or by the form of the signature. The call that comes with a
 * signature (ERC-6492) tells nothing, because any contract can call the factory for somebody.
 */
export function isOfPasskey(factory: Address | undefined, code: Hex | undefined, signature: Hex): boolean {
  if (decodeAssertion(parseErc6492Signature(signature).signature)) return true;
  return factory !== undefined && code !== undefined && isPasskeyAccountCode(factory, code);
}

/**
 * Tells whether a passkey signed on a page of this service. Its account accepts signatures of any page. A passkey also signs on
 * pages of subdomains, and such a page must not sign its visitor in here.
 */
export function isSignedHere(publicUrl: string, signature: Hex): boolean {
  const { origin, hostname } = new URL(publicUrl);
  const assertion = decodeAssertion(parseErc6492Signature(signature).signature);
  if (!assertion) return false;
  const relyingParty = createHash("sha256").update(hostname).digest("hex");
  if (assertion.authenticatorData.slice(2, 66) !== relyingParty) return false;
  const data = clientData.safeParse(parseOrNull(assertion.clientDataJSON));
  return data.success && data.data.origin === origin && data.data.crossOrigin !== true;
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
