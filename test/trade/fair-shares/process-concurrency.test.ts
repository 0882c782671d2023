import { describe, expect, test } from "vitest";
import { createProcessSlots, type SlotResult } from "../../../trade/fair-shares/process-concurrency.ts";

describe("slots of a process", () => {
  const open = ({ account = 2, address = 8 } = {}) => {
    const checkedAccounts: string[] = [];
    const slots = createProcessSlots({ total: 16, account, address }, async (accountId) => {
      checkedAccounts.push(accountId);
      return accountId.startsWith("paid");
    });
    const enter = (accountId: string | null, address: string | null = null, network = address) =>
      slots.enter({ accountId, address, network });
    return { enter, checkedAccounts };
  };
  const outcomeOf = (entered: SlotResult) => ("full" in entered ? entered.full : "in");
  const tellAll = async (entering: Promise<SlotResult>[]) => (await Promise.all(entering)).map(outcomeOf);

  test("are used up to a half by free accounts, and accounts that paid have room", async () => {
    const { enter, checkedAccounts } = open();
    const crowd = await tellAll(Array.from({ length: 20 }, (_, at) => enter(`free ${at}`)));
    expect(crowd.filter((one) => one === "in")).toHaveLength(8);
    expect(crowd.filter((one) => one === "unproven")).toHaveLength(12);
    checkedAccounts.length = 0;
    expect(await tellAll([enter("paid"), enter("paid"), enter("paid")])).toEqual(["in", "in", "account"]);
    const others = await tellAll(Array.from({ length: 8 }, (_, at) => enter(`paid ${at}`)));
    expect(others.filter((one) => one === "in")).toHaveLength(6);
    expect(outcomeOf(await enter("paid 9"))).toBe("all");
  });

  test("are freed once, however often they are released", async () => {
    const { enter } = open();
    const slots = await Promise.all(Array.from({ length: 8 }, (_, at) => enter(`free ${at}`)));
    const [first] = slots;
    if (first && "leave" in first) for (let times = 0; times < 3; times += 1) first.leave();
    expect(await tellAll([enter("free 8"), enter("free 9")])).toEqual(["in", "unproven"]);
  });

  test("are not used up by one network or one address, and others are served", async () => {
    const { enter, checkedAccounts } = open({ address: 1 });
    expect(
      await tellAll([1, 2, 3].map((at) => enter(`free ${at}`, `198.51.100.${at}`, "198.51.100.0/24"))),
    ).toEqual(["in", "in", "network"]);
    expect(outcomeOf(await enter("free 4", "198.51.100.1", "198.51.100.0/24"))).toBe("address");
    expect(outcomeOf(await enter("free 5", "203.0.113.1", "203.0.113.0/24"))).toBe("in");
    expect(checkedAccounts).toEqual(["free 3"]);
    expect(outcomeOf(await enter("paid", "198.51.100.9", "198.51.100.0/24"))).toBe("in");
    expect(outcomeOf(await enter(null, "198.51.100.10", "198.51.100.0/24"))).toBe("network");
  });

  test("need no check of payments while there is room", async () => {
    const { enter, checkedAccounts } = open();
    await enter("free");
    expect(checkedAccounts).toEqual([]);
  });
});
