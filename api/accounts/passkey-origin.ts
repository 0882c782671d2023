import { createHash } from "node:crypto";
import { type Address, type Hex, isAddressEqual, parseErc6492Signature } from "viem";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse.ts";
import { decodeAssertion, isPasskeyAccountCode } from "../../protocol/settlement/passkey.ts";

const clientData = z.object({ origin: z.string(), crossOrigin: z.boolean().optional() });

/** Tells whether a wallet is a passkey account: by its code, or by the deployment that comes with its signature (ERC-6492). */
export function isPasskeyAccount(
  factory: Address | undefined,
  code: Hex | undefined,
  signature: Hex,
): boolean {
  if (!factory) return false;
  if (code && code !== "0x") return isPasskeyAccountCode(factory, code);
  const { address } = parseErc6492Signature(signature);
  return address !== undefined && isAddressEqual(address, factory);
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
