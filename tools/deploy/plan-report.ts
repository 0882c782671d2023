import { type Address, formatEther, formatGwei, keccak256 } from "viem";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { estimateCost } from "./cost.ts";
import { deploymentCall, salt } from "./create2.ts";
import { create2Deployer } from "./deployer.ts";
import { planDeployment } from "./deployment-plan.ts";
import { findCoin } from "./public-chains.ts";
import type { Target } from "./target.ts";

/**
 * Prints the steps and the cost of a deployment on a chain. Sends nothing.
 *
 * @param options.from the account whose balance is compared with the cost
 * @throws ConfigError as `planDeployment` does
 */
export async function describePlan(
  target: Target,
  options: { token: Address | undefined; from: Address | undefined; print: (line: string) => void },
): Promise<void> {
  const { reader, chainId, arbiter, file } = target;
  const { token, from, print } = options;
  const plan = await planDeployment(reader, { ...target, token });
  const coin = findCoin(chainId) ?? "of the chain's coin";
  const say = (what: string, text: string) => print(`${what.padEnd(10)} ${text}`);
  say("chain", target.title);
  say(
    "escrow",
    plan.standing
      ? `${plan.escrow} exists since block ${plan.standing.block} with this build's code: it would be adopted`
      : `${plan.escrow} would be deployed`,
  );
  say(
    "",
    `by the CREATE2 deployer ${create2Deployer}, salt ${salt}, creation code ${keccak256(escrowBytecode)}`,
  );
  if (plan.deployer) say("", "the deployer would be placed first, by its presigned transaction (0.01 coins)");
  if (plan.token) {
    const { address, symbol, decimals, name, version } = plan.token.token;
    say(
      "token",
      `${address}: ${symbol}, ${decimals} decimals, EIP-712 domain "${name}" version "${version}"`,
    );
    say(
      "",
      plan.token.authorizes
        ? `DOMAIN_SEPARATOR() is that domain's: ${plan.token.separator}`
        : "without EIP-3009: paid by Permit2 and by approve",
    );
  } else {
    say("token", "TestUSD would be deployed");
  }
  for (const { symbol, address, currency } of plan.others ?? []) {
    say("", `${address}: ${symbol}${currency ? `, for prices in ${currency}` : ""}`);
  }
  for (const note of plan.notes) say("", note);
  say(
    "anchors",
    plan.anchors.missing.length > 0
      ? `${plan.anchors.contract} would be deployed`
      : `${plan.anchors.contract} exists since block ${plan.anchors.block}`,
  );
  const hasPasskeys = !plan.missing.some(({ what }) => what === "passkey accounts");
  say("passkeys", `${plan.passkeyFactory} ${hasPasskeys ? "exists" : "would be deployed"}`);
  const identities = plan.registries?.identity_registry ?? "none known: agents show no identity";
  const own = plan.missing.some(({ what }) => what === "IdentityRegistry");
  say("erc8004", own ? "development registries would be deployed" : `agents' identities: ${identities}`);
  say("arbiter", arbiter ?? "nobody: disputes end by time alone");
  if (from)
    say("deployer", `${from} holds ${formatEther(await reader.getBalance({ address: from }))} ${coin}`);
  if (plan.missing.length > 0) {
    const calls = plan.missing.map(({ creationCode }) => deploymentCall(creationCode));
    const cost = await estimateCost(reader, from, calls, plan.deployer);
    say("gas", `${cost.gas}, at ${formatGwei(cost.price)} gwei about ${formatEther(cost.expected)} ${coin}`);
    say("", `the deployer must hold ${formatEther(cost.required)} ${coin}`);
  }
  say("manifest", `would be written to ${file}`);
  print("Nothing was sent.");
}
