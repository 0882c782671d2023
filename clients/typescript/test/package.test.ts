import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createContext, Script } from "node:vm";
import { build } from "esbuild";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deriveSecret } from "../../../protocol/webhooks/secret.ts";
import { signDelivery } from "../../../protocol/webhooks/signature.ts";
import { findFreePort } from "../../../tools/stack/process.ts";
import { version } from "../src/index.ts";
import { publishService, startService, type TestService } from "./service.fixture.ts";
import { blocks, findNodes, installPackage, type Stranger } from "./stranger.fixture.ts";

const run = promisify(execFile);
const here = resolve(import.meta.dirname, "..");
const root = resolve(here, "../..");

let stranger: Stranger;
let folder: string;
let installed: string;
let service: TestService;
let env: Record<string, string>;

beforeAll(async () => {
  stranger = await installPackage();
  ({ folder, installed } = stranger);
  service = await startService();
  await publishService(await service.signedIn());
  const { client } = await service.signedIn();
  const scopes = ["orders:read", "orders:write", "webhooks:read"] as const;
  const { token } = await client.apiKeys.create({ name: "examples", scopes: [...scopes] });
  env = { BASE_URL: service.baseUrl, EARNEST_KEY: token, WALLET_KEY: generatePrivateKey() };
});
afterAll(async () => {
  await service?.close();
  await stranger?.remove();
});

async function output(node: string, file: string): Promise<string> {
  const { stdout } = await run(node, [file], { env: { PATH: process.env.PATH, ...env } });
  return stdout;
}

