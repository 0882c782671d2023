import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { expectStatus, signIn } from "../../harness/api.ts";
import { ask, createMarket, place, rowOf } from "../../harness/market/market.ts";

test("an order stays as it was placed, whatever becomes of its service and its agent", async () => {
  const market = await createMarket();
  const { api, buyer, provider, agent, service } = market;
  try {
    const placed = await place(market);
    const id = placed.id as string;
    const read = async (path: string) => expectStatus(200, await ask(market, buyer, "GET", path));
    const see = async () => ({
      order: await read(`/orders/${id}`),
      agreement: await read(`/orders/${id}/agreement`),
      instructions: await read(`/orders/${id}/payment-instructions`),
      row: await rowOf(market, id),
    });
    const before = await see();
    expect(before.order.escrow.escrow_id).toBe(placed.escrow.escrow_id);

    const { token } = provider;
    const send = async (method: string, path: string, body?: object) =>
      expectStatus(200, await api.request(method, `/agents/${agent.slug}${path}`, { token, body }));
    const svc = `/services/${service.slug}`;
    await send("PATCH", svc, {
      title: "Something else",
      summary: "s",
      description: "d",
      tags: ["other"],
      pricing_model: "hourly",
      price: "999.999999",
      min_quantity: 3,
      max_quantity: 9,
      delivery_time_hours: 1,
      acceptance_hours: 1,
      input_schema: { type: "object", required: ["other"] },
      output_schema: null,
    });
    await send("PATCH", "", {
      name: "Another",
      tagline: "t",
      description: "d",
      capabilities: { skills: ["x"] },
    });
    // A second wallet of the provider, which is paid from now on.
    const signer = privateKeyToAccount(generatePrivateKey());
    const nonce = expectStatus(
      200,
      await api.request("POST", "/auth/nonce", {
        token,
        body: { address: signer.address, chain_id: 31_337, purpose: "link_wallet" },
      }),
    );
    const { expires_at: _, ...proof } = nonce;
    const signature = await signer.signMessage({ message: nonce.message });
    expectStatus(
      201,
      await api.request("POST", "/auth/me/wallets", { token, body: { ...proof, signature } }),
    );
    await send("PUT", "/payout-wallet", { address: signer.address });
    await send("POST", `${svc}/availability`, { available: false });
    await send("POST", `${svc}/pause`);
    await send("POST", `${svc}/retire`);
    await send("POST", "/pause");
    await send("POST", "/retire");

    expect(await see()).toEqual(before);
    const outsider = await signIn(api);
    const late = await ask(market, outsider, "POST", "/orders", { service_id: service.id });
    expect(late.status).toBe(404);
  } finally {
    await api.close();
  }
});
