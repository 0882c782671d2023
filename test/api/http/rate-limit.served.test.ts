import { expect, test } from "vitest";
import { countUntilRefused, expectAbout } from "../../harness/rate-limits.ts";
import { startStack } from "../../harness/stack.ts";

test("a served installation identifies its clients by their connections", async () => {
  const stack = await startStack({ worker: false, env: { RATE_LIMITS: "address=5,content=1000" } });
  try {
    for (const [body, left] of [
      ["x".repeat(300), 700],
      [new Blob(["x".repeat(300)]).stream(), 400],
    ] as const) {
      const { status, headers } = await fetch(`${stack.baseUrl}/api/v1/receipts/verify`, {
        method: "POST",
        body,
        duplex: "half",
      } as RequestInit);
      expect(status).toBe(415);
      const [, remaining] = /"content";r=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
      expect(Number(remaining)).toBeGreaterThanOrEqual(left);
      expect(Number(remaining)).toBeLessThan(left + 100);
    }
    let used = 0;
    const send = async () => {
      used += 1;
      const response = await fetch(`${stack.baseUrl}/api/v1/categories`, {
        headers: { "x-forwarded-for": `203.0.113.${used}` },
      });
      await response.text();
      return response;
    };
    expectAbout(await countUntilRefused(send), 3, { perMinute: 5 });
    const { headers } = await send();
    expect(headers.get("ratelimit-policy")).toBe('"address";q=5;w=60');
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("access-control-expose-headers")).toContain("Retry-After");
  } finally {
    await stack.close();
  }
});
