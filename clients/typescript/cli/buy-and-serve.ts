import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseJson } from "../../../protocol/json/parse.ts";
import { Earnest, type Handler, type Progress, type Purchase, type SettlementRail } from "../src/index.ts";
import { type Format, printOne, printToStderr } from "./print.ts";
import {
  environmentWithoutKeys,
  openClient,
  openWallet,
  readPayWith,
  readUrl,
  UsageError,
} from "./settings.ts";

export type BuyOptions = Format & {
  service?: string;
  /** The id of an existing order, instead of a service. */
  resume?: string;
  input?: string;
  maxAmount?: string;
  rail?: string;
  rpc?: string[];
  /** The tokens to pay with, the preferred one first. */
  payWith?: string[];
  key?: string;
  issuer?: string;
  host?: string;
  withoutAccount: boolean;
  accept: boolean;
};

/** Buys a service or resumes an order, waits for the delivery, and accepts it with `--accept`. */
export async function buy(words: BuyOptions): Promise<void> {
  const purchase = await (words.resume === undefined ? place(words) : resume(words.resume, words));
  const { output, outputHash } = await purchase.delivery();
  const delivered = {
    order: purchase.orderId,
    status: purchase.order.status,
    output,
    output_hash: outputHash,
  };
  if (!words.accept) {
    printOne(delivered, words);
    return;
  }
  const { id: receipt, transaction } = (await purchase.accept()).document;
  printOne({ ...delivered, status: purchase.order.status, receipt, transaction }, words);
}

async function place(words: BuyOptions): Promise<Purchase> {
  const { maxAmount, rpc, rail = "x402", key, issuer } = words;
  const payWith = readPayWith(words.payWith, maxAmount);
  const [agent, slug, more] = (words.service ?? "").split("/");
  if (!agent || !slug || more !== undefined) throw new UsageError("Pass the service as <agent>/<service>.");
  const isLimited = payWith?.every((one) => one.maxAmount !== undefined) ?? false;
  if (!isLimited && (maxAmount === undefined || (payWith?.length ?? 0) > 1)) {
    throw new UsageError(
      "Pass the most you pay, for example --max-amount 3.00. Each of several --pay-with needs its own =3.00.",
    );
  }
  if (rail !== "x402" && rail !== "escrow") throw new UsageError("--rail takes x402 or escrow.");
  const { withoutAccount, host } = words;
  if (withoutAccount && words.rail !== undefined) {
    throw new UsageError("--without-account pays by one signature, so it takes no --rail.");
  }
  const earnest = withoutAccount ? new Earnest({ baseUrl: readUrl() }) : openClient();
  const { wallet, nodes } = openWallet(rpc);
  const services = await earnest.marketplace.searchServices({ agent, limit: 100 });
  const service = services.items.find((each) => each.slug === slug);
  if (!service) throw new UsageError(`${agent} has no service ${slug}.`);
  const input = await readInput(words.input);
  const options = {
    wallet,
    node: nodes,
    maxAmount,
    payWith,
    key,
    issuer,
    onProgress: printProgress,
  };
  return withoutAccount
    ? await earnest.buyWithoutAccount(service, input, { ...options, ...(host && { host }) })
    : await earnest.buy(service, input, { ...options, rail: rail as SettlementRail });
}

/** Resumes an order. The order itself has the service, the input and the rail. */
async function resume(orderId: string, words: BuyOptions): Promise<Purchase> {
  const { service, input, rail, key, maxAmount, issuer, rpc } = words;
  if ([service, input, rail, key].some((option) => option !== undefined)) {
    throw new UsageError("--resume accepts only --max-amount, --pay-with, --rpc, --issuer and --accept.");
  }
  const { wallet, nodes } = openWallet(rpc);
  return await openClient().resume(orderId, {
    wallet,
    node: nodes,
    payWith: readPayWith(words.payWith, maxAmount),
    maxAmount,
    issuer,
    onProgress: printProgress,
  });
}

