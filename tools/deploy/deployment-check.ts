import { keccak256 } from "viem";
import { escrowBuild } from "../../abis/build.ts";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { ConfigError } from "../../config/config.ts";
import { compareEscrow } from "../../protocol/settlement/escrow-code.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { compareAnchors } from "./anchors.ts";
import { addressOf } from "./create2.ts";
import { comparePasskeyFactory } from "./passkeys.ts";
import type { Target } from "./target.ts";
import { describeToken } from "./token.ts";

/**
 * Compares the deployed contracts and their manifest with this build and the chain.
 *
 * @returns a line for each comparison
 * @throws ConfigError with a line for each difference
 */
export async function checkDeployment({ reader, manifest, file, title }: Target): Promise<string[]> {
  const escrow = manifest?.escrow_contract ?? addressOf(escrowBytecode);
  const differences = await compareEscrow(reader, escrow);
  const code = await reader.getCode({ address: escrow });
  if (manifest) {
    const { build } = manifest;
    for (const [what, listed, where, is] of [
      ["build.code_hash", build?.code_hash, "on the chain", code && keccak256(code)],
      ["build.creation_code_hash", build?.creation_code_hash, "in this build", keccak256(escrowBytecode)],
      [
        "build.compiler",
        build && JSON.stringify(build.compiler),
        "in this build",
        JSON.stringify(escrowBuild.compiler),
      ],
    ] as const) {
      if (listed !== undefined && listed !== is)
        differences.push(`\`${what}\` in ${file} is ${listed}, ${where} it is ${is}.`);
    }
    for (const { address, symbol, decimals, name, version } of [
      manifest.token,
      ...(manifest.other_tokens ?? []),
    ]) {
      const listed = { address, symbol, decimals, name, version };
      const found = await describeToken(reader, listed.address).catch((error) => {
        if (!(error instanceof ConfigError)) throw error;
        differences.push(error.message);
      });
      const [named, is] = [JSON.stringify(listed), JSON.stringify(found?.token)];
      if (found && named !== is)
        differences.push(`The token in ${file} is ${named}, on the chain it is ${is}.`);
    }
  }
  const anchors = manifest?.anchors?.contract;
  if (anchors) differences.push(...(await compareAnchors(reader, anchors)));
  const passkeys = manifest?.passkey_factory;
  if (passkeys) differences.push(...(await comparePasskeyFactory(reader, passkeys)));
  if (differences.length > 0) {
    throw new ConfigError(`The deployment on ${title} differs from this build:\n${differences.join("\n")}`);
  }
  return [
    `checked ${escrow} on ${title}`,
    `code    ${keccak256(code ?? "0x")}: this build's, immutables and deposit implementation included`,
    anchors
      ? `anchors ${anchors}: this build's`
      : "anchors none: run `npm run deploy` to anchor the log here",
    passkeys
      ? `passkey accounts by ${passkeys}: this build's`
      : "passkey accounts none: run `npm run deploy` so that passkeys can sign in and pay here",
    (await reader.getCode({ address: multicall3Address }))
      ? `batches ${multicall3Address}: Multicall3`
      : `batches off: the relayer sends each call alone, because there is no Multicall3 at ${multicall3Address}`,
    manifest ? `${file} agrees` : `${file} does not exist and was not compared`,
  ];
}
