import { BaseClient } from "./base-client.ts";
import type { BuyOptions, BuyQuoteOptions, ResumeOptions } from "./buying/buy.ts";
import type { Purchase } from "./buying/purchase.ts";
import type { RequestOptions } from "./core/call.ts";
import type {
  ListedService,
  NoncePurpose,
  Quote,
  Service,
  SignIn,
  SignOut,
  Wallet,
} from "./generated/types.ts";
import type { Handlers, ServeOptions } from "./serving/serve.ts";
import { checkSignInText, type SigningWallet } from "./sign-in.ts";

export interface SignInOptions {
  wallet: SigningWallet;
  chainId: number;
  /** What the text has to name, where the service is reached by another host than its own; `baseUrl`'s unless told. */
  host?: string;
}

/**
 * A client of an Earnest service.
 *
 * @example
 * const earnest = new Earnest({ baseUrl: "http://localhost:42069", apiKey });
 * for await (const order of earnest.orders.list({ status: "funded" })) console.log(order.reference, order.total_amount);
 */
export class Earnest extends BaseClient {
  /**
   * Signs a wallet in. The text is checked before it is signed. From then on this client sends the session's token.
   *
   * @throws UntrustedTextError where the text is not what it should be; nothing was signed then
   */
  async signIn(options: SignInOptions, request?: RequestOptions): Promise<SignIn> {
    const proof = await this.#prove(options, "sign_in", undefined, request);
    const signedIn = await this.auth.signIn(proof, request);
    this.transport.useToken(signedIn.tokens.access_token);
    return signedIn;
  }

  /** Ends the session. This client sends no token from then on. */
  async signOut(request?: RequestOptions): Promise<SignOut> {
    const signedOut = await this.auth.signOut({ ...request, organisation: null });
    this.transport.useToken(undefined);
    return signedOut;
  }

  /**
   * Adds a wallet to the account of this session: it signs a text that names the account.
   *
   * @throws UntrustedTextError where the text is not what it should be; nothing was signed then
   */
  async linkWallet(options: SignInOptions, request?: RequestOptions): Promise<Wallet> {
    // About a person's own account: an organisation that the client acts for is left out.
    const own = { ...request, organisation: null };
    const { id } = await this.me(own);
    return await this.wallets.add(await this.#prove(options, "link_wallet", id, own), own);
  }

  async #prove(
    { wallet, chainId, host }: SignInOptions,
    purpose: NoncePurpose,
    accountId: string | undefined,
    request?: RequestOptions,
  ) {
    const address = wallet.account?.address ?? wallet.address;
    if (address === undefined) throw new TypeError("The wallet has no address: give it an account.");
    const asked = { address, chain_id: chainId, purpose };
    // Each step is a write of its own: a key of the caller's would stand for the first of them.
    const { message, nonce } = await this.auth.createNonce(asked, {
      ...request,
      organisation: null,
      idempotencyKey: undefined,
    });
    const expected = {
      host: host ?? new URL(this.transport.baseUrl).host,
      address,
      chainId,
      nonce,
      accountId,
    };
    checkSignInText(message, expected);
    return { message, nonce, signature: await wallet.signMessage({ message }) };
  }

  /**
   * Buys a service: places the order, compares it field by field with what was asked for and with what it recomputes, pays
   * it once, and waits until the escrow holds the money. The same call again, after a crash too, goes on with the order.
   *
   * @throws UntrustedOrderError, with the field that differs, before anything is signed; PaymentFailedError; OrderEndedError
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
   * Buys by a quote on a request of yours, as you read it: accepts it, and goes on as `buy` does, with the quoted price and
   * time in the place of the service's.
   *
   * @throws UntrustedOrderError, with the field that differs, before anything is signed; PaymentFailedError; OrderEndedError
   */
  async buyQuote(
    quote: Quote,
    input: Record<string, unknown> | null,
    options: BuyQuoteOptions,
  ): Promise<Purchase> {
    const { buyQuote } = await import("./buying/buy.ts");
    return await buyQuote(this, quote, input, options);
  }

  /** Goes on with an order that was placed before, and pays it where it is not paid: `maxAmount` is needed for that. */
  async resume(orderId: string, options: ResumeOptions): Promise<Purchase> {
    const { resume } = await import("./buying/buy.ts");
    return await resume(this, orderId, options);
  }

  /**
   * Runs a provider until `signal` stops it: takes the agent's funded orders, has them done, delivers, and signs that it did.
   * An order that a killed run had begun is done again, once, and its handler is told. Run one process for each agent.
   *
   * @throws what waiting does not mend, as a key that was revoked
   * @example
   * await earnest.serve("counter", { "count": (input: { text: string }) => ({ words: count(input.text) }) }, { wallet });
   */
  async serve<Inputs>(agent: string, handlers: Handlers<Inputs>, options: ServeOptions = {}): Promise<void> {
    const { serve } = await import("./serving/serve.ts");
    await serve(this, agent, handlers, options);
  }
}
