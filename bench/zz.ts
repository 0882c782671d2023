import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { Session } from "node:inspector/promises";
import { createSigningKey, didDocumentOf } from "../receipts/keys.ts";
import { checkSignature } from "../receipts/native.ts";
import { signDocument, signStatusList } from "../receipts/sign.ts";
import { verifyReceipt } from "../receipts/verify.ts";
import { sampleDocument } from "../test/harness/receipts/documents.ts";
const did = "did:web:market.example";
const issuer = { url: "https://market.example", did };
const key = createSigningKey("key-1", new Date("2026-11-01T00:00:00Z"));
const statement = sampleDocument(issuer);
const now = new Date(Date.parse(statement.issued_at) + 60_000);
const list = { type: "ReceiptStatusList" as const, version: 1 as const, issuer: did, issued_at: statement.issued_at, valid_until: new Date(now.getTime() + 3_600_000).toISOString(), revoked: [] };
const document = JSON.stringify(signDocument(statement, key, did));
const pages: Record<string, string> = {
  "/.well-known/did.json": JSON.stringify(didDocumentOf(did, [key])),
  "/.well-known/earnest-receipt-status.json": JSON.stringify(signStatusList(list, key, did)),
};
const fetchPage = (async (url: string) => new Response(pages[new URL(url).pathname])) as typeof fetch;
const options = { issuer: did, now, fetch: fetchPage, checkSignature };
const bare = generateKeyPairSync("ed25519"); const pub = createPublicKey(bare.privateKey); const m = randomBytes(64); const s = sign(null, m, bare.privateKey);
async function time(n: number, f: () => unknown) { const t = performance.now(); for (let i = 0; i < n; i++) await f(); return ((performance.now() - t) / n) * 1000; }
const fs: Record<string, () => unknown> = { sign: () => signDocument(statement, key, did), bareSign: () => sign(null, m, bare.privateKey), verify: () => verifyReceipt(document, options), bareVerify: () => verify(null, m, pub, s), responses: async () => { for (const p of ["/.well-known/did.json", "/.well-known/earnest-receipt-status.json"]) await (await fetchPage(`https://market.example${p}`)).text(); } };
for (const f of Object.values(fs)) await time(3000, f);
if (process.argv[2]) {
  const session = new Session(); session.connect();
  await session.post("Profiler.enable"); await session.post("Profiler.setSamplingInterval", { interval: 100 }); await session.post("Profiler.start");
  await time(15000, fs[process.argv[2]] as () => unknown);
  const { profile } = await session.post("Profiler.stop");
  const self = new Map<string, number>(); const total = new Map<string, number>();
  const nodes = new Map(profile.nodes.map((n) => [n.id, n])); const parent = new Map<number, number>();
  for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id);
  const nm = (id: number) => { const c = nodes.get(id)!.callFrame; return `${c.functionName || "(anon)"} ${c.url.split("/").slice(-2).join("/")}:${c.lineNumber + 1}`; };
  const samples = profile.samples!; const d = profile.timeDeltas!; let sum = 0;
  samples.forEach((id, i) => { const t = d[i]!; sum += t; self.set(nm(id), (self.get(nm(id)) ?? 0) + t); const seen = new Set<string>(); for (let x: number | undefined = id; x !== undefined; x = parent.get(x)) seen.add(nm(x)); for (const k of seen) total.set(k, (total.get(k) ?? 0) + t); });
  const show = (mm: Map<string, number>) => [...mm].sort((a, b) => b[1] - a[1]).slice(0, 45).forEach(([k, v]) => console.log((100 * v / sum).toFixed(1).padStart(6), k));
  console.log("SELF"); show(self); console.log("TOTAL"); show(total);
} else for (let r = 0; r < 4; r++) { const o: string[] = []; for (const [k, f] of Object.entries(fs)) o.push(`${k} ${(await time(3000, f)).toFixed(1)}`); console.log(o.join("  ")); }
