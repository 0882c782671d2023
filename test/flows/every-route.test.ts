import { erc20Abi, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import {
  type Answer,
  expectStatus,
  publishService,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { createDocumentedRequester, type Operation, operationsIn } from "../harness/documented.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";
import { expectRefused, unparsed } from "../harness/unparsed.ts";

/** Reads that have nothing to return here, with the refusal. */
const refusedReads: Record<string, [status: number, code: string]> = {
  "GET /agents/{slug}/registration.json": [404, "not_found"],
  "GET /agents/{slug}/erc8004": [404, "not_found"],
  // The receipt is signed a few seconds after the settlement.
  "GET /agents/{slug}/record/statement": [404, "not_found"],
  "GET /feedback/{file}": [404, "not_found"],
  "GET /exports/account.zip": [404, "not_found"],
  "GET /me/export": [404, "not_found"],
  "GET /me/erasure": [404, "not_found"],
  "GET /me/billing-details": [404, "not_found"],
  "GET /me/email": [409, "email_unavailable"],
  "GET /moderations/{id}": [404, "not_found"],
  // No person of this test is an operator.
  "GET /operator/subjects": [403, "insufficient_role"],
  "GET /operator/subjects/{subject}": [403, "insufficient_role"],
  "GET /operator/acts": [403, "insufficient_role"],
  "GET /operator/state": [403, "insufficient_role"],
  "GET /orders/{id}/delivery-record": [409, "invalid_state"],
  "GET /orders/{id}/dispute": [409, "invalid_state"],
  "GET /orders/{id}/dispute/decision": [409, "invalid_state"],
  "GET /orders/{id}/payment": [409, "invalid_state"],
  "GET /orders/{id}/payment-instructions": [409, "invalid_state"],
  "GET /orders/{id}/portable-feedback": [409, "invalid_state"],
  "GET /orders/{id}/refund": [409, "invalid_state"],
  "GET /orders/{id}/release": [409, "invalid_state"],
  "GET /auth/me/wallets/{id}/transfer": [409, "invalid_state"],
};

testOnStack(
  "every operation of the document is served in production, each answer as the document says",
  async ({ stack }) => {
    const plain = requesterOf(stack.baseUrl);
    const document = expectStatus(200, await plain.request("GET", "/openapi.json"));
    const api = createDocumentedRequester(plain, document);
    const operations = operationsIn(document);
    const { buyer, provider, made } = await makeOneOfEach();

    const reads = operations.filter(({ method }) => method === "GET");
    const refused: Record<string, [number, string]> = {};
    for (const operation of reads) {
      const answer = await ask(operation, whoReads(operation));
      if (answer.status !== 200) refused[nameOf(operation)] = [answer.status, answer.body.error.code];
    }
    expect(refused).toEqual(
      Object.fromEntries(Object.entries(refusedReads).filter(([name]) => name in refused)),
    );

    // Each write sends the document's own example: it must be well-formed, and may be refused for its
    // state.
    const answered: Record<string, number> = {};
    for (const operation of operations.filter(({ method }) => method !== "GET" && method !== "DELETE")) {
      answered[nameOf(operation)] = (await ask(operation, buyer)).status;
    }
    for (const operation of operations.filter(({ method }) => method === "DELETE")) {
      answered[nameOf(operation)] = (await ask(operation, provider)).status;
    }
    const failed = Object.entries(answered).filter(([, status]) => status >= 500 || status === 405);
    expect(failed).toEqual([]);
    expect(Object.keys(answered).length + reads.length).toBe(operations.length);

    for (const one of unparsed) await expectRefused(Number(new URL(stack.baseUrl).port), ...one);

    async function ask(operation: Operation, who: Session): Promise<Answer> {
      const described = document.paths[operation.path][operation.method.toLowerCase()];
      const required = (described.parameters ?? []).filter(
        (one: { in: string; required?: boolean }) => one.in === "query" && one.required,
      );
      const query = required.map((one: { name: string; schema: { example?: string } }) => {
        const value = made[`?${one.name}`] ?? one.schema.example;
        if (value === undefined)
          throw new Error(`${nameOf(operation)} needs ${one.name}, of which nothing was made.`);
        return `${one.name}=${encodeURIComponent(value)}`;
      });
      const path = fill(operation.path) + (query.length > 0 ? `?${query.join("&")}` : "");
      const body = described.requestBody?.content["application/json"].example;
      const answer = await api.request(operation.method, path, { token: who.token, body });
      expect([nameOf(operation), answer.status < 500], JSON.stringify(answer.body)).toEqual([
        nameOf(operation),
        true,
      ]);
      return answer;
    }

    /** The reader of each resource: mostly the buyer. */
    function whoReads({ path }: Operation): Session {
      return /^\/webhooks|\{slug\}|\/executions$/.test(path) ? provider : buyer;
    }

    function fill(path: string): string {
      return path.replaceAll(/\/([a-z-]+)\/\{(\w+)\}|\{(\w+)\}/g, (whole, parent, name, alone) => {
        const value = made[`${parent}/${name}`] ?? made[name ?? alone];
        if (value === undefined) throw new Error(`Nothing was made to stand for ${whole} of ${path}.`);
        return parent ? `/${parent}/${value}` : value;
      });
    }

    async function makeOneOfEach() {
      const [buyer, provider] = [await signIn(plain, newAccount()), await signIn(plain, newAccount())];
      await stack.chain.fund(buyer.account);
      const post = async (who: Session, path: string, body?: unknown, status = 201) =>
        expectStatus(status, await plain.request("POST", path, { token: who.token, body }));
      const get = async (who: Session, path: string) =>
        expectStatus(200, await plain.request("GET", path, { token: who.token }));

      const { agent, service } = await publishService(plain, provider, { price: "1" });
      const plan = await publishService(plain, provider, {
        price: "1",
        pricing_model: "subscription",
        interval: "week",
      });
      const order = await settleOrder(buyer, provider, service.id, { post, get });
      const [receipt] = (await get(buyer, `/orders/${order.id}/receipts`)).items;
      await expect
        .poll(async () => (await plain.request("GET", `/log/proofs/${receipt.id}`)).status)
        .toBe(200);
      const review = await post(buyer, `/orders/${order.id}/review`, { rating: 4 });
      const request = await post(buyer, "/requests", {
        title: "CheckedPurchase",
        description: "Soon.",
        tags: ["any"],
      });
      const quote = await post(provider, `/requests/${request.id}/quotes`, {
        agent_slug: agent.slug,
        service_id: service.id,
        price: "2",
        delivery_time_hours: 5,
      });
      const subscription = await post(buyer, "/subscriptions", { service_id: plan.service.id });
      const webhook = await post(provider, "/webhooks", { url: "https://example.org/hook", events: ["*"] });
      await post(provider, `/webhooks/${webhook.id}/test`, undefined, 202);
      const [delivery] = (await get(provider, `/webhooks/${webhook.id}/deliveries`)).items;
      const since = new Date(Date.now() - 60_000).toISOString();
      const recovery = await post(provider, `/webhooks/${webhook.id}/recover`, { since }, 202);
      const key = await post(buyer, "/api-keys", { name: "one", scopes: ["orders:read"] });
      const [wallet] = (await get(buyer, "/auth/me/wallets")).items;
      await signIn(plain, provider.account);
      const [ended] = (await get(provider, "/sessions")).items;
      const invitation = await post(buyer, `/organisations/${buyer.accountId}/invitations`, {
        address: newAccount().address,
        role: "viewer",
      });
      const message = await post(buyer, `/orders/${order.id}/messages`, { text: "Hello." });
      const file = await post(buyer, "/files", { name: "page-3.png", size: 9 });
      const report = await post(buyer, "/reports", {
        subject: { kind: "agent", id: agent.id },
        reason: "other",
        text: "A test of reports.",
      });
      const made: Record<string, string> = {
        "reports/id": report.id,
        "moderations/id": "mod_01jd3w8x2mfhz8w9q4t6n5k7ra",
        "deliveries/id": delivery.id,
        subject: agent.id,
        "files/id": file.id,
        "messages/message_id": message.id,
        slug: agent.slug,
        svc: service.slug,
        service_id: service.id,
        "orders/id": order.id,
        "receipts/id": receipt.id,
        "proofs/id": receipt.id,
        "reviews/id": review.id,
        "requests/id": request.id,
        "quotes/id": quote.id,
        "subscriptions/id": subscription.id,
        "webhooks/id": webhook.id,
        delivery: delivery.id,
        recovery: recovery.id,
        "api-keys/id": key.id,
        "sessions/id": ended.id,
        "wallets/id": wallet.id,
        "organisations/id": buyer.accountId,
        "invitations/id": invitation.id,
        invitation: invitation.id,
        account_id: buyer.accountId,
        credential_id: "q83vEjRWeJCrze8SNFZ4kA",
        name: "settlement-document-2.json",
        file: `0x${"0".repeat(64)}.json`,
      };
      return { buyer, provider, made };
    }

    type Asking = {
      post: (who: Session, path: string, body?: unknown, status?: number) => Promise<Answer["body"]>;
      get: (who: Session, path: string) => Promise<Answer["body"]>;
    };

    /** Creates an order that is paid, delivered and released, each by its party's own transaction. */
    async function settleOrder(buyer: Session, provider: Session, serviceId: string, { post, get }: Asking) {
      const order = await post(buyer, "/orders", { service_id: serviceId });
      const path = `/orders/${order.id}`;
      const reach = (status: string) =>
        expect.poll(async () => (await get(buyer, path)).status, { interval: 100 }).toBe(status);
      for (const call of (await get(buyer, `${path}/payment-instructions`)).calls)
        await send(stack, buyer.account, call);
      await reach("funded");
      await post(provider, `${path}/start`, undefined, 200);
      await post(provider, `${path}/deliver`, { output_payload: {} }, 200);
      const { actions } = await get(buyer, `${path}/settlement-options`);
      await send(
        stack,
        buyer.account,
        actions.find(({ action }: { action: string }) => action === "release").call,
      );
      await reach("released");
      const paid = await stack.chain.publicClient.readContract({
        address: stack.chain.chain.token.address,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [provider.account.address],
      });
      expect(paid).toBe(BigInt(order.total_amount_base_units));
      return order;
    }
  },
);

async function send(
  stack: SharedStack,
  account: LocalAccount,
  call: { to: `0x${string}`; data: `0x${string}` },
): Promise<void> {
  const hash = await stack.chain.wallet(account).sendTransaction({ to: call.to, data: call.data });
  const { status } = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
}

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const newAccount = () => privateKeyToAccount(generatePrivateKey());
