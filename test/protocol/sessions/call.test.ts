import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import {
  KeySignatures,
  readCloseRequest,
  readVoucher,
  sessionErrorCodes,
  sessionErrorStatus,
  statementOf,
  voucherDigests,
  workHashOf,
  writeCloseRequest,
  writeVoucher,
} from "../../../protocol/sessions/index.ts";
import { digestToSign, typedDataOf, voucherData } from "../../../protocol/settlement/index.ts";

const vectors = JSON.parse(
  readFileSync(new URL("../../../protocol/sessions/vectors.json", import.meta.url), "utf8"),
);

describe("the vectors", () => {
  test.each(vectors.calls as Record<string, `0x${string}`>[])("call $cumulative_amount", async (call) => {
    const { escrow } = vectors;
    const cumulativeAmount = BigInt(call.cumulative_amount ?? 0);
    const workHash = workHashOf({
      escrowId: escrow.escrowId,
      cumulativeAmount,
      inputHash: call.input_hash as never,
    });
    expect(workHash).toBe(call.work_hash);
    const digest = voucherDigests(escrow)({ cumulativeAmount, workHash });
    expect(digest).toBe(call.voucher_digest);
    expect(digest).toBe(digestToSign(voucherData(escrow, { cumulativeAmount, workHash })));
    const signature = call.voucher_signature as `0x${string}`;
    expect(await new KeySignatures(vectors.buyer.address).read(digest, signature)).toBe(signature);
    expect(writeVoucher({ cumulativeAmount, workHash, signature })).toBe(call.voucher_header);
    const outputHash = call.output_hash as `0x${string}`;
    const statement = statementOf({ escrowId: escrow.escrowId, cumulativeAmount, workHash, outputHash });
    expect(statement).toBe(call.statement);
    const key = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: vectors.session_key.x },
      format: "jwk",
    });
    expect(
      verify(null, Buffer.from(statement), key, Buffer.from(call.statement_signature ?? "", "base64url")),
    ).toBe(true);
  });

  test("the close request", async () => {
    const { escrow, close, buyer } = vectors;
    const message = {
      escrowId: escrow.escrowId,
      providerAmount: BigInt(close.amount),
      deadline: BigInt(close.deadline),
    };
    const digest = digestToSign(typedDataOf(escrow, "Close", message));
    expect(await new KeySignatures(buyer.address).read(digest, close.signature)).toBe(close.signature);
    const request = {
      providerAmount: BigInt(close.amount),
      deadline: BigInt(close.deadline),
      signature: close.signature,
    };
    expect(writeCloseRequest(request)).toBe(close.header);
    expect(readCloseRequest(close.header)).toEqual(request);
  });

  test("the codes of refusals have their statuses", () => {
    expect(vectors.errors).toEqual(sessionErrorStatus);
    expect(Object.keys(vectors.errors).sort()).toEqual([...sessionErrorCodes].sort());
  });
});

describe("a voucher's header", () => {
  const good = vectors.calls[0].voucher_header as string;
  test("is read as it is written", () => {
    const read = readVoucher(good);
    expect(read && writeVoucher(read)).toBe(good);
  });
  test.each([
    ["an amount of zero", good.replace(/^[0-9]+/, "0")],
    ["an amount with a leading zero", `0${good}`],
    ["upper case", good.toUpperCase()],
    ["a long signature", `${good}00`],
    ["another field", `${good};1`],
    ["nothing", ""],
  ])("is refused with %s", (_, text) => {
    expect(readVoucher(text)).toBeNull();
  });
});

describe("a key's signatures", () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const other = privateKeyToAccount(generatePrivateKey());
  const digest = digestToSign(
    voucherData(vectors.escrow, { cumulativeAmount: 7n, workHash: vectors.calls[0].work_hash }),
  );

  test("are read alike with and without a table of the key", async () => {
    const signatures = new KeySignatures(account.address);
    const good = await account.sign({ hash: digest });
    const bad = await other.sign({ hash: digest });
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = BigInt(`0x${good.slice(66, 130)}`);
    const flipped = good.endsWith("1b") ? "1c" : "1b";
    const high = `${good.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${flipped}` as const;
    const refused = [
      bad,
      high,
      `${good.slice(0, 130)}${flipped}`,
      `${good.slice(0, 130)}1d`,
      `0x${"00".repeat(65)}`,
    ];
    for (let round = 0; round < 6; round += 1) {
      for (const signature of refused) expect(await signatures.read(digest, signature as never)).toBeNull();
      expect(await signatures.read(digest, good)).toBe(good);
      const bare: `0x${string}` = `0x${good.slice(2, 130)}${good.endsWith("1b") ? "00" : "01"}`;
      expect(await signatures.read(digest, bare)).toBe(good);
    }
  });
});