describe("the README's programs run from the package, in every Node of this machine from 20 on", () => {
  const expected: Record<string, RegExp> = {
    "A key": /^esk_[\w-]+\n$/,
    Calls: /2\.500000 TUSD\nord_\w+ 2\d{3}-[\s\S]*\nnot_found req_[0-9a-f]+ \[\]\n$/,
    Files: /^letter\.txt Guten Tag\n$/,
  };

  /** These programs need more than the API, so trading.test.ts runs them. */
  const trading = ["Buying", "Serving"];
  const plain = blocks.filter(([heading]) => !trading.includes(heading));

  test("all of them", () => {
    expect(plain.map(([heading]) => heading)).toEqual(Object.keys(expected));
    expect(blocks).toHaveLength(plain.length + trading.length);
  });

  test.each(plain)("%s", async (heading, program) => {
    const file = await stranger.place(heading.replaceAll(" ", "-"), program);
    for (const node of await findNodes()) expect(await output(node, file)).toMatch(expected[heading] ?? /$^/);
  });

  test("their types fit, with the package's own types", async () => {
    const types = join(folder, "types");
    await mkdir(types, { recursive: true });
    for (const [at, [, program]] of blocks.entries()) await writeFile(join(types, `${at}.ts`), program);
    for (const name of readdirSync(join(here, "examples")).filter((file) => file.endsWith(".ts"))) {
      await cp(join(here, "examples", name), join(types, name));
    }
    await symlink(join(root, "node_modules", "@types"), join(folder, "node_modules", "@types"));
    // The types of a receipt are exact without zod among the packages: what has a type is no `any`.
    await writeFile(
      join(types, "exact.ts"),
      `import type { SettlementDocument, X402Receipt } from "earnest-client/receipts";
       // @ts-expect-error
       export const claim: SettlementDocument["claim"] = "lost";
       // @ts-expect-error
       export const network: X402Receipt["network"] = 1;`,
    );
    const options = {
      target: "ES2022",
      lib: ["ES2024", "DOM"],
      types: ["node"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    for (const [module, moduleResolution] of [
      ["NodeNext", "NodeNext"],
      ["ESNext", "Bundler"],
    ]) {
      const compilerOptions = { ...options, module, moduleResolution };
      await writeFile(join(types, "package.json"), '{ "type": "module" }');
      await writeFile(join(types, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      const compiled = await run(join(root, "node_modules", ".bin", "tsc"), [
        "--singleThreaded",
        "-p",
        types,
      ]).catch((error) => error);
      expect(compiled.stdout).toBe("");
    }
  });
});

describe("the examples run from the package", () => {
  const running: { kill: () => boolean }[] = [];
  afterAll(() => {
    for (const child of running) child.kill();
  });

  /** Starts an example, and waits until it prints a text. */
  async function start(name: string, args: string[], more: Record<string, string>) {
    const file = await stranger.place(name, readFileSync(join(here, "examples", `${name}.ts`), "utf8"));
    const child = spawn(process.execPath, [file, ...args], {
      env: { PATH: process.env.PATH, ...env, ...more },
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.push(child);
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += text;
    });
    return {
      async until(shape: RegExp): Promise<string> {
        const deadline = Date.now() + 20_000;
        while (!shape.test(printed)) {
          if (Date.now() > deadline) throw new Error(`It printed only: ${printed}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return printed;
      },
      async stop(): Promise<void> {
        child.kill("SIGINT");
        if (child.exitCode === null) await new Promise((resolve) => child.once("close", resolve));
      },
    };
  }

  test("watch-orders.ts prints orders, and goes on where it was stopped", async () => {
    const cursor = join(folder, "cursor.txt");
    const buyer = service.client({ apiKey: env.EARNEST_KEY });
    const [found] = (await buyer.marketplace.searchServices({ limit: 1 })).items;
    const order = { service_id: found?.id ?? "" };
    const first = await buyer.orders.place(order);
    const watching = await start("watch-orders", [cursor], {});
    await watching.until(new RegExp(`order.created ${first.reference} 2.500000 TUSD\n`));
    await expect.poll(() => existsSync(cursor)).toBe(true);
    await watching.stop();
    const second = await buyer.orders.place(order);
    const again = await start("watch-orders", [cursor], {});
    const printed = await again.until(new RegExp(second.reference));
    await again.stop();
    expect(printed).not.toContain(first.reference);
  });

  test("receive-webhooks.ts takes what is signed, once, and nothing else", async () => {
    const secret = deriveSecret(new Uint8Array(32), "whe_1", 1);
    const port = await findFreePort();
    const receiving = await start("receive-webhooks", [String(port)], { WEBHOOK_SECRET: secret });
    await receiving.until(/ready/);
    const body = JSON.stringify({ id: "whd_1", event_id: "evt_1", type: "order.funded", data: {} });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = { ...signDelivery({ id: "whd_1", timestamp, body, secrets: [secret] }) };
    const deliver = (text: string) =>
      fetch(`http://127.0.0.1:${port}`, { method: "POST", body: text, headers });
    expect((await deliver(body)).status).toBe(204);
    expect((await deliver(body)).status).toBe(204);
    expect((await deliver(`${body} `)).status).toBe(401);
    expect(await receiving.until(/order\.funded evt_1\n/)).toBe("ready\norder.funded evt_1\n");
    await receiving.stop();
  });
});

describe("the package", () => {
  test("knows its version", () => {
    expect(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).version).toBe(version);
  });

  /** frameworks.test.ts runs these with their packages. */
  const frameworks = ["ai-sdk.js", "langchain.js", "openai-agents.js"];

  test("needs nothing of Node but in sessions, and of packages only viem and the named framework", () => {
    const dist = join(installed, "dist");
    const apart = ["sessions.js", ...frameworks];
    const files = readdirSync(dist).filter((name) => name.endsWith(".js") && !apart.includes(name));
    const text = files.map((name) => readFileSync(join(dist, name), "utf8")).join("\n");
    const imports = [...text.matchAll(/^(?:import|export|\}).*?\bfrom "([^"]+)"|\bimport\("([^"]+)"/gm)].map(
      ([, name, later]) => name ?? String(later),
    );
    expect([...new Set(imports.filter((name) => !name.startsWith("./")))].sort()).toEqual(["viem"]);
    expect(text).not.toMatch(/\brequire\("|\bBuffer\.|\bprocess\.env/);
  });

  test("has types that need no package but viem", () => {
    const types = join(installed, "dist", "types");
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".d.ts") && !/\/(?:sessions|frameworks\/(?:ai|langchain|openai))/.test(name),
    );
    const text = files.map((name) => readFileSync(join(types, name), "utf8")).join("\n");
    const imports = [...text.matchAll(/^(?:import|export|\}).*?\bfrom "([^"]+)"|\bimport\("([^"]+)"/gm)].map(
      ([, name, later]) => name ?? String(later),
    );
    expect([...new Set(imports.filter((name) => !name.startsWith(".")))]).toEqual(["viem"]);
    expect(imports.filter((name) => name.endsWith(".ts"))).toEqual([]);
  });

  test("calls from where there is no Node, as in a browser, under the browser's own user agent", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { Earnest } from "earnest-client";
          import { verifyExecution } from "earnest-client/execution";
          import { verifyWebhook } from "earnest-client/webhooks";
          answer = (baseUrl, apiKey) => new Earnest({ baseUrl, apiKey }).me();
          refused = verifyWebhook("", "t=1,v1=00", "whsec_");
          const endpoint = "https://agent.example/";
          unsigned = verifyExecution({ method: "POST", headers: {}, body: "" }, { issuer: "did:web:m.example", endpoint, agent: "agt_1" });`,
        resolveDir: folder,
      },
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
    });
    const { URL, Headers, AbortSignal, fetch, crypto, performance, setTimeout, clearTimeout } = globalThis;
    const browser = { URL, Headers, AbortSignal, fetch, crypto, performance, setTimeout, clearTimeout };
    const page = createContext({
      ...browser,
      TextEncoder,
      TextDecoder,
      answer: null,
      refused: null,
      unsigned: null,
    });
    new Script(outputFiles[0]?.text ?? "").runInContext(page);
    service.seen.length = 0;
    const me = await page.answer(env.BASE_URL, env.EARNEST_KEY);
    expect(me.auth.scopes).toContain("orders:write");
    expect(service.seen[0]?.headers["user-agent"]).not.toContain("earnest");
    expect(page.refused).toBe(false);
    expect(await page.unsigned).toMatchObject({ valid: false, code: "missing_signature" });
  });

  test("has every file that it exports", () => {
    const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const files = Object.values(exports as Record<string, string | Record<string, string>>).flatMap((one) =>
      typeof one === "string" ? [one] : Object.values(one),
    );
    expect(files.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
  });
});
