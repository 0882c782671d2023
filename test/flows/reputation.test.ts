import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { agent, agentRecord, orderOutcome } from "../../db/schema.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { ourProgram } from "../harness/programs.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

/** Runs `npm run reputation` as a user does. */
async function audit({ baseUrl, chain }: SharedStack, slug: string, ...more: string[]) {
  const args = ["--agent", slug, "--at", baseUrl, "--rpc", chain.rpcUrl, "--lag", "0", ...more];
  const child = spawn(process.execPath, ourProgram("scripts/reputation.ts", ...args), { stdio: "pipe" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out: out + err };
}

testOnStack(
  "anybody recomputes an agent's record, and finds a raised score and a hidden order",
  async ({ stack }) => {
    const buyer = privateKeyToAccount(generatePrivateKey());
    const provider = privateKeyToAccount(generatePrivateKey());
    await stack.chain.fund(buyer);
    const { baseUrl, db } = stack;
    for (let order = 0; order < 2; order++) {
      await runDemo({ baseUrl, rpcUrl: stack.chain.rpcUrl, buyer, provider, print: () => {} });
    }
    const [found] = await db
      .select({ id: agent.id, slug: agent.slug })
      .from(agent)
      .where(eq(sql`lower(${agent.payoutWallet})`, provider.address.toLowerCase()));
    if (!found) throw new Error("There is no agent.");
    const honest = () => audit(stack, found.slug);
    await expect.poll(honest, { interval: 1000 }).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /receipts: [1-9]\d* valid\nstatement: valid\nchain eip155:31337: ([1-9]\d*) of \1 outcomes agree/,
      ),
    });

    const [record] = await db.select().from(agentRecord).where(eq(agentRecord.id, found.id));
    await db.update(agentRecord).set({ score: 900 }).where(eq(agentRecord.id, found.id));
    await expect.poll(honest, { interval: 1000 }).toMatchObject({
      code: 1,
      out: expect.stringContaining("number_differs: score.value is claimed as 900"),
    });
    await db
      .update(agentRecord)
      .set({ score: record?.score ?? null })
      .where(eq(agentRecord.id, found.id));

    const [outcome] = await db.select().from(orderOutcome).where(eq(orderOutcome.agentId, found.id)).limit(1);
    await db.delete(orderOutcome).where(eq(orderOutcome.orderId, outcome?.orderId ?? ""));
    // Anybody may create such an escrow without an order here, so only the strict mode counts it as hidden.
    await expect.poll(honest, { interval: 1000 }).toMatchObject({
      code: 2,
      out: expect.stringMatching(/escrow 0x[0-9a-f]{64} .* is in no list/),
    });
    expect(await audit(stack, found.slug, "--strict")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/unlisted: escrow 0x[0-9a-f]{64} .* is in no list/),
    });
  },
);
