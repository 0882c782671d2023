import { spawnSync } from "node:child_process";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApi, signIn, type TestApi } from "../harness/api.ts";
import { ourProgram } from "../harness/programs.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api?.close());

/** Runs `npm run operator` as a process of its own. */
function operator(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ourProgram("scripts/operator.ts", ...args), {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: api.config.databaseUrl,
    },
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

test("npm run operator gives the role to a wallet before its first sign-in, lists it, and takes it back", async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  expect(operator("grant", account.address.toLowerCase())).toMatchObject({
    code: 0,
    out: `${account.address} is an operator now.\n`,
  });
  expect(operator("grant", account.address).out).toMatch(/was an operator already/);
  expect(operator("list").out).toMatch(/never signed in/);
  const who = await signIn(api, account);
  const state = () => api.request("GET", "/operator/state", { token: who.token });
  expect((await state()).status).toBe(200);
  expect(operator("list").out).toContain(who.accountId);
  expect(operator("revoke", account.address).out).toMatch(/is no operator any more/);
  expect((await state()).status).toBe(403);
  expect(operator("list").out).toBe("There are no operators.\n");
});

test("a wrong command ends with code 2 and the usage", () => {
  for (const args of [
    [],
    ["grant"],
    ["grant", "0x12"],
    ["list", "0x12"],
    ["revoke", "a", "b"],
    ["grant", "--no"],
  ]) {
    const { code, err } = operator(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(err).toMatch(/npm run operator -- list/);
  }
});
