import { expect, test } from "vitest";
import { hashLeaf, verifyConsistency } from "../../../protocol/tlog/merkle.ts";
import { parseProof, verifyProof } from "../../../protocol/tlog/proof.ts";

// Test data of independent Go programs: the log by golang.org/x/mod/sumdb, the cosignature and the proof's
// text by github.com/transparency-dev/formats. Entry i of 77 is the text "entry i".
const vkey = "go.example/log+c2cbc1e9+AWa+fjMsekUzMr2dCn99sFX1xe8aBq2mbZizn7aBDEc6";
const witness = "go.example/witness+b2f69309+BAtROtm0kkAVygkC7QeQRNOsXb7CMG8GlIwQ2o62458t";
const proof = `c2sp.org/tlog-proof@v1
extra ZXh0cmE=
index 33
uQ3oz42KrtY9FSBehsXv0fjA9qj+8P0tceEqQtOhC7E=
gHXQp2BR4UfoNubbuUREONb+8tDYeAEi5eU5U+0VA2E=
fu3pW7n8PedSkHqJJXkBRyNMFTdQjzqjTPvUzuI+mwg=
jDDy8N+BtYq16ZfTs1KCrIcTyi1z9d9GTJLNu7BE/jI=
66+Zq9y68egNSFFKSw79SoJG7LDYNECmkaqMPZ3rnts=
GgO9ng0eJjvhaOoHprLn00xWS9o7c9pqDI2kL7VtJ2A=
ios/SLODiywOeQwLqvOAQu2pz+ISwRG+CGq95Eb3r1Y=

go.example/log
77
YAx3y6RlBeB0YnIfLUktKJafverUlCliQJhToSRjIw4=

— go.example/log wsvB6QqZyrUR7CSgFO8mZolTaSBuTOuL1rdmUpwzkuVFlTQdVGpRirdPNzYsx42gxru2G2L5M5JkVhDBSmjwl+azUQQ=
— go.example/witness svaTCQAAAABrBGb9n/5SC9nbombZOFMq0pihg5aUP55uSP0CygJPVq9p42o2HjaWHurjAYq8pXL34xG9vr7oKPaw5yp4y7HR6ssOBQ==
`;
const olderRoot = "RkkwvCdI3X3zibigXeVCgR8MVW/duPRcRc16XxEw29s=";
const consistency = [
  "T6OSCTffkIxZSkGltsv2qsiu76L3LucDvObxirgy0hI=",
  "EzZ4xm2c+m8rq6Q/9XTxj1SFH/BI/2K0pcWVJcV8eyc=",
  "J+YOkE+yLStMBIZ3VnaaA/8boUncNFY3TdDR5oIiiw0=",
  "XdMcKaatJqdfk/zUe/BqgUmCs23maPY9JjFdzeyI46w=",
  "j3ZRz3oiKfYDyqsWenZoEY2x06pEAz4oq346iOJDplI=",
  "GgO9ng0eJjvhaOoHprLn00xWS9o7c9pqDI2kL7VtJ2A=",
  "ios/SLODiywOeQwLqvOAQu2pz+ISwRG+CGq95Eb3r1Y=",
];

const policy = `log ${vkey}\nwitness W ${witness}\nquorum W\n`;
const utf8 = (text: string) => new TextEncoder().encode(text);
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

test("an independent program's proof and cosignature are valid for its entry only", () => {
  const found = verifyProof(proof, utf8("entry 33"), { policy });
  expect(found).toMatchObject({ valid: true, index: 33, checkpoint: { origin: "go.example/log", size: 77 } });
  expect(found.valid && found.cosignatures).toMatchObject([{ witness: "W", name: "go.example/witness" }]);
  expect(parseProof(proof).extra).toEqual(utf8("extra"));
  expect(verifyProof(proof, utf8("entry 34"), { policy })).toMatchObject({ code: "not_included" });
});

test("an independent program's consistency proof is valid for its trees only", () => {
  const found = verifyProof(proof, utf8("entry 33"), { vkey });
  const { size, root } = found.valid ? found.checkpoint : expect.fail(found.message);
  const trees = { oldSize: 50, oldRoot: bytesOf(olderRoot), size, root, proof: consistency.map(bytesOf) };
  expect(verifyConsistency(trees)).toBe(true);
  expect(verifyConsistency({ ...trees, oldSize: 51 })).toBe(false);
  expect(verifyConsistency({ ...trees, oldRoot: hashLeaf(utf8("entry 0")) })).toBe(false);
});
