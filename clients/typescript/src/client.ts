import { BaseClient } from "./base-client.ts";
import type { BuyOptions, BuyQuoteOptions, ResumeOptions } from "./buying/buy.ts";
import type { BuyWithoutAccountOptions, ResumeWithoutAccountOptions } from "./buying/buy-without-account.ts";
import type { Purchase } from "./buying/purchase.ts";
import type { RequestOptions } from "./core/call.ts";
import type {
  ListedService,
  OrderClaim,
  Quote,
  Service,
  SignIn,
  SignOut,
  Wallet,
} from "./generated/types.ts";
import type { Handlers, ServeOptions } from "./serving/serve.ts";
import { proveWallet, type SignInOptions } from "./sign-in.ts";

/**
 * A client of an Earnest service.
 *
 * @example
 * const earnest = new Earnest({ baseUrl: "http://localhost:42069", apiKey });
 * for await (const order of earnest.orders.list({ status: "funded" })) console.log(order.reference, order.total_amount);
 */
export class Earnest extends BaseClient {
  /**
   * Signs in with a wallet. The message is checked before it is signed. The client then sends the session's token.
   *
   * @throws UntrustedTextError if the message is not as expected; nothing is signed
   */
  async signIn(options: SignInOptions, request?: RequestOptions): Promise<SignIn> {
    const proof = await proveWallet(this, options, "sign_in", undefined, request);
    const signedIn = await this.auth.signIn(proof, request);
    this.transport.useToken(signedIn.tokens.access_token);
    return signedIn;
  }

  /** Ends the session. The client then sends no token. */
  async signOut(request?: RequestOptions): Promise<SignOut> {
    const signedOut = await this.auth.signOut({ ...request, organisation: null });
    this.transport.useToken(undefined);
    return signedOut;
  }

  /**
   * Adds a wallet to the session's account. The wallet signs a message that names the account.
   *
   * @throws UntrustedTextError if the message is not as expected; nothing is signed
   */
  async linkWallet(options: SignInOptions, request?: RequestOptions): Promise<Wallet> {
    // Wallets belong to the user's own account, so the client's organisation is not sent.
    const own = { ...request, organisation: null };
    const { id } = await this.me(own);
    return await this.wallets.add(await proveWallet(this, options, "link_wallet", id, own), own);
  }

  /**
   * Buys a service: places the order, compares it field by field with the request and the recomputed values, pays it once,
   * and waits until it is funded. The same call, even after a crash, resumes the order.
   *
   * @throws UntrustedOrderError with the first field that differs, before anything is signed; PaymentFailedError;
   *   OrderEndedError
   * @example
   * const purchase = await earnest.buy(service, { text }, { wallet, maxAmount: "3.00" });
   * const { output } = await purchase.delivery();
   * const receipt = await purchase.accept();
   */
  async buy(
    service: Service | ListedService,
    input: Record<string, unknown> | null,
    options: BuyOptions,
  ): Promise<Purchase> {
    const { buy } = await import("./buying/buy.ts");
    return await buy(this, service, input, options);
  }

  /**
   * Buys by a quote on your request: accepts the quote and continues like `buy`, with the quoted price and delivery time.
   *
   * @throws UntrustedOrderError with the first field that differs, before anything is signed; PaymentFailedError;
   *   OrderEndedError
   */
  async buyQuote(
    quote: Quote,
    input: Record<string, unknown> | null,
    options: BuyQuoteOptions,
  ): Promise<Purchase> {
    const { buyQuote } = await import("./buying/buy.ts");
    return await buyQuote(this, quote, input, options);
  }

  /**
   * Buys a service without an account, by one signature of the wallet. The client needs no token. It compares the offered terms
   * with the request, pays them once, and waits until the order is funded. The same call, even after a crash, continues the
   * purchase until its order has ended. The purchase signs in by the wallet to accept or dispute.
   *
   * @throws UntrustedOrderError with the first field that differs, before that is signed; PaymentFailedError;
   *   OrderEndedError
   * @example
   * const purchase = await earnest.buyWithoutAccount(service, { text }, { wallet, maxAmount: "3.00" });
   * const { output } = await purchase.delivery();
   * const receipt = await purchase.accept();
   */
  async buyWithoutAccount(
    service: Service | ListedService,
    input: Record<string, unknown> | null,
    options: BuyWithoutAccountOptions,
  ): Promise<Purchase> {
    const { buyWithoutAccount } = await import("./buying/buy-without-account.ts");
    return await buyWithoutAccount(this, service, input, options);
  }

  /** Continues a purchase without an account by its claim. It never pays. */
  async resumeWithoutAccount(claim: OrderClaim, options: ResumeWithoutAccountOptions): Promise<Purchase> {
    const { resumeWithoutAccount } = await import("./buying/buy-without-account.ts");
    return await resumeWithoutAccount(this, claim, options);
  }

  /** Resumes an order. An unpaid order is paid, which needs `maxAmount`. */
  async resume(orderId: string, options: ResumeOptions): Promise<Purchase> {
    const { resume } = await import("./buying/buy.ts");
    return await resume(this, orderId, options);
  }

  /**
   * Runs a provider until `signal` aborts: calls the handlers for the agent's funded orders, delivers, and signs the delivery
   * records. An order that a killed run had started is repeated with `isRetry`. Run one process for each agent.
   *
   * @throws permanent errors, such as a revoked key
   * @example
   * await earnest.serve("counter", { "count": (input: { text: string }) => ({ words: count(input.text) }) }, { wallet });
   */
  async serve<Inputs>(agent: string, handlers: Handlers<Inputs>, options: ServeOptions = {}): Promise<void> {
    const { serve } = await import("./serving/serve.ts");
    await serve(this, agent, handlers, options);
  }
}
