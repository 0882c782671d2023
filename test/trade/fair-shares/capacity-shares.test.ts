import { describe, expect, test } from "vitest";
import { findFullShare, networkShare, sharesOf } from "../../../trade/fair-shares/capacity-shares.ts";

describe("a limit of all accounts", () => {
  test("has a half for unproven accounts, a quarter of that for one network, a half of it for one recipient domain", () => {
    expect(sharesOf(200, false)).toEqual({ inAll: 200, ofKind: 100, ofNetwork: 25, ofSite: 50 });
    expect(sharesOf(200, true)).toEqual({ inAll: 200, ofKind: 200, ofNetwork: 50, ofSite: 100 });
  });

  test("has room for one even where it is one", () => {
    expect(sharesOf(1, false)).toEqual({ inAll: 1, ofKind: 1, ofNetwork: 1, ofSite: 1 });
  });

  test("gives a network at least what one client has, and at most what its kind has", () => {
    expect([networkShare(100), networkShare(100, 40), networkShare(100, 400)]).toEqual([25, 40, 100]);
  });

  test("names the share that is used up", () => {
    const held = { inAll: 99, unproven: 99, network: 24, site: 49 };
    expect(findFullShare(200, false, held)).toBeNull();
    expect(findFullShare(200, false, { ...held, unproven: 100 })).toBe("unproven");
    expect(findFullShare(200, true, { ...held, inAll: 199, unproven: 100 })).toBeNull();
    expect(findFullShare(200, true, { ...held, inAll: 200 })).toBe("all");
    expect(findFullShare(200, false, { ...held, network: 25 })).toBe("network");
    expect(findFullShare(200, true, { ...held, network: 49 })).toBeNull();
    expect(findFullShare(200, false, { ...held, site: 50 })).toBe("site");
  });
});
