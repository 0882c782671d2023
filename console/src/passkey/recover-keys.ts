import { p256 } from "@noble/curves/nist";
import { concat, hexToBytes, numberToHex, sha256, stringToBytes } from "viem";
import type { Assertion, PasskeyKey } from "../../../protocol/settlement/index.ts";

/** Computes the public keys that an assertion can be signed by: two, or with a chance of 1 in 2³² up to four. */
export function recoverKeys({ r, s, authenticatorData, clientDataJSON }: Assertion): PasskeyKey[] {
  const signed = sha256(concat([authenticatorData, sha256(stringToBytes(clientDataJSON))]), "bytes");
  const signature = p256.Signature.fromCompact(hexToBytes(concat([r, s])));
  return [0, 1, 2, 3].flatMap((recovery) => {
    try {
      const { x, y } = signature.addRecoveryBit(recovery).recoverPublicKey(signed).toAffine();
      return [{ x: numberToHex(x, { size: 32 }), y: numberToHex(y, { size: 32 }) }];
    } catch {
      // No point of the curve has this coordinate.
      return [];
    }
  });
}