function printProgress(progress: Progress): void {
  if (progress.step === "agreed") {
    const { id, reference, total_amount, currency, status } = progress.order;
    printToStderr(
      `${id} (${reference}): ${total_amount} ${currency}, ${status}. To resume: earnest buy --resume ${id}`,
    );
  } else if (progress.step === "offered") {
    printToStderr(`the terms of ${progress.agreed.orderId} are as requested`);
  } else if (progress.step === "sent") {
    printToStderr(`${progress.function}: ${progress.hash}`);
  } else if (progress.step === "signed") {
    printToStderr(`payment ${progress.payment.id}: ${progress.payment.status}`);
  } else {
    const { status, total_amount, currency } = progress.order;
    const isOver = status === "released" || status === "refunded";
    if (!isOver) printToStderr(`${total_amount} ${currency} in escrow; waiting for the delivery`);
  }
}

async function readInput(given: string | undefined): Promise<Record<string, unknown> | null> {
  if (given === undefined) return null;
  const json =
    given === "-"
      ? await text(process.stdin)
      : given.startsWith("@")
        ? readFileSync(given.slice(1), "utf8")
        : given;
  try {
    const value = parseJson(json);
    if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new UsageError("--input has to be a JSON object, @file, or - for standard input.");
}

export type ServeOptions = Format & {
  agent: string;
  exec: string | undefined;
  rpc: string[] | undefined;
  /** The tokens to take. */
  payWith: string[] | undefined;
  concurrency: string;
};

/** Serves an agent with a command that gets the input as JSON on standard input and prints the output as JSON. */
export async function serve({ agent, exec, rpc, payWith, concurrency, json }: ServeOptions): Promise<void> {
  if (exec === undefined) throw new UsageError("Pass the command that does the work: --exec './handler'.");
  if (!/^[1-9]\d{0,2}$/.test(concurrency))
    throw new UsageError("--concurrency has to be a whole number from 1 to 999.");
  const earnest = openClient();
  const { wallet, nodes } = openWallet(rpc);
  const tokens = readPayWith(payWith);
  const handlers: Record<string, Handler<unknown>> = {};
  for await (const { slug } of earnest.marketplace.searchServices({ agent, limit: 100 })) {
    handlers[slug] = (input, context) => run(exec, input, { slug, context });
  }
  if (Object.keys(handlers).length === 0) throw new UsageError(`${agent} has no services.`);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  printToStderr(`serving ${Object.keys(handlers).join(", ")} of ${agent}`);
  await earnest.serve(agent, handlers, {
    wallet,
    node: nodes,
    ...(tokens && { tokens }),
    concurrency: Number(concurrency),
    signal: stop.signal,
    onError: (error, { orderId }) =>
      printToStderr(`${orderId}: ${error instanceof Error ? error.message : error}`),
    onDelivered: (orderId) => printOne({ delivered: orderId }, { json }),
  });
}

/** Runs the command once. Its standard error is passed on. An exit code other than 0 is an error. */
async function run(
  exec: string,
  input: unknown,
  { slug, context }: { slug: string; context: Parameters<Handler<unknown>>[1] },
): Promise<object | null> {
  const child = spawn(exec, {
    shell: true,
    signal: context.signal,
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...environmentWithoutKeys(),
      EARNEST_ORDER: context.order.id,
      EARNEST_SERVICE: slug,
      EARNEST_DELIVER_BY: context.deliverBy.toISOString(),
      EARNEST_RETRY: context.isRetry ? "1" : "",
      EARNEST_CHANGES: context.changes ?? "",
    },
  });
  const closed = new Promise<number | null>((done, failed) =>
    child.once("error", failed).once("close", done),
  );
  // A command that reads no input closes its standard input early.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(input));
  const [printed, code] = await Promise.all([text(child.stdout), closed]);
  if (code !== 0) throw new Error(`${exec} exited with code ${code}.`);
  return parseJson(printed) as object | null;
}
