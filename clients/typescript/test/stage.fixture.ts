import { createWalletClient, http, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Step } from "../../scenarios/scenario.ts";
import { Earnest, type Order, type Purchase, type Scope, type Service } from "../src/index.ts";
import { readWebhook } from "../src/webhooks.ts";
import { holdTokens, type SceneToken } from "./holding.fixture.ts";
import { insist, requireSame, requireStatus, rest, throws } from "./outcomes.fixture.ts";

type StepOf<Do extends Step["do"]> = Extract<Step, { do: Do }>;
type Party = { wallet: LocalAccount; client: Earnest; token: string };
/** The stage's description of a scene, which `clients/scenarios/README.md` explains. */
type Opened = {
  url: string;
  base_url: string;
  host: string;
  issuer: string;
  chain_id: number;
  rpc_url: string;
  /** The tokens that the service accepts; null if it has no list. */
  tokens: SceneToken[] | null;
  hook_url: string;
  seed: string;
};
type Ended = { wrong: string[]; requests: number; faults: Record<string, number> };

const scopes: Scope[] = [
  "agents:read",
  "agents:write",
  "services:write",
  "orders:read",
  "orders:write",
  "webhooks:read",
  "webhooks:write",
  "subscriptions:read",
];

/** Sends a request to the stage, which has no faults. */
export async function askStage<T>(url: string, body?: object): Promise<T> {
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(url, { ...init, headers: { "content-type": "application/json" } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** One run of a scenario: its steps, by the client's public methods. */
export class Scene {
  readonly opened: Opened;
  readonly #timeoutMs: number;
  readonly #wallets = {
    buyer: privateKeyToAccount(generatePrivateKey()),
    provider: privateKeyToAccount(generatePrivateKey()),
  };
  readonly #parties: Partial<Record<"buyer" | "provider", Party>> = {};
  #service: Service | undefined;
  #purchase: Purchase | undefined;
  #secret = "";

  constructor(opened: Opened, timeoutMs = 30_000) {
    this.opened = opened;
    this.#timeoutMs = timeoutMs;
  }

  static async open(
    stageUrl: string,
    scenario: { name: string; timeout_ms?: number | undefined },
  ): Promise<Scene> {
    const opening = { scenario: scenario.name, language: "typescript" };
    const opened = await askStage<Opened>(`${stageUrl}/scenes`, opening);
    const scene = new Scene(opened, scenario.timeout_ms);
    await askStage(`${opened.url}/money`, { address: scene.#wallets.buyer.address });
    return scene;
  }

  /** Ends the scene and returns the faults that the stage found. */
  async close(options?: { wait_ms: number }): Promise<Ended> {
    const parties = (["buyer", "provider"] as const).map((name) => {
      const { token, wallet } = this.#party(name);
      return [name, { token, address: wallet.address }];
    });
    return await askStage<Ended>(`${this.opened.url}/end`, { ...Object.fromEntries(parties), ...options });
  }

  async act(step: Step): Promise<void> {
    switch (step.do) {
      case "sign_in":
        return await this.#signIn(step);
      case "publish":
        return await this.#publish();
      case "place":
        await this.#place(step);
        return;
      case "buy":
        this.#purchase = await this.#buy(step.number, step);
        return;
      case "deliver":
        return await this.#deliver(this.#bought());
      case "accept":
        return await this.#accept(this.#bought());
      case "request_changes":
        return requireStatus(await this.#bought().requestChanges(step.reason), "started");
      case "dispute":
        return requireStatus(await this.#bought().dispute(step.reason), "disputed");
      case "refund":
        return await this.#refund(this.#bought());
      case "trade":
        await Promise.all(step.numbers.map((number) => this.#trade(number)));
        return;
      case "list":
        return await this.#list(step);
      case "follow":
        return await this.#follow(step);
      case "listen":
        return await this.#listen(step);
      case "verify_webhook":
        return await this.#verifyWebhook(step);
    }
  }

  #party(name: "buyer" | "provider"): Party {
    const party = this.#parties[name];
    if (!party) throw new TypeError(`The ${name} has not signed in.`);
    return party;
  }

  #bought(): Purchase {
    if (!this.#purchase) throw new TypeError("Nothing was bought.");
    return this.#purchase;
  }

  #connect(apiKey?: string): Earnest {
    return new Earnest({
      baseUrl: this.opened.base_url,
      timeoutMs: this.#timeoutMs,
      ...(apiKey ? { apiKey } : {}),
    });
  }

  async #signIn({ as }: StepOf<"sign_in">): Promise<void> {
    const { host, chain_id: chainId } = this.opened;
    const wallet = this.#wallets[as];
    const person = this.#connect();
    await person.signIn({ wallet, chainId, host });
    const { token } = await person.apiKeys.create({ name: "scenario", scopes });
    this.#parties[as] = { wallet, token, client: this.#connect(token) };
  }

  async #publish(): Promise<void> {
    const { client, wallet } = this.#party("provider");
    const slug = `agent-${wallet.address.slice(2, 14).toLowerCase()}`;
    await client.agents.create({ slug, name: "A scenario's agent" });
    await client.agents.setPayoutWallet(slug, { address: wallet.address });
    await client.agents.publish(slug);
    const accepts = this.opened.tokens?.map(({ chain_id, token }) => ({ chain_id, token }));
    await client.services.create(slug, {
      ...(accepts && { accepts, price_currency: "USD" }),
      slug: "double",
      title: "Twice a number",
      pricing_model: "fixed",
      price: "2.50",
      delivery_time_hours: 24,
      input_schema: {
        type: "object",
        properties: { number: { type: "integer" } },
        required: ["number"],
        additionalProperties: false,
      },
    });
    this.#service = await client.services.publish(slug, "double");
  }

  #published(): Service {
    if (!this.#service) throw new TypeError("No service is published.");
    return this.#service;
  }

  #place({ number }: StepOf<"place">): PromiseLike<Order> {
    const { client } = this.#party("buyer");
    return client.orders.place({ service_id: this.#published().id, input_payload: { number } });
  }

  /** A wallet client of the buyer with its own node. */
  #sender() {
    const transport = http(this.opened.rpc_url);
    return createWalletClient({ account: this.#wallets.buyer, transport, pollingInterval: 100 });
  }

  #buy(
    number: number,
    { at_most: maxAmount = "2.50", pay_with, without_account }: Partial<StepOf<"buy">> = {},
  ): Promise<Purchase> {
    const { issuer, host } = this.opened;
    const options = {
      wallet: this.#sender(),
      issuer,
      ...(pay_with ? holdTokens(this.opened.tokens ?? [], pay_with, maxAmount) : { maxAmount }),
    };
    const [service, input] = [this.#published(), { number }];
    return without_account
      ? this.#connect().buyWithoutAccount(service, input, { ...options, host })
      : this.#party("buyer").client.buy(service, input, options);
  }

  /** Delivers like a provider without `serve`. After an outage, it does the missing steps. */
  async #deliver({ orderId }: Pick<Purchase, "orderId">): Promise<void> {
    const { client, wallet } = this.#party("provider");
    let order = await client.orders.get(orderId);
    if (order.status === "funded") order = await client.orders.start(orderId);
    if (order.status === "started") {
      const twice = 2 * Number(order.input_payload?.number);
      order = await client.orders.deliver(orderId, { output_payload: { twice } });
    }
    if (order.delivery_record === "none") {
      const { typed_data } = await client.orders.getDeliveryRecordToSign(orderId);
      const signature = await wallet.signTypedData(
        typed_data as Parameters<LocalAccount["signTypedData"]>[0],
      );
      await client.orders.recordDelivery(orderId, { signature });
    }
    while ((await client.orders.get(orderId)).delivery_record !== "matched") await rest();
  }

  async #accept(purchase: Purchase): Promise<void> {
    const { output, order } = await purchase.delivery();
    requireSame(output, { twice: 2 * Number(order.input_payload?.number) });
    const { document, chain } = await purchase.accept();
    requireSame(
      [document.order_id, document.claim, chain?.checked && chain.agrees],
      [purchase.orderId, "released", true],
    );
  }

  async #refund({ orderId }: Purchase): Promise<void> {
    const { client, wallet } = this.#party("provider");
    const { typed_data } = await client.orders.getRefundToSign(orderId);
    const signature = await wallet.signTypedData(typed_data as Parameters<LocalAccount["signTypedData"]>[0]);
    await client.orders.refund(orderId, { signature, deadline: String(typed_data.message.deadline) });
    while ((await client.orders.get(orderId)).status !== "refunded") await rest();
  }

  /** Completes an order. Each step is repeated, like a restarted program, if an outage outlasts the tries. */
  async #trade(number: number): Promise<void> {
    const purchase = await insist(() => this.#buy(number));
    await insist(() => this.#deliver(purchase));
    await insist(() => this.#accept(purchase));
  }

  async #list({ page_size: limit, orders }: StepOf<"list">): Promise<void> {
    const ids: string[] = [];
    for await (const order of this.#party("buyer").client.orders.list({ limit })) ids.push(order.id);
    requireSame([ids.length, new Set(ids).size], [orders, orders]);
  }

  async #follow({ as, types }: StepOf<"follow">): Promise<void> {
    const found = new Map<string, string>();
    const stop = AbortSignal.timeout(300_000);
    const wanted = types as NonNullable<Parameters<Earnest["events"]["follow"]>[0]>["types"];
    for await (const { id, type } of this.#party(as).client.events.follow({
      types: wanted,
      pollMs: 200,
      signal: stop,
    })) {
      if (found.has(id)) throw new Error(`The event ${id} came twice.`);
      found.set(id, type);
      if (found.size === types.length) break;
    }
    requireSame([...found.values()], types);
  }

  async #listen({ type }: StepOf<"listen">): Promise<void> {
    const { hook_url: url } = this.opened;
    const events = [type] as Parameters<Earnest["webhooks"]["create"]>[0]["events"];
    this.#secret = (await this.#party("buyer").client.webhooks.create({ url, events })).secret;
  }

  async #verifyWebhook({ type }: StepOf<"verify_webhook">): Promise<void> {
    for (;;) {
      type Delivery = { headers: Record<string, string>; body: string };
      const [delivery] = await askStage<Delivery[]>(this.opened.hook_url);
      if (!delivery) {
        await rest();
        continue;
      }
      const { headers, body } = delivery;
      requireSame(readWebhook(body, headers, this.#secret).type, type);
      const { "x-service-signature": _, ...standard } = headers;
      requireSame(readWebhook(body, standard, ["whsec_AAAA", this.#secret]).type, type);
      for (const other of [headers, standard]) {
        const read = () => readWebhook(body.replace(type, type.toUpperCase()), other, this.#secret);
        if (!throws(read)) throw new Error("A delivery that was changed is taken.");
      }
      return;
    }
  }
}
