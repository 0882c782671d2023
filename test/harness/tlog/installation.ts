import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { keyEntry, receiptEntry, revocationEntry } from "../../../protocol/tlog/entry.ts";
import type { SettlementDocument, SignedSettlementDocument } from "../../../receipts/document.ts";
import { issuerOf, keyLogPath, statusPath } from "../../../receipts/issuer.ts";
import { hashJws } from "../../../receipts/jws-hash.ts";
import { createKeyring, type Keyring, rotateKeys } from "../../../receipts/keyring.ts";
import { signDocument, signStatusList, signX402Receipt } from "../../../receipts/sign.ts";
import { currentKey, didDocumentOf } from "../../../receipts/signing-keys.ts";
import { sampleDocument } from "../receipts/documents.ts";
import { TestLog } from "./log.ts";

type Receipt = {
  id: string;
  document: SignedSettlementDocument;
  x402_receipt: string | null;
  revoked: boolean;
};

/**
 * The part of an installation that a monitor reads, with its log: honest until a test changes its answers.
 */
export class TestInstallation {
  log!: TestLog;
  keyring: Keyring = createKeyring(new Date(Date.now() - 3_600_000));
  readonly receipts = new Map<string, Receipt>();
  revoked: { id: string; revoked_at: string; x402_sha256: string | null }[] = [];
  /** Paths with a fixed answer or status, whatever would be served there. */
  readonly overridden = new Map<string, string | Uint8Array | number>();
  /** Statuses that a path answers first, one for each request. */
  readonly failing = new Map<string, number[]>();
  /** The number of entries that the log shows; all by default. */
  shown: number | undefined;
  address = "";
  requests: string[] = [];
  private readonly server = createServer((request, response) => {
    const path = request.url ?? "";
    this.requests.push(path);
    const body = this.failing.get(path)?.shift() ?? this.overridden.get(path) ?? this.serve(path);
    if (typeof body === "number") response.writeHead(body, { "retry-after": "1" }).end();
    else response.writeHead(body === null ? 404 : 200).end(body ?? "{}");
  });

  static async start(): Promise<TestInstallation> {
    const made = new TestInstallation();
    await new Promise<void>((resolve) => made.server.listen(0, "127.0.0.1", resolve));
    made.address = `http://localhost:${(made.server.address() as AddressInfo).port}`;
    made.log = new TestLog(`${made.address.slice(7)}/log`);
    for (const entry of made.keyring.log) made.log.add(keyEntry(entry));
    return made;
  }

  get issuer(): string {
    return issuerOf(this.address);
  }

  /** Signs a receipt without logging it. */
  async sign(fields: Partial<SettlementDocument> = {}, issuedAt = new Date()): Promise<Receipt> {
    const id = `rcp_${randomBytes(13).toString("hex")}`;
    const issuer = { url: this.address, did: this.issuer };
    const at = issuedAt.toISOString();
    const statement = {
      ...sampleDocument(issuer),
      order_id: `ord_${id.slice(4)}`,
      id: `${this.address}/api/v1/receipts/${id}`,
      issued_at: at,
      ...fields,
    } as SettlementDocument;
    const key = currentKey(this.keyring.keys, issuedAt);
    const document = signDocument(statement, key, this.issuer);
    const x402 = {
      network: statement.chain,
      resourceUrl: `${this.address}/api/v1/orders/${statement.order_id}`,
      payer: statement.buyer,
      issuedAt: Math.floor(issuedAt.getTime() / 1000),
      transaction: statement.transaction,
    };
    const receipt = {
      id,
      document,
      x402_receipt: statement.claim === "released" ? await signX402Receipt(x402, key, this.issuer) : null,
      revoked: false,
    };
    this.receipts.set(id, receipt);
    return receipt;
  }

  /** Signs receipts and logs them. */
  async issue(
    count = 1,
    fields: Partial<SettlementDocument> = {},
    issuedAt = new Date(),
  ): Promise<Receipt[]> {
    const issued: Receipt[] = [];
    while (issued.length < count) issued.push(await this.sign(fields, issuedAt));
    for (const receipt of issued) this.logReceipt(receipt);
    return issued;
  }

  logReceipt({ id, document, x402_receipt }: Receipt): void {
    this.log.add(receiptEntry(id, document, x402_receipt));
  }

  /** Revokes a receipt, and logs the revocation. */
  revoke(receipt: Receipt, at = new Date()): void {
    this.list(receipt, at);
    receipt.revoked = true;
    this.log.add(revocationEntry(receipt.id, at));
  }

  /** Revokes a receipt on the list only. */
  list({ document, x402_receipt }: Receipt, at = new Date()): void {
    const x402_sha256 = x402_receipt === null ? null : hashJws(x402_receipt);
    this.revoked.push({ id: document.id, revoked_at: at.toISOString(), x402_sha256 });
  }

  /** Rotates the keys, and logs the changes. */
  rotate(now = new Date()): void {
    const known = this.keyring.log.length;
    this.keyring = rotateKeys(this.keyring, { begin: now, end: now, now });
    for (const entry of this.keyring.log.slice(known)) this.log.add(keyEntry(entry));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.closeAllConnections();
      this.server.close(() => resolve());
    });
  }

  private serve(path: string): string | Uint8Array | null {
    if (path.startsWith("/log/")) return this.log.serve(path.slice("/log/".length), this.shown);
    if (path === "/.well-known/did.json")
      return JSON.stringify(didDocumentOf(this.issuer, this.keyring.keys));
    if (path === keyLogPath) {
      const { log: entries } = this.keyring;
      return JSON.stringify({ type: "KeyLog", version: 1, issuer: this.issuer, entries });
    }
    if (path === statusPath) {
      const key = currentKey(this.keyring.keys);
      const [issued_at, valid_until] = [0, 3_600_000].map((later) =>
        new Date(Date.now() + later).toISOString(),
      );
      const list = { issued_at, valid_until, issuer: this.issuer, revoked: this.revoked } as const;
      return JSON.stringify(
        signStatusList(
          {
            type: "ReceiptStatusList",
            version: 1,
            ...list,
            issued_at: issued_at ?? "",
            valid_until: valid_until ?? "",
          },
          key,
          this.issuer,
        ),
      );
    }
    const [, id = ""] = /^\/api\/v1\/receipts\/(\w+)$/.exec(path) ?? [];
    const receipt = this.receipts.get(id);
    return receipt ? JSON.stringify(receipt) : null;
  }
}
