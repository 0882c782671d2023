import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Earnest, type Service } from "../src/index.ts";
import { readWebhook } from "../src/webhooks.ts";
import { joinMarket, type Market, type Member } from "./market.fixture.ts";
import { installPackage, type Stranger } from "./stranger.fixture.ts";

let market: Market;
let stranger: Stranger;
let buyer: Member;
let provider: Member;
let service: Service;

beforeAll(async () => {
  [market, stranger] = await Promise.all([joinMarket(), installPackage()]);
  [buyer, provider] = await Promise.all([market.join(), market.join()]);
  service = await market.publish(provider, { title: "Twice a number, from a shell" });
});
afterAll(async () => {
  await market?.close();
  await stranger?.remove();
});

/** Starts `earnest` from the package, like a user. */
function start(member: Member, args: string[], input = "") {
  const child = spawn(process.execPath, [join(stranger.installed, "dist", "bin", "earnest.js"), ...args], {
    env: {
      PATH: process.env.PATH,
      EARNEST_URL: market.stack.baseUrl,
      RPC_URL: market.stack.chain.rpcUrl,
      WALLET_KEY: member.key,
      EARNEST_CONFIG: join(stranger.folder, `${member.wallet.address}.json`),
    },
  });
  child.stdin.end(input);
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const closed = new Promise<number | null>((done) => child.once("close", done));
  return {
    child,
    async end() {
      const [[out, errors], code] = await Promise.all([printed, closed]);
      return { out, errors, code };
    },
  };
}

const earnest = (member: Member, ...args: string[]) => start(member, args).end();

