import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Returns a secret that is shown once. It has the focus and is in view. */
export async function takeSecret(page: Page): Promise<string> {
  const secret = page.getByTestId("secret");
  await secret.waitFor();
  await expect.poll(() => secret.evaluate((shown) => document.activeElement === shown)).toBe(true);
  expect(await isInView(secret)).toBe(true);
  return String(await secret.textContent());
}

/** Whether all of an element is within the window, and nothing covers its middle. */
export const isInView = (part: Locator) =>
  part.evaluate((shown) => {
    const { top, left, bottom, right } = shown.getBoundingClientRect();
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && shown.contains(above);
  });

/** Runs in the page. Returns the label of the focused field. */
export const focusedLabel = () =>
  (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent ?? "";
