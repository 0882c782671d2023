import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type Address, concat, type Hex, hashMessage, hashTypedData, numberToHex, toHex } from "viem";
import {
  type AccountCall,
  type Assertion,
  encodeAssertion,
  type PasskeyKey,
  passkeyAccountOf,
  passkeyExecuteHash,
  passkeyMessageHash,
  withDeployment,
} from "../../protocol/settlement/passkey.ts";
import type { TestChain } from "./chain.ts";
import type { Signing } from "./flows/wallets.ts";

/** The order of the curve P-256. */
export const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The changes of an assertion that no browser makes. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  flags?: number;
  type?: string;
  challenge?: Hex;
  crossOrigin?: boolean;
  /** leaves the s of the upper half of the curve's order */
  highS?: boolean;
};

/** An authenticator with one passkey: it makes the bytes that a browser returns (WebAuthn level 2). */
export function createAuthenticator(site = "http://localhost:42069") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const key: PasskeyKey = { x: fromBase64Url(x), y: fromBase64Url(y) };
  return {
    key,
    credentialId: randomBytes(16).toString("base64url"),
    assert: (challenge: Hex, forgery: Forgery = {}) => assertion(privateKey, site, challenge, forgery),
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;

function assertion(privateKey: KeyObject, site: string, challenge: Hex, forgery: Forgery): Assertion {
  const { origin = site, rpId = new URL(site).hostname, flags = 0x05, type = "webauthn.get" } = forgery;
  const clientDataJSON = JSON.stringify({
    type,
    challenge: Buffer.from((forgery.challenge ?? challenge).slice(2), "hex").toString("base64url"),
    origin,
    crossOrigin: forgery.crossOrigin ?? false,
  });
  const authenticatorData = concat([sha256(rpId), numberToHex(flags, { size: 1 }), "0x00000000"]);
  const signed = Buffer.from(concat([authenticatorData, sha256(clientDataJSON)]).slice(2), "hex");
  const raw = sign("sha256", signed, { key: privateKey, dsaEncoding: "ieee-p1363" });
  const s = BigInt(`0x${raw.subarray(32).toString("hex")}`);
  const isHigh = s > curveOrder / 2n;
  const scalar = isHigh === (forgery.highS ?? false) ? s : curveOrder - s;
  return {
    r: toHex(raw.subarray(0, 32)),
    s: numberToHex(scalar, { size: 32 }),
    challengeIndex: clientDataJSON.indexOf('"challenge"'),
    typeIndex: clientDataJSON.indexOf('"type"'),
    authenticatorData,
    clientDataJSON,
  };
}

const sha256 = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;
const fromBase64Url = (text: string): Hex => `0x${Buffer.from(text, "base64url").toString("hex")}`;

/**
 * The account of a passkey as a signer. It sends its deployment along while it is not deployed (ERC-6492).
 *
 * @param options.owner the key of the account, if it is not the authenticator's
 */
export function passkeyWallet(
  { chain, publicClient }: TestChain,
  authenticator: Authenticator,
  options: { forgery?: Forgery; owner?: PasskeyKey } = {},
) {
  const factory = chain.passkey_factory as Address;
  const key = options.owner ?? authenticator.key;
  const address = passkeyAccountOf(factory, key);
  const named = { account: address, chainId: chain.chain_id };
  const signChallenge = (challenge: Hex) => encodeAssertion(authenticator.assert(challenge, options.forgery));
  const signHash = async (hash: Hex): Promise<Hex> => {
    const signature = signChallenge(passkeyMessageHash(named, hash));
    const isDeployed = Boolean(await publicClient.getCode({ address }));
    return isDeployed ? signature : withDeployment(factory, key, signature);
  };
  const signing: Signing = { address, signTypedData: (data) => signHash(hashTypedData(data as never)) };
  return {
    ...signing,
    key,
    factory,
    named,
    signHash,
    signMessage: ({ message }: { message: string }) => signHash(hashMessage(message)),
    signCalls: (execution: { calls: AccountCall[]; nonce: bigint; deadline: bigint }) =>
      signChallenge(passkeyExecuteHash(named, execution)),
  };
}