describe("earnest", () => {
  test("logs in with the wallet, and keeps a key that only its owner may read", async () => {
    for (const member of [buyer, provider]) {
      const { out, code, errors } = await earnest(member, "login", "--json");
      expect([code, errors]).toEqual([0, ""]);
      const { wallet, key_file: keyFile } = JSON.parse(out);
      expect(wallet).toBe(member.wallet.address);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      expect(readFileSync(keyFile, "utf8")).not.toContain(member.key);
    }
    const keys = (await earnest(buyer, "keys", "list", "--json")).out.trim().split("\n");
    expect(keys.map((line) => JSON.parse(line).name)).toContain("earnest command line");
  });

  test("buys with a wallet alone, and pays an equal purchase once", async () => {
    const key = generatePrivateKey();
    const stranger = { ...buyer, key, wallet: privateKeyToAccount(key) };
    await market.stack.chain.fund(stranger.wallet);
    const name = `${service.agent.slug}/${service.slug}`;
    const words = [
      "buy",
      name,
      "--without-account",
      "--input",
      '{"number": 6}',
      "--max-amount",
      "3",
      "--json",
    ];
    const [first, second] = [start(stranger, words), start(stranger, words)];
    const { client } = provider;
    const order = await vi.waitUntil(
      async () => (await client.orders.listReceived({ status: "funded" })).items[0],
      { timeout: 60_000, interval: 300 },
    );
    await market.deliver(provider, order.id, 12);
    const [one, other] = await Promise.all([first.end(), second.end()]);
    expect([one.code, other.code]).toEqual([0, 0]);
    expect(JSON.parse(one.out)).toMatchObject({ order: order.id, output: { twice: 12 } });
    const accepted = await earnest(stranger, ...words, "--accept");
    expect(JSON.parse(accepted.out)).toMatchObject({ order: order.id, status: "released" });
    const refused = await earnest(stranger, ...words, "--rail", "escrow");
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("takes no --rail")]);
  });

  test("finds, buys of a command in any language, accepts, and checks the receipt", async () => {
    const found = await earnest(buyer, "services", "search", "twice shell");
    expect(found.out).toMatch(/^SERVICE +TITLE +PRICE/);
    const name = `${service.agent.slug}/${service.slug}`;
    expect(found.out).toContain(name);

    const handler = join(stranger.folder, "handler.sh");
    await writeFile(
      handler,
      '#!/bin/sh\ntest -z "$WALLET_KEY$EARNEST_KEY" || exit 1\nsed "s/.*:\\(.*\\)}/{\\"twice\\":\\1\\1}/"\n',
    );
    await chmod(handler, 0o755);
    const serving = start(provider, ["serve", service.agent.slug, "--exec", handler, "--json"]);
    const bought = await start(
      buyer,
      ["buy", name, "--input", "-", "--max-amount", "3", "--accept", "--json"],
      '{"number": 4}',
    ).end();
    expect([bought.code, bought.errors]).toEqual([0, expect.stringContaining("in escrow")]);
    const { order, output, status, receipt } = JSON.parse(bought.out);
    expect([status, output]).toEqual(["released", { twice: 44 }]);
    serving.child.kill("SIGTERM");
    const served = await serving.end();
    expect([served.code, served.out]).toEqual([0, `${JSON.stringify({ delivered: order })}\n`]);

    const listed = await earnest(buyer, "orders", "--status", "released", "--json");
    expect(JSON.parse(listed.out)).toMatchObject({ id: order });
    const shown = (await (await fetch(receipt)).json()) as { document: object };
    const document = JSON.stringify(shown.document);
    const { rpcUrl } = market.stack.chain;
    const verify = ["verify", "-", "--issuer", market.issuer, "--rpc", rpcUrl, "--json"];
    const good = await start(buyer, verify, document).end();
    expect([good.code, good.errors]).toEqual([0, ""]);
    expect(JSON.parse(good.out)).toMatchObject({ good: true, claim: "released", chain: "agrees" });
    const forged = document.replace('"claim":"released"', '"claim":"refunded"');
    expect((await start(buyer, verify, forged).end()).code).toBe(3);
  });

  test("reads the record of the agent that it bought from, and checks its statement", async () => {
    const { slug } = service.agent;
    const read = async () => JSON.parse((await earnest(buyer, "record", slug, "--json")).out);
    await expect.poll(read, { interval: 500 }).toMatchObject({ orders: 2 });
    expect(await read()).toMatchObject({
      agent: slug,
      formula: "earnest-score-1",
      volume: [{ currency: "USD", amount: "5" }],
      counterparties: 2,
      refunds: 0,
      score: expect.any(Number),
      up_to: expect.any(Number),
      apart: 0,
    });
    expect((await earnest(buyer, "record", "nobody-here")).code).not.toBe(0);
    expect((await earnest(buyer, "record")).code).not.toBe(0);

    const url = `${market.stack.baseUrl}/api/v1/agents/${slug}/record/statement`;
    const fetchStatement = async () => (await fetch(url)).text();
    await expect.poll(fetchStatement, { interval: 500 }).toContain('"orders":2');
    const statement = await fetchStatement();
    const verify = (text: string, ...args: string[]) =>
      start(buyer, ["verify", "--record", "-", "--issuer", market.issuer, "--json", ...args], text).end();
    const good = await verify(statement, "--agent", slug);
    expect([good.code, good.errors]).toEqual([0, ""]);
    expect(JSON.parse(good.out)).toMatchObject({
      good: true,
      agent: slug,
      orders: 2,
      volume: [{ currency: "USD", amount: "5" }],
    });
    expect((await verify(statement, "--agent", "another")).code).toBe(3);
    expect((await verify(statement.replace('"orders":2', '"orders":9'))).code).toBe(3);
    const usage = await start(
      buyer,
      ["verify", "-", "--issuer", market.issuer, "--agent", slug],
      statement,
    ).end();
    expect([usage.code, usage.errors]).toEqual([2, expect.stringContaining("--agent needs --record")]);
  });

  test("goes on with an order of a run that was killed, and pays nothing twice", async () => {
    const name = `${service.agent.slug}/${service.slug}`;
    const had = await market.balanceOf(buyer.wallet.address);
    const killed = start(buyer, ["buy", name, "--input", '{"number": 6}', "--max-amount", "2.50"]);
    let output = "";
    killed.child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    await expect.poll(() => output).toContain("in escrow");
    killed.child.kill("SIGKILL");
    await killed.end();
    const order = /earnest buy --resume (ord_\w+)/.exec(output)?.[1] ?? "";
    const { client, wallet } = provider;
    await client.orders.start(order);
    await client.orders.deliver(order, { output_payload: { twice: 12 } });
    const { out, code } = await earnest(buyer, "buy", "--resume", order, "--accept", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ order, status: "released", output: { twice: 12 } });
    expect(had - (await market.balanceOf(buyer.wallet.address))).toBe(2_500_000n);
    expect(await market.balanceOf(wallet.address)).toBeGreaterThanOrEqual(2_500_000n);

    const unpaid = await buyer.client.orders.place({ service_id: service.id, input_payload: { number: 7 } });
    const refused = await earnest(buyer, "buy", "--resume", unpaid.id);
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("is not paid yet")]);
    expect((await earnest(buyer, "buy", name, "--resume", unpaid.id)).code).toBe(2);
  });

  test("makes, lists and revokes keys of an organisation that its member acts for", async () => {
    const { id } = await provider.client.me();
    await provider.client.organisations.invitations.create(id, {
      address: buyer.wallet.address,
      role: "admin",
    });
    const [invitation] = (await buyer.client.invitations.list()).items;
    await buyer.client.invitations.accept(invitation?.id ?? "");
    const listed = (await earnest(buyer, "organisations", "--json")).out.trim().split("\n");
    expect(listed.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ id, role: "admin" }),
    );

    const theirs = ["--organisation", id, "--json"];
    const made = await earnest(buyer, "keys", "create", "shared", "--scope", "orders:read", ...theirs);
    expect([made.code, made.errors]).toEqual([0, ""]);
    const key = JSON.parse(made.out);
    const client = new Earnest({ baseUrl: market.stack.baseUrl, apiKey: key.token });
    expect((await client.me()).id).toBe(id);
    const names = async (...more: string[]) =>
      (await earnest(buyer, "keys", "list", "--json", ...more)).out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id);
    expect(await names("--organisation", id)).toContain(key.id);
    expect(await names()).not.toContain(key.id);
    expect((await earnest(buyer, "keys", "revoke", key.id)).code).toBe(1);
    expect((await earnest(buyer, "keys", "revoke", key.id, ...theirs)).code).toBe(0);
    await expect(client.me()).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("hands the feed on, signed", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const types: string[] = [];
    const server = createServer(async (request, response) => {
      types.push(readWebhook(await text(request), request.headers, secret).type);
      response.writeHead(204).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const listening = start(buyer, ["listen", "--forward-to", to, "--secret", secret]);
    await new Promise((done) => listening.child.stderr.once("data", done));
    // Orders are placed until one comes after the end of the feed that the program read.
    await expect
      .poll(
        async () => {
          await buyer.client.orders.place({ service_id: service.id, input_payload: { number: 1 } });
          return types;
        },
        { interval: 2_000 },
      )
      .toContain("order.created");
    listening.child.kill("SIGINT");
    expect((await listening.end()).code).toBe(0);
    server.close();
  });

  test("says by its exit code what went wrong", async () => {
    const name = `${service.agent.slug}/${service.slug}`;
    const input = ["--input", '{"number": 9}'];
    expect((await earnest(buyer, "dance")).code).toBe(2);
    expect((await earnest(buyer, "buy", name, ...input)).code).toBe(2);
    expect((await earnest(buyer, "orders", "--status", "lost")).code).toBe(1);
    const dear = await earnest(buyer, "buy", name, ...input, "--max-amount", "1");
    expect(dear.code).toBe(3);
    expect(dear.errors).toContain("at most 1");
    expect((await earnest(buyer, "--help")).code).toBe(0);
  });
});

