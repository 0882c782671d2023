import { readFileSync } from "node:fs";
import { type Hex, verifyTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { KeySignatures, voucherDigests } from "../../../protocol/sessions/index.ts";
import { voucherData } from "../../../protocol/settlement/index.ts";
import { keyAccount, nativeRecovery } from "../src/sessions/native-keys.ts";

const vectors = JSON.parse(
  readFileSync(new URL("../../../protocol/sessions/vectors.json", import.meta.url), "utf8"),
);
const { escrow, buyer, calls } = vectors;

test("libsecp256k1 signs and reads the vouchers of the vectors as viem does", async () => {
  const account = keyAccount(buyer.private_key);
  expect(account.sign).not.toBe(privateKeyToAccount(buyer.private_key).sign);
  const digestOf = voucherDigests(escrow);
  for (const { cumulative_amount, work_hash, voucher_signature } of calls) {
    const voucher = { cumulativeAmount: BigInt(cumulative_amount), workHash: work_hash as Hex };
    const digest = digestOf(voucher);
    const signature = (await account.sign?.({ hash: digest })) as Hex;
    expect(signature).toBe(voucher_signature);
    const signed = { ...voucherData(escrow, voucher), address: buyer.address, signature };
    expect(await verifyTypedData(signed as Parameters<typeof verifyTypedData>[0])).toBe(true);
    const [flipped, other] = [signature.endsWith("1b") ? "1c" : "1b", "11".repeat(32)];
    for (const native of [nativeRecovery(), undefined]) {
      const keys = new KeySignatures(buyer.address, native);
      expect(await keys.read(digest, signature)).toBe(signature);
      expect(await keys.read(digest, `${signature.slice(0, 130)}${flipped}` as Hex)).toBeNull();
      expect(await keys.read(`0x${other}`, signature)).toBeNull();
      expect(await keys.read(digest, `0x${"00".repeat(64)}1b`)).toBeNull();
    }
  }
});
