import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOperator } from "../../scripts/operator.ts";
import { createTestApi, signIn, type TestApi } from "../harness/api.ts";
import { ourProgram } from "../harness/programs.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api?.close());

const settings = () => ({ DATABASE_URL: api.config.databaseUrl });
const operator = (...args: string[]) => runOperator(args, settings());

test("npm run operator gives the role to a wallet before its first sign-in, lists it, and takes it back", async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  expect(await operator("grant", account.address.toLowerCase())).toEqual({
    code: 0,
    out: [`${account.address} is an operator now.`],
    err: "",
  });
  expect((await operator("grant", account.address)).out[0]).toMatch(/was an operator already/);
  expect((await operator("list")).out[0]).toMatch(/never signed in/);
  const who = await signIn(api, account);
  const state = () => api.request("GET", "/operator/state", { token: who.token });
  expect((await state()).status).toBe(200);
  expect((await operator("list")).out[0]).toContain(who.accountId);
  expect((await operator("revoke", account.address)).out[0]).toMatch(/is no operator any more/);
  expect((await state()).status).toBe(403);
  expect((await operator("list")).out).toEqual(["There are no operators."]);
});

test("the program prints what the command returns, and ends with its code", async () => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings() };
  const start = async (...args: string[]) => {
    const child = spawn(process.execPath, ourProgram("scripts/operator.ts", ...args), { env });
    const closed = once(child, "close");
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, out, err };
  };
  const [good, wrong] = await Promise.all([start("list"), start("list", "0x12")]);
  expect(good).toEqual({ code: 0, out: "There are no operators.\n", err: "" });
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toMatch(/^`list` takes no address\.\n\nnpm run operator/);
});

test("a wrong command ends with code 2 and the usage", async () => {
  for (const args of [
    [],
    ["grant"],
    ["grant", "0x12"],
    ["list", "0x12"],
    ["revoke", "a", "b"],
    ["grant", "--no"],
  ]) {
    const { code, err } = await operator(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(err).toMatch(/npm run operator -- list/);
  }
});
