from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Mapping, TypeVar

import httpx2
from typing_extensions import ParamSpec, Self

from ._core.call import OMITTED, Omitted, RawResponse, RequestOptions, Verb, call_by_hand
from ._core.driver import Driver
from ._core.resource import Transport
from ._core.transport import ClientOptions, Core, Hooks, Token, WithResponse, captured, choose_token
from ._generated import types
from ._generated.api import Api
from .buying import Market, Purchase
from .buying.placing import buy_flow, buy_quote_flow, resume_flow
from .events import Events
from .serving import Handler, HandlerContext, Stop
from .serving.serve import ServeOptions, serve
from .sign_in import link_wallet_flow, sign_in_flow, sign_out_flow
from .wallet import Wallet

P = ParamSpec("P")
T = TypeVar("T")


class Earnest(Api):
    """A client of an Earnest service. It is safe to share between threads.

    Example:
        with Earnest("http://localhost:42069", api_key=key) as earnest:
            for order in earnest.orders.list(status="funded"):
                print(order["reference"], order["total_amount"])

    Args:
        base_url: The service's address, with `/api/v1` or without.
        api_key: `esk_...`, which may do what its scopes say; or what fetches one for each request.
        access_token: `est_...`, a session's; or what fetches one.
        organisation: The organisation that a session acts for, unless a call says another.
        max_retries: How often a call is tried again.
        max_wait: The longest wait before a try, in seconds; a longer `Retry-After` is an error at once.
        timeout: How long one try may take, in seconds.
        headers: More headers for each request.
        hooks: Are told of each request, answer and retry; never of a token.
        http: A client of httpx2 to send by, as for a proxy; it is yours to close.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Token | None = None,
        access_token: Token | None = None,
        organisation: str | None = None,
        max_retries: int = 2,
        max_wait: float = 30.0,
        timeout: float = 60.0,
        headers: Mapping[str, str] | None = None,
        hooks: Hooks | None = None,
        http: httpx2.Client | None = None,
    ) -> None:
        options = ClientOptions(organisation, max_retries, max_wait, timeout, headers or {}, hooks or Hooks())
        core = Core(base_url, token=choose_token(api_key, access_token), options=options)
        super().__init__(Transport(core, Driver(http)))

    @property
    def events(self) -> Events:
        return Events(self._transport)

    def sign_in(
        self, wallet: Wallet, *, chain_id: int, host: str | None = None, options: RequestOptions | None = None
    ) -> types.SignIn:
        """Signs a wallet in. The text is checked before it is signed. From then on this client sends the session's token.

        Args:
            host: What the text has to name, where the service is reached by another host than its own.

        Raises:
            UntrustedTextError: the text is not what it should be; nothing was signed then
        """
        return self._transport.run(sign_in_flow(self._transport.core, wallet, chain_id, host, options))

    def sign_out(self, *, options: RequestOptions | None = None) -> types.SignOut:
        """Ends the session. This client sends no token from then on."""
        return self._transport.run(sign_out_flow(self._transport.core, options))

    def link_wallet(
        self, wallet: Wallet, *, chain_id: int, host: str | None = None, options: RequestOptions | None = None
    ) -> types.Wallet:
        """Adds a wallet to the account of this session: it signs a text that names the account.

        Raises:
            UntrustedTextError: the text is not what it should be; nothing was signed then
        """
        return self._transport.run(link_wallet_flow(self._transport.core, wallet, chain_id, host, options))

    def buy(
        self,
        service: types.ListedService,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: Wallet,
        max_amount: str | Decimal,
        market: Market,
        rail: types.SettlementRail = "x402",
        quantity: int | None = None,
        arbiter: str | None = None,
        key: str | None = None,
    ) -> Purchase:
        """Buys: places the order, compares it with what was asked for, pays it, and waits until the escrow holds the money. The same
        call again, also after a crash, goes on with the same order until that has ended.

        Args:
            service: As a list or `services.get` showed it: its price is what is agreed to.
            wallet: Pays, and signs. Of the buyer's account, where refunds go.
            max_amount: The most that may be paid, as in `"3.00"`.
            market: What you know without the service. With a node, the chain is asked before anything is paid.
            rail: `x402`, one signature and no gas; or `escrow`, two calls of the wallet, which needs a node and gas.
            quantity: The service's smallest unless given.
            arbiter: Who decides a dispute: one of the service's `arbiters`.
            key: The name of this purchase, of your choice: the same name again is the same purchase.

        Raises:
            UntrustedOrderError: with the field that differs, before anything was signed
            PaymentFailedError: the payment was refused
            TransactionError: the chain refused a call of the wallet
        """
        buying = self._transport.run(
            buy_flow(
                self._transport.core,
                service,
                input_payload,
                wallet,
                market,
                max_amount,
                rail,
                quantity,
                arbiter,
                key,
            )
        )
        return Purchase(buying, self._transport)

    def buy_quote(
        self,
        quote: types.Quote,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: Wallet,
        max_amount: str | Decimal,
        market: Market,
        rail: types.SettlementRail = "x402",
        arbiter: str | None = None,
    ) -> Purchase:
        """Buys by a quote on a request of yours, as you read it: accepts it, and goes on as `buy` does, with the quoted price and
        time in the place of the service's. A quote that is accepted already is gone on with.

        Args:
            quote: As `quotes.get` or a list showed it: its price and time are what is agreed to.

        Raises:
            UntrustedOrderError: with the field that differs, before anything was signed
            PaymentFailedError: the payment was refused
            TransactionError: the chain refused a call of the wallet
        """
        buying = self._transport.run(
            buy_quote_flow(
                self._transport.core, quote, input_payload, wallet, market, max_amount, rail, arbiter
            )
        )
        return Purchase(buying, self._transport)

    def resume(
        self, order_id: str, *, wallet: Wallet, market: Market, max_amount: str | Decimal | None = None
    ) -> Purchase:
        """Goes on with an order of the buyer's, in another process: pays it where it is not paid.

        Raises:
            TypeError: the order is unpaid and `max_amount` is missing
        """
        buying = self._transport.run(resume_flow(self._transport.core, order_id, wallet, market, max_amount))
        return Purchase(buying, self._transport)

    def serve(
        self,
        agent: str,
        handlers: Mapping[str, Handler],
        *,
        wallet: Wallet | None = None,
        market: Market | None = None,
        concurrency: int = 4,
        attempts: int = 3,
        stop: Stop | None = None,
        cursor: str | None = None,
        on_cursor: Callable[[str], None] | None = None,
        on_error: Callable[[Exception, str, HandlerContext | None], None] | None = None,
        on_delivered: Callable[[str], None] | None = None,
        poll: float = 2.0,
    ) -> None:
        """Runs a provider until it is stopped: takes the agent's funded orders from the feed, starts them, has them done, delivers,
        and signs the delivery's record. What an earlier run began is done first. Run one process for each agent.

        Args:
            agent: Its slug.
            handlers: What each service of the agent does, by its slug. Each is called in a thread of its own.
            wallet: The agent's payout wallet, which signs that it delivered. Without it no delivery is recorded on the chain.
            market: With a node, the chain is asked whether it has the money before any work is done.
            concurrency: How many orders are worked on at once.
            attempts: How often a handler is called for an order before it is given up in this run.
            stop: Stops once it is set: nothing more is taken, and what was begun is finished.
            cursor: Where the feed was left, for an account with many events; nothing is lost without it.
            on_cursor: Is given the place to go on from.
            on_error: Is told what a handler raised, what was refused of its output, and what else went wrong with an order: the
                error, the order's id, and what the handler was told, if it was called. Unless given, it is logged.
            on_delivered: Is told the id of each order that was delivered.
            poll: How long to wait where nothing is new, in seconds.

        Raises:
            ApiError: what waiting does not mend, as a key that was revoked
        """
        options = ServeOptions(
            wallet,
            market,
            concurrency,
            attempts,
            stop,
            cursor,
            on_cursor,
            on_error,
            on_delivered,
            poll,
        )
        serve(self._transport, agent, handlers, options)

    def request(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any | Omitted = OMITTED,
        takes_key: bool | None = None,
        retries: bool = True,
        options: RequestOptions | None = None,
    ) -> Any:
        """Sends a request that no method of this client makes, with the same authentication, retries and errors.

        Args:
            path: Below `/api/v1`, escaped.
        """
        return self._send(call_by_hand(verb, path, query, body, takes_key, retries), options)

    def with_response(self, method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> WithResponse[T]:
        """What a method gives, with the answer as it came: status, headers, text, tries, request id.

        Example:
            answer = earnest.with_response(earnest.orders.get, order_id)
            print(answer.data["status"], answer.response.request_id)
        """
        responses: list[RawResponse] = []
        token = captured.set(responses)
        try:
            return WithResponse(method(*args, **kwargs), responses[-1])
        finally:
            captured.reset(token)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
