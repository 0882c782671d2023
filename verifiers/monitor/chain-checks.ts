import type { VerifiedDocument } from "../../receipts/verified.ts";
import { ChainCheck, type ChainOptions, type SeenAnchor } from "./anchors-on-chain.ts";
import type { Findings } from "./findings.ts";
import { Unreachable } from "./installation.ts";
import type { KeyFile } from "./key-file.ts";

/** The most receipts that wait for the answer of one node. Further ones end the pass. */
const mostWaiting = 10_000;

type Waiting = { index: number; result: VerifiedDocument };
type Watched = { check: ChainCheck; isDown: boolean; waiting: Waiting[] };

/** The receipts of a chain that agree with its events, and those that could not be compared. */
export type ChainProgress = { chain: string; confirmed: number; unconfirmed: number };

/** Compares receipts with the events of several chains. A node that does not answer delays no other chain. */
export class ChainChecks {
  private readonly findings: Findings;
  private readonly chains: Watched[];
  /** Receipts of chains without a node, by chain. */
  private readonly unasked = new Map<string, number>();

  /** @param openEvents opens the file with the events of a chain */
  constructor(
    options: readonly ChainOptions[],
    findings: Findings,
    openEvents: (chainId: number) => KeyFile,
  ) {
    this.findings = findings;
    this.chains = options.map((one) => ({
      check: new ChainCheck(one, findings, openEvents(one.chainId)),
      isDown: false,
      waiting: [],
    }));
  }

  get isAsked(): boolean {
    return this.chains.length > 0;
  }

  get progress(): ChainProgress[] {
    return [
      ...this.chains.map(({ check, waiting }) => ({
        chain: check.chain,
        confirmed: check.agreed,
        unconfirmed: check.unasked + waiting.length,
      })),
      ...[...this.unasked].map(([chain, unconfirmed]) => ({ chain, confirmed: 0, unconfirmed })),
    ];
  }

  /** The options by which a chain's events confirm documents of a compromised key. */
  vouchingOf(chain: string): Partial<ChainCheck["vouching"]> {
    return this.chains.find(({ check }) => check.chain === chain)?.check.vouching ?? {};
  }

  /** Reads the heads, and compares the receipts that waited. */
  async open(): Promise<void> {
    for (const one of this.chains) {
      one.isDown = false;
      await this.guard(one, () => one.check.open());
      const waited = one.waiting.splice(0);
      for (const { index, result } of waited) await this.checkOn(one, { index, result });
    }
  }

  /** Compares a valid receipt, by its entry's index, with its event. */
  async check(index: number, result: VerifiedDocument): Promise<void> {
    const { chain } = result.document;
    const one = this.chains.find(({ check }) => check.chain === chain);
    if (one) return this.checkOn(one, { index, result });
    this.unasked.set(chain, (this.unasked.get(chain) ?? 0) + 1);
    if (this.isAsked)
      this.findings.add(
        "chain_unchecked",
        chain,
        `Entry ${index} is a receipt of it: give a node by another --rpc.`,
      );
  }

  private async checkOn(one: Watched, { index, result }: Waiting): Promise<void> {
    if (!one.isDown && (await this.guard(one, () => one.check.check(index, result)))) return;
    if (one.waiting.length >= mostWaiting)
      throw new Unreachable(`${one.waiting.length} receipts wait for the node of ${one.check.chain}.`);
    one.waiting.push({ index, result });
  }

  /** Reads all events up to the heads. Reports those without a receipt that are older than a time. */
  async checkEvents(before: number): Promise<void> {
    // A receipt that waits has not met its event.
    for (const one of this.chains) {
      if (!one.isDown && one.waiting.length === 0) await this.guard(one, () => one.check.checkEvents(before));
    }
  }

  /** Takes the anchors that were read since the last call. */
  async takeAnchors(): Promise<SeenAnchor[]> {
    const taken: SeenAnchor[] = [];
    for (const one of this.chains) {
      if (!one.isDown) await this.guard(one, async () => void taken.push(...(await one.check.takeAnchors())));
    }
    return taken;
  }

  /** Reports a node that does not answer, and leaves its chain out until the next pass. Returns whether it answers. */
  private async guard(one: Watched, ask: () => Promise<void>): Promise<boolean> {
    try {
      await ask();
      return true;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      one.isDown = true;
      this.findings.add("log_unreachable", one.check.chain, error.message);
      return false;
    }
  }
}
