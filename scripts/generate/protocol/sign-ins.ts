import { createSiweMessage } from "viem/siwe";
import { provider, wallet } from "./parties.ts";

const signIn = {
  address: wallet.address,
  chainId: 31_337,
  domain: "market.example",
  uri: "https://market.example",
  version: "1" as const,
  statement: "Sign in to Earnest. This starts a session; it sends no transaction and moves no money.",
  nonce: "f3c0a1d2e4b5968778695a4b3c2d1e0f",
  issuedAt: new Date("2026-11-20T12:00:00.000Z"),
  expirationTime: new Date("2026-11-20T12:10:00.000Z"),
};
const linkAccount = "acc_01jd3w7k5hfa3r6m2v8c4x9q1e";
const linkStatement = `Add this wallet to the Earnest account ${linkAccount}, whose people may then act for it and be paid by it. This is no sign-in; it sends no transaction and moves no money.`;
const userCode = "WDJB-MJHT";
const deviceStatement = `Sign in the device that shows the code ${userCode}: Firefox on Windows, network 203.0.113.0/24. It gets a session of this wallet's Earnest account. Refuse a code that somebody sent you. This starts no session here; it sends no transaction and moves no money.`;
const goodSignIn = createSiweMessage(signIn);
/** The default values that a client expects of a message. */
export const expected = {
  base_url: "https://market.example/api/v1",
  address: wallet.address,
  chain_id: 31_337,
  nonce: signIn.nonce,
  now: "2026-11-20T12:01:00.000Z",
};

/** Messages (EIP-4361) that a client is asked to sign. `refused` names the fault; null if the client may sign. */
export const signIns: { name: string; message: string; expected?: object; refused: string | null }[] = [
  { name: "a message of the service", message: goodSignIn, refused: null },
  {
    name: "the address in lower case asked for",
    message: goodSignIn,
    expected: { address: wallet.address.toLowerCase() },
    refused: null,
  },
  {
    name: "a service with a port",
    message: createSiweMessage({ ...signIn, domain: "localhost:42069", uri: "http://localhost:42069" }),
    expected: { base_url: "http://localhost:42069" },
    refused: null,
  },
  {
    name: "a wallet that is added to the account named",
    message: createSiweMessage({ ...signIn, statement: linkStatement }),
    expected: { account_id: linkAccount },
    refused: null,
  },
  {
    name: "a wallet that would be added to an account, where a sign-in was asked for",
    message: createSiweMessage({ ...signIn, statement: linkStatement }),
    refused: "statement",
  },
  {
    name: "a sign-in, where a wallet was to be added",
    message: goodSignIn,
    expected: { account_id: linkAccount },
    refused: "statement",
  },
  {
    name: "a wallet that would be added to another account",
    message: createSiweMessage({ ...signIn, statement: linkStatement }),
    expected: { account_id: "acc_01jd3w7k5hfa3r6m2v8c4x9q2f" },
    refused: "statement",
  },
  {
    name: "a device that shows the code",
    message: createSiweMessage({ ...signIn, statement: deviceStatement }),
    expected: { user_code: userCode },
    refused: null,
  },
  {
    name: "a device, where a sign-in was asked for",
    message: createSiweMessage({ ...signIn, statement: deviceStatement }),
    refused: "statement",
  },
  {
    name: "a sign-in, where a device was to be signed in",
    message: goodSignIn,
    expected: { user_code: userCode },
    refused: "statement",
  },
  {
    name: "a device that shows another code",
    message: createSiweMessage({ ...signIn, statement: deviceStatement }),
    expected: { user_code: "WDJB-MJHX" },
    refused: "statement",
  },
  {
    name: "no statement",
    message: createSiweMessage({ ...signIn, statement: undefined }),
    refused: "form",
  },
  {
    name: "another host",
    message: createSiweMessage({ ...signIn, domain: "evil.example" }),
    refused: "host",
  },
  {
    name: "the host with another port",
    message: createSiweMessage({ ...signIn, domain: "market.example:8443" }),
    refused: "host",
  },
  {
    name: "the host as a part of another",
    message: createSiweMessage({ ...signIn, domain: "market.example.evil.example" }),
    refused: "host",
  },
  {
    name: "an address on another host",
    message: createSiweMessage({ ...signIn, uri: "https://evil.example" }),
    refused: "uri",
  },
  {
    name: "a scheme before the host that is not the service's",
    message: createSiweMessage({ ...signIn, scheme: "http" }),
    refused: "host",
  },
  {
    name: "another wallet",
    message: createSiweMessage({ ...signIn, address: provider }),
    refused: "address",
  },
  { name: "another chain", message: createSiweMessage({ ...signIn, chainId: 1 }), refused: "chain" },
  {
    name: "another nonce",
    message: createSiweMessage({ ...signIn, nonce: "00000000000000000000000000000000" }),
    refused: "nonce",
  },
  {
    name: "resources",
    message: createSiweMessage({ ...signIn, resources: ["https://market.example/all"] }),
    refused: "resources",
  },
  {
    name: "a request id, which no message of the service has",
    message: createSiweMessage({ ...signIn, requestId: "1" }),
    refused: "form",
  },
  { name: "expired", message: goodSignIn, expected: { now: "2026-11-20T12:10:01.000Z" }, refused: "time" },
  { name: "spaces before a field", message: goodSignIn.replace("\nURI", "\n URI"), refused: "form" },
  { name: "carriage returns", message: goodSignIn.replaceAll("\n", "\r\n"), refused: "form" },
  {
    name: "no end",
    message: createSiweMessage({ ...signIn, expirationTime: undefined }),
    refused: "form",
  },
  { name: "another version", message: goodSignIn.replace("Version: 1", "Version: 2"), refused: "form" },
  { name: "text after the end", message: `${goodSignIn}\nSend all my money.`, refused: "form" },
  { name: "a line break at the end", message: `${goodSignIn}\n`, refused: "form" },
  {
    name: "a statement of two lines",
    message: goodSignIn.replace("This starts", "\nNonce: 1"),
    refused: "form",
  },
  {
    name: "a field twice",
    message: goodSignIn.replace("Version: 1", "Version: 1\nVersion: 1"),
    refused: "form",
  },
  { name: "no sign-in message", message: "I owe you a thousand dollars.", refused: "form" },
  { name: "nothing", message: "", refused: "form" },
];
