import { checkpointCases } from "./checkpoints.ts";
import { trusts } from "./log-inputs.ts";
import { entryCases, proofCases } from "./proofs.ts";
import { memoryCases, stories, treeCases } from "./trees.ts";
import { keyCases, policyCases } from "./trust.ts";

/** Makes `protocol/tlog/vectors.json`: the test vectors for readers of the log in any language. */
export function makeLogVectors(): object {
  const logs = stories();
  return {
    description:
      "Made by scripts/generate/receipts.ts. Each case names its kind, its input, and what verifiers answer; `trust` and `story` name entries of `trusts` and `stories`. A case that is `strict` may be taken by other implementations of the standard.",
    trusts,
    stories: { one: logs.one.served, other: logs.other.served },
    cases: [
      ...keyCases(),
      ...checkpointCases(),
      ...policyCases(),
      ...treeCases(),
      ...entryCases(),
      ...proofCases(),
      ...memoryCases(logs),
    ],
  };
}
