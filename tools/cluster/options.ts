import { parseArgs } from "node:util";
import { type FaultKind, faultKinds } from "./faults.ts";

export const usage = `npm run cluster                             starts all parts and prints their addresses
npm run cluster -- --rehearse               runs trades, performs each fault in turn, and checks that nothing is lost
npm run cluster -- --rehearse --fault KIND  performs one kind of fault: ${faultKinds.join("; ")}
npm run cluster -- --failover               kills the leader of PostgreSQL once, without the programs of Earnest
npm run cluster -- --measure                measures orders, events and deliveries per second with 1 and 2 processes
npm run cluster -- --soak [MINUTES]         runs orders at half the ceiling, 20 minutes by default, and checks that memory and latency stay flat
npm run cluster -- --soak --rate N          does the same with N orders per second

--seed K draws order, victims and times from K. --rounds N performs each fault N times. --from REF starts the programs of
another version, which the fault "upgrade and switchover" replaces.`;

/** The arguments of `npm run cluster`. */
export type ClusterOptions = {
  action: "help" | "start" | "rehearse" | "failover" | "measure" | "soak";
  /** the faults to perform, whose order the seed draws */
  faults: readonly FaultKind[];
  seed: number;
  /** how long the soak takes */
  minutes: number;
  /** orders per second of the soak; half the ceiling if undefined */
  rate: number | undefined;
  /** the version of the programs that the fault "upgrade and switchover" replaces, as a reference of Git */
  from: string;
};

/** Reads the arguments of `npm run cluster`. @throws TypeError that says what is wrong */
export function readClusterOptions(args: string[]): ClusterOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h" },
      rehearse: { type: "boolean" },
      fault: { type: "string", multiple: true, default: [] },
      seed: { type: "string", default: "1" },
      rounds: { type: "string", default: "1" },
      from: { type: "string", default: "HEAD" },
      failover: { type: "boolean" },
      measure: { type: "boolean" },
      soak: { type: "boolean" },
      rate: { type: "string" },
    },
  });
  const chosen = faultKinds.filter((kind) => values.fault.includes(kind));
  const [seed, rounds] = [Number(values.seed), Number(values.rounds)];
  const minutes = Number(positionals[0] ?? 20);
  const rate = values.rate === undefined ? undefined : Number(values.rate);
  const actions = (["help", "measure", "failover", "soak", "rehearse"] as const).filter(
    (name) => values[name],
  );
  const check = (isRight: boolean | undefined, message: string) => {
    if (!isRight) throw new TypeError(message);
  };
  check(chosen.length === values.fault.length, "--fault must be one of the kinds, each once.");
  check(chosen.length === 0 || values.rehearse, "--fault needs --rehearse.");
  const isCount = (number: number) => Number.isSafeInteger(number) && number > 0;
  check(isCount(seed) && isCount(rounds), "--seed and --rounds must be whole numbers above 0.");
  check(minutes > 0 && (rate ?? 1) > 0, "The minutes and the rate of a soak must be above 0.");
  const each = chosen.length > 0 ? chosen : faultKinds;
  const faults = Array.from({ length: rounds }, () => each).flat();
  return { action: actions[0] ?? "start", faults, seed, minutes, rate, from: values.from };
}
