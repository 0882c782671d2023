import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import { type Address, createPublicClient, getAddress, http } from "viem";
import { expect } from "vitest";
import { readConfig } from "../../../config/config.ts";
import { createLog } from "../../../config/log.ts";
import { account, agent, fact, order, service, wallet } from "../../../db/schema.ts";
import type { Context } from "../../../trade/context.ts";
import type { Buyer } from "../../../trade/orders/order-terms.ts";
import { Refusal, type RefusalCode } from "../../../trade/refusal.ts";
import { createChecker, unlimitedService } from "../../../untrusted/schemas/checker.ts";
import { createTestDatabase } from "../database.ts";
import { baseChainSettings } from "../fixtures/fixture.ts";

export const inputSchema = {
  type: "object",
  properties: { text: { type: "string", minLength: 1 } },
  required: ["text"],
};

const newAddress = () => getAddress(`0x${randomBytes(20).toString("hex")}`);

/** The context of verbs, on a database of its own and without HTTP, and people who trade. */
export async function createTrade() {
  const database = await createTestDatabase();
  const { db } = database;
  const config = readConfig({
    DATABASE_URL: database.url,
    ...(await baseChainSettings()),
    LOG_LEVEL: "fatal",
    RATE_LIMITS: "off",
  });
  const log = createLog(config, "test");
  const clients = new Map(
    config.chains.map((chain) => [
      chain.chain_id,
      { chain, client: createPublicClient({ transport: http(chain.rpc_url) }) },
    ]),
  );
  const checker = createChecker(log, unlimitedService);
  const context: Context = { config, db, log, checker, chain: (id) => clients.get(id) };
  const seller = await signUp();

  /** Creates an account with a verified wallet, a new one unless given. */
  async function signUp(primaryAddress: Address = newAddress()): Promise<Buyer> {
    const accountId = typeid("acc").toString();

    await db.insert(account).values({ id: accountId });
    await db.insert(wallet).values({
      id: typeid("wal").toString(),
      accountId,
      address: primaryAddress,
      isPrimary: true,
      provedBy: "key",
    });
    return { accountId, primaryAddress, keyId: null };
  }

  /** Creates a published service of the seller's, with a published agent. */
  async function offerService(fields: Partial<typeof service.$inferInsert> = {}) {
    const slug = `agent-${randomBytes(6).toString("hex")}`;
    const ofAgent = { id: typeid("agt").toString(), slug };
    await db.insert(agent).values({
      ...ofAgent,
      accountId: seller.accountId,
      name: "An agent",
      capabilities: { skills: [], languages: [], input_modalities: [], output_modalities: [], protocols: [] },
      payoutWallet: seller.primaryAddress,
      status: "published",
    });
    const id = typeid("svc").toString();
    await db.insert(service).values({
      id,
      agentId: ofAgent.id,
      slug: "work",
      title: "Work",
      pricingModel: "fixed",
      price: 2_500_000n,
      priceCurrency: config.defaultChain?.token.symbol ?? "",
      deliveryTimeHours: 24,
      acceptanceHours: 48,
      inputSchema,
      status: "published",
      ...fields,
    });
    return { id, agent: ofAgent };
  }

  return {
    context,
    db,
    seller,
    buyer: await signUp(),
    signUp,
    offerService,
    async close() {
      await checker.close();
      await database.close();
    },
    /** Asserts that a verb refuses with this code, and leaves no order behind. */
    async expectRefusal(work: () => Promise<unknown>, code: RefusalCode, path?: string): Promise<void> {
      const count = async () => [await db.$count(order), await db.$count(fact)];
      const before = await count();
      const error = await work().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof Refusal))
        throw new Error(`Expected ${code}, and nothing was refused.`, { cause: error });
      expect([error.code, ...(path ? [error.details?.[0]?.path] : [])]).toEqual([
        code,
        ...(path ? [path] : []),
      ]);
      expect(await count()).toEqual(before);
    },
  };
}
export type Trade = Awaited<ReturnType<typeof createTrade>>;
