import { expect, test } from "vitest";
import { readPayWith } from "../cli/settings.ts";

const token = `0x${"ab".repeat(20)}`;
const limitOf = (word: string, most?: string) => readPayWith([word], most)?.[0]?.maxAmount;

test("the lower of --max-amount and a token's own maximum holds", () => {
  expect(limitOf(`1:${token}=5.00`, "3.00")).toBe("3.00");
  expect(limitOf(`1:${token}=5.00`, "10")).toBe("5.00");
  expect(limitOf(`1:${token}=5.00`)).toBe("5.00");
  expect(limitOf(`1:${token}`, "3.00")).toBeUndefined();
  expect(() => limitOf(`1:${token}=5.00`, "three")).toThrow("--max-amount three is no amount");
});
