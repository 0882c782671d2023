import { createHash } from "node:crypto";
import { escrowBuild } from "../../abis/build.ts";
import { networks } from "../../protocol/settlement/networks.ts";

const header =
  "// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.\n\npackage settlement\n\n";

/**
 * Writes the protocol constants of clients/go: the hashes of the escrow contract's code, and the chains with their tokens.
 */
export function emitGoProtocol(): Map<string, string> {
  return new Map([
    ["settlement/build_generated.go", `${header}${emitBuild("escrow")}\n${emitBuild("deposit")}`],
    ["settlement/networks_generated.go", header + emitNetworks()],
  ]);
}

type Runtime = { code: string; immutables: Record<string, readonly number[]> };

/** The code with zeros where immutables go: its hash tells it from any other, so the client need not carry the code. */
function emitBuild(name: keyof typeof escrowBuild & ("escrow" | "deposit")): string {
  const { code, immutables }: Runtime = escrowBuild[name];
  const bytes = Buffer.from(code.slice(2), "hex");
  for (const place of Object.values(immutables).flat()) bytes.fill(0, place, place + 32);
  const lines = [
    `// ${name}Build is the code of ${name === "escrow" ? "the escrow contract" : "its deposits"}, as it stands on a chain.`,
    `var ${name}Build = build{`,
    `\tlength: ${bytes.length},`,
    `\tsha256: "${createHash("sha256").update(bytes).digest("hex")}",`,
    "\timmutables: []immutable{",
    ...Object.entries(immutables).map(
      ([immutable, offsets]) => `\t\t{name: "${immutable}", places: []int{${offsets.join(", ")}}},`,
    ),
    "\t},",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function emitNetworks(): string {
  const lines = networks.map(({ chain_id, network_name, token }) => {
    const written =
      token === null
        ? ""
        : `, Token: &NetworkToken{Address: mustAddress("${token.address}"), Symbol: "${token.symbol}", Decimals: ${token.decimals}, Currency: "${token.currency}", Token: Token{Name: "${token.name}", Version: "${token.version}"}}`;
    return `\t{ChainID: ${chain_id}, Name: "${network_name}"${written}},\n`;
  });
  return `var networks = []Network{\n${lines.join("")}}\n`;
}
