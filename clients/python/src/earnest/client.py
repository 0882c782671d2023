from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Mapping, TypeVar

import httpx2
from typing_extensions import ParamSpec, Self

from ._core.call import OMITTED, Omitted, RawResponse, RequestOptions, Verb, call_by_hand
from ._core.driver import Driver
from ._core.hooks import Hooks
from ._core.request import ClientOptions
from ._core.resource import Transport
from ._core.transport import Core, Token, WithResponse, captured, choose_token
from ._generated import types
from ._generated.api import Api
from .buying import Markets, PayWith, Purchase
from .buying.placing import OnAgreed, buy_flow, buy_quote_flow, resume_flow
from .buying.without_account import buy_without_account_flow, resume_without_account_flow
from .events import Events
from .files import Files
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
        base_url: The service's URL, with or without `/api/v1`.
        api_key: An API key, `esk_...`, or a function that returns one for each request.
        access_token: A session's token, `est_...`, or a function that returns one.
        organisation: The organisation that a session acts for, unless a call sets another.
        max_retries: The most retries of a call.
        max_wait: The longest wait before a retry, in seconds. A longer `Retry-After` fails the call at once.
        timeout: The timeout of one attempt, in seconds.
        headers: Further headers of each request.
        hooks: Callbacks for each request, response and retry. They never get a token.
        http: The client of httpx2 that sends the requests, for example through a proxy. You close it.
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

    @property
    def files(self) -> Files:
        return Files(self._transport)

    def sign_in(
        self, wallet: Wallet, *, chain_id: int, host: str | None = None, options: RequestOptions | None = None
    ) -> types.SignIn:
        """Signs in with a wallet. The message is checked before it is signed. The client then sends the session's token.

        Args:
            host: The host that the message has to name, if the service is reached by another host. Default: the host of
                `base_url`.

        Raises:
            UntrustedTextError: the message is not as expected; nothing is signed
        """
        return self._transport.run(sign_in_flow(self._transport.core, wallet, chain_id, host, options))

    def sign_out(self, *, options: RequestOptions | None = None) -> types.SignOut:
        """Ends the session. The client then sends no token."""
        return self._transport.run(sign_out_flow(self._transport.core, options))

    def link_wallet(
        self, wallet: Wallet, *, chain_id: int, host: str | None = None, options: RequestOptions | None = None
    ) -> types.Wallet:
        """Adds a wallet to the session's account. The wallet signs a message that names the account.

        Raises:
            UntrustedTextError: the message is not as expected; nothing is signed
        """
        return self._transport.run(link_wallet_flow(self._transport.core, wallet, chain_id, host, options))

    def buy(
        self,
        service: types.ListedService,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: Wallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        rail: types.SettlementRail = "x402",
        quantity: int | None = None,
        arbiter: str | None = None,
        key: str | None = None,
        on_agreed: OnAgreed | None = None,
    ) -> Purchase:
        """Buys a service: places the order, compares it with the request, pays it, and waits until the escrow holds the
        money. The same call, even after a crash, resumes the order until it has ended.

        Args:
            service: The service as a list or `services.get` returned it. Its price is the price that you accept.
            wallet: The wallet of the buyer's account, which pays, signs and gets refunds.
            market: The facts that you know without the service. With a node, the chain is read before a payment. A list
                has a market of each chain.
            max_amount: The most to pay in the order's token, such as `"3.00"`. A token of `pay_with` may have its own.
            pay_with: The tokens that you hold, the preferred one first: the first one that the service accepts pays. Name
                only tokens that you trust. Default: the service's first token, which has to be USDC of its chain.
            rail: `x402`: one signature without gas; or `escrow`: two calls of the wallet, which need a node and gas.
            quantity: The quantity. Default: the service's minimum. Of a metered service, the most units that are charged.
                Default: its maximum.
            arbiter: The arbiter of a dispute: one of the service's `arbiters`.
            key: A name of your choice for this purchase. The same name always means the same purchase.
            on_agreed: A callback before the payment. It gets the order, which matches the request, and its agreement, to
                store the order's id. If it raises, nothing is paid.

        Raises:
            UntrustedOrderError: with the first field that differs, before anything is signed
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
                pay_with,
                rail,
                quantity,
                arbiter,
                key,
                on_agreed,
            )
        )
        return Purchase(buying, self._transport)

    def buy_quote(
        self,
        quote: types.Quote,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: Wallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        rail: types.SettlementRail = "x402",
        arbiter: str | None = None,
    ) -> Purchase:
        """Buys by a quote on your request: accepts the quote and continues like `buy`, with the quoted price and
        delivery time. An accepted quote is resumed.

        Args:
            quote: The quote as `quotes.get` or a list returned it. Its price and time are those that you accept.

        Raises:
            UntrustedOrderError: with the first field that differs, before anything is signed
            PaymentFailedError: the payment was refused
            TransactionError: the chain refused a call of the wallet
        """
        buying = self._transport.run(
            buy_quote_flow(
                self._transport.core,
                quote,
                input_payload,
                wallet,
                market,
                max_amount,
                pay_with,
                rail,
                arbiter,
            )
        )
        return Purchase(buying, self._transport)

    def buy_without_account(
        self,
        service: types.ListedService,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: Wallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        quantity: int | None = None,
        arbiter: str | None = None,
        key: str | None = None,
        host: str | None = None,
        on_claim: Callable[[types.OrderClaim], None] | None = None,
    ) -> Purchase:
        """Buys a service without an account, by one signature of the wallet. The client needs no token. It compares the
        offered terms with the request, pays them once, and waits until the order is funded. The same call, even after a
        crash, continues the purchase until its order has ended. The purchase signs in by the wallet to accept or dispute.

        Args:
            service: The service as a list or `services.get` returned it. Its price is the price that you accept.
            wallet: The wallet that pays, signs and gets refunds.
            market: The facts that you know without the service, as for `buy`. Only with a node, an equal purchase is
                bought again after its order has ended.
            max_amount: The most to pay in the order's token, such as `"3.00"`. A token of `pay_with` may have its own.
            pay_with: The tokens that you hold, the preferred one first. Default: the first known token of which the
                wallet holds the amount.
            quantity: The quantity, as for `buy`. Of a metered service without a maximum, the default is the units that
                the maximum amount pays.
            arbiter: The arbiter of a dispute: one of the service's `arbiters`.
            key: A name of your choice for this purchase. The same name always means the same purchase.
            host: The host in the text of a sign-in, if the service is reached by another host.
            on_claim: A callback that gets the claim as soon as the order is paid, to store it.

        Raises:
            UntrustedOrderError: with the first field that differs, before that is signed
            PaymentFailedError: the payment was refused
            OrderEndedError: the order expired
        """
        buying = self._transport.run(
            buy_without_account_flow(
                self._transport.core,
                service,
                input_payload,
                wallet,
                market,
                max_amount,
                pay_with,
                quantity,
                arbiter,
                key,
                host,
                on_claim,
            )
        )
        return Purchase(buying, self._transport)

    def resume_without_account(
        self, claim: types.OrderClaim, *, wallet: Wallet, market: Markets, host: str | None = None
    ) -> Purchase:
        """Continues a purchase without an account by its claim. It never pays."""
        buying = self._transport.run(
            resume_without_account_flow(self._transport.core, claim, wallet, market, host)
        )
        return Purchase(buying, self._transport)

    def resume(
        self,
        order_id: str,
        *,
        wallet: Wallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        on_agreed: OnAgreed | None = None,
    ) -> Purchase:
        """Resumes an order of the buyer, after a crash or in another process. An unpaid order is paid.

        Raises:
            TypeError: the order is unpaid and `max_amount` is missing
        """
        buying = self._transport.run(
            resume_flow(self._transport.core, order_id, wallet, market, max_amount, pay_with, on_agreed)
        )
        return Purchase(buying, self._transport)

    def serve(
        self,
        agent: str,
        handlers: Mapping[str, Handler],
        *,
        wallet: Wallet | None = None,
        market: Markets | None = None,
        concurrency: int = 4,
        attempts: int = 3,
        stop: Stop | None = None,
        cursor: str | None = None,
        on_cursor: Callable[[str], None] | None = None,
        on_error: Callable[[Exception, str, HandlerContext | None], None] | None = None,
        on_delivered: Callable[[str], None] | None = None,
        poll: float = 2.0,
    ) -> None:
        """Runs a provider until it is stopped: starts the agent's funded orders, calls the handlers, delivers, and
        signs the delivery records. Orders of an earlier run are resumed first. Run one process for each agent.

        Args:
            agent: The agent's slug.
            handlers: The handler of each service, by slug. Each call runs in a thread of its own.
            wallet: The agent's payout wallet, which signs the delivery records. Without it, no delivery is recorded on
                the chain.
            market: With a node, the chain is checked for the money before any work.
            concurrency: The most orders in work at once.
            attempts: The most calls of a handler for one order in this run.
            stop: Stops the run once it is set: no order is started, and the current work is finished.
            cursor: The cursor of an earlier run, for an account with many events. Without it, no event is missed.
            on_cursor: A callback that gets the cursor to resume from.
            on_error: A callback for a handler's exception, a refused output, and any other error of an order. It gets
                the error, the order's id, and the handler's job if the handler was called. Default: the error is logged.
            on_delivered: A callback that gets the id of each delivered order.
            poll: The seconds between two polls of the feed without events.

        Raises:
            ApiError: a permanent error, such as a revoked key
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
        may_repeat: bool = True,
        options: RequestOptions | None = None,
    ) -> Any:
        """Sends a custom request, with the same authentication, retries and errors.

        Args:
            path: The escaped path below `/api/v1`.
        """
        return self._send(call_by_hand(verb, path, query, body, takes_key, may_repeat), options)

    def with_response(self, method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> WithResponse[T]:
        """Returns a method's result with the raw response: status, headers, text, attempts, request id.

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