describe("earnest mcp", () => {
  /** Calls a tool and returns its result. A failure is thrown with its text. */
  async function use(client: Client, name: string, args: object = {}, onprogress?: () => void) {
    const options = { timeout: 60_000, ...(onprogress ? { onprogress } : {}) };
    const result = (await client.callTool({ name, arguments: { ...args } }, options)) as CallToolResult;
    const [first] = result.content;
    if (result.isError) throw new Error(first?.type === "text" ? first.text : "no text");
    // biome-ignore lint/suspicious/noExplicitAny: the test asserts on results whose shape is what it tests
    return result.structuredContent as Record<string, any>;
  }

  /** A program of the buyer's, which holds its wallet. */
  async function startAssistant(): Promise<Client> {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(stranger.installed, "dist", "bin", "earnest.js"), "mcp", "--issuer", market.issuer],
      env: {
        PATH: process.env.PATH ?? "",
        EARNEST_URL: market.stack.baseUrl,
        RPC_URL: market.stack.chain.rpcUrl,
        EARNEST_KEY: buyer.token,
        WALLET_KEY: buyer.key,
        EARNEST_CONFIG: join(stranger.folder, "assistant", "login.json"),
        EARNEST_MAX_PER_ORDER: "3.00",
        EARNEST_MAX_PER_DAY: "4.00",
      },
    });
    await client.connect(transport);
    return client;
  }

  test("the names of arguments are read as they are written, whatever was read before", async () => {
    const assistant = await startAssistant();
    try {
      for (const name of ["q\\", "q\t"]) {
        const answer = await use(assistant, "search_services", { earlier: 0, [name]: 0 }).catch(String);
        expect(answer).toContain(`Unrecognized keys: "earlier", "${name}"`);
      }
    } finally {
      await assistant.close();
    }
  });

  test("buys, pays within its limits, accepts and verifies; the provider works over HTTP and signs elsewhere", async () => {
    const assistant = await startAssistant();
    const selling = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const headers = { authorization: `Bearer ${provider.token}` };
    const url = new URL(`${market.stack.baseUrl}/mcp`);
    await selling.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

    const { services } = await use(assistant, "search_services", { query: "twice shell" });
    expect(services).toMatchObject([{ service_id: service.id, price: "2.500000" }]);
    const orderInput = { service_id: service.id, input: { number: 21 }, idempotency_key: "twice-21" };
    const placed = await use(assistant, "place_order", orderInput);
    expect(await use(assistant, "place_order", orderInput)).toEqual(placed);
    const { order_id, payee } = placed;
    expect(payee).toBe(provider.wallet.address);
    const due = await use(assistant, "preview_payment", { order_id });
    expect(due).toMatchObject({
      amount: "2.500000",
      token: market.stack.chain.chain.token.address,
      chain_id: 31_337,
      payee,
      wallet: { address: buyer.wallet.address, limit_per_day: "4.00", spent_within_a_day: "0.00" },
    });
    const expected = {
      expected_amount: "2.50",
      expected_token: due.token,
      expected_chain_id: 31_337,
      expected_payee: payee,
    };
    const wrong = use(assistant, "pay_order", { order_id, ...expected, expected_amount: "2.40" });
    await expect(wrong).rejects.toThrow(/^payment_differs: Nothing was paid/);
    const had = await market.balanceOf(buyer.wallet.address);
    const [paid] = await Promise.all([
      use(assistant, "pay_order", { order_id, ...expected }),
      use(assistant, "pay_order", { order_id, ...expected }),
    ]);
    expect(paid).toMatchObject({ payment: expect.stringMatching(/funded|paid_before/) });
    await use(assistant, "wait_for_order", { order_id, until: "funded" });
    expect(had - (await market.balanceOf(buyer.wallet.address))).toBe(2_500_000n);

    const received = await use(selling, "list_orders", { role: "provider", status: "funded" });
    expect(received.orders).toMatchObject([{ order_id }]);
    let progressCount = 0;
    const waiting = use(assistant, "wait_for_order", { order_id, until: "delivered" }, () => {
      progressCount += 1;
    });
    await expect.poll(() => progressCount).toBeGreaterThan(0);
    const work = { order_id, output: { twice: 42 }, idempotency_key: "work-1" };
    expect(await use(selling, "deliver_order", work)).toMatchObject({ status: "delivered" });
    const record = await use(selling, "record_delivery", { order_id });
    expect(record).toMatchObject({ status: "unsigned", signer: provider.wallet.address });
    const signature = await provider.wallet.signTypedData(record.to_sign);
    expect(await use(selling, "record_delivery", { order_id, signature })).toMatchObject({ status: "sent" });
    expect(await waiting).toMatchObject({ reached: true, status: "delivered" });

    expect(await use(assistant, "get_output", { order_id })).toMatchObject({
      untrusted: { output: { twice: 42 } },
    });
    expect(await use(assistant, "accept_delivery", { order_id })).toMatchObject({ status: "sent", payee });
    const settled = await use(assistant, "wait_for_order", { order_id, until: "settled" });
    expect(settled).toMatchObject({ reached: true, status: "released" });
    const receipt = await use(assistant, "get_receipt", { order_id });
    const good = { valid: true, checked_by: "this program", issuer: market.issuer };
    expect(await use(assistant, "verify_receipt", { receipt: receipt.document })).toMatchObject(good);
    const forged = { receipt: { ...receipt.document, claim: "refunded" } };
    expect(await use(assistant, "verify_receipt", forged)).toMatchObject({ valid: false });
    expect(await use(selling, "verify_receipt", { receipt: receipt.document })).toMatchObject({
      valid: true,
      checked_by: "the service",
    });
    await assistant.close();

    // Another run still counts the earlier payments.
    const next = await startAssistant();
    const more = await use(next, "place_order", { ...orderInput, idempotency_key: "twice-21 again" });
    expect(more.order_id).not.toBe(order_id);
    const over = use(next, "pay_order", { order_id: more.order_id, ...expected });
    await expect(over).rejects.toThrow(
      /^local_limit_exceeded: .*5\.00 within 24 hours, above the limit of 4\.00/,
    );
    expect((await use(next, "get_order", { order_id: more.order_id })).status).toBe("created");
    await next.close();

    // The same order over HTTP, where the server has no wallet and the user signs elsewhere.
    const plain = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const requestInit = { headers: { authorization: `Bearer ${buyer.token}` } };
    await plain.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const pay = { order_id: more.order_id, ...expected };
    const { payment, to_sign } = await use(plain, "pay_order", pay);
    expect(payment).toBe("unsigned");
    const signed = { signature: await buyer.wallet.signTypedData(to_sign), authorization: to_sign.message };
    expect(await use(plain, "pay_order", { ...pay, ...signed })).toMatchObject({ payment: "handed_in" });
    expect(await use(plain, "pay_order", pay)).toMatchObject({ payment: "paid_before", to_sign: null });
    const funded = await use(plain, "wait_for_order", { order_id: more.order_id, until: "funded" });
    expect(funded.reached).toBe(true);
    const back = await use(selling, "refund_order", { order_id: more.order_id });
    const refund = {
      order_id: more.order_id,
      deadline: back.deadline,
      signature: await provider.wallet.signTypedData(back.to_sign),
    };
    expect(await use(selling, "refund_order", refund)).toMatchObject({ status: "sent" });
    const ended = await use(plain, "wait_for_order", { order_id: more.order_id, until: "settled" });
    expect(ended.status).toBe("refunded");
    await plain.close();
    await selling.close();
  });
});
