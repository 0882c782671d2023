from __future__ import annotations

from decimal import Decimal
from typing import Any, Awaitable, Callable, Mapping, TypeVar

import httpx2
from typing_extensions import ParamSpec, Self

from ._core.call import OMITTED, Omitted, RawResponse, RequestOptions, Verb, call_by_hand
from ._core.driver import AsyncDriver
from ._core.hooks import Hooks
from ._core.request import ClientOptions
from ._core.resource import AsyncTransport
from ._core.transport import Core, Token, WithResponse, captured, choose_token
from ._generated import types
from ._generated.api import AsyncApi
from .buying import AsyncPurchase, Markets, PayWith
from .buying.placing import OnAgreed, buy_flow, buy_quote_flow, resume_flow
from .buying.without_account import buy_without_account_flow, resume_without_account_flow
from .events import AsyncEvents
from .files import AsyncFiles
from .serving import Handler, HandlerContext, Stop
from .serving.serve import ServeOptions, serve_async
from .sign_in import link_wallet_flow, sign_in_flow, sign_out_flow
from .wallet import AnyWallet

P = ParamSpec("P")
T = TypeVar("T")


class AsyncEarnest(AsyncApi):
    """A client of an Earnest service, for asyncio and trio. Its arguments are those of `Earnest`.

    Cancelling the task cancels the call, even while it waits for a retry.

    Example:
        async with AsyncEarnest("http://localhost:42069", api_key=key) as earnest:
            async for order in earnest.orders.list(status="funded"):
                print(order["reference"], order["total_amount"])
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
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        options = ClientOptions(organisation, max_retries, max_wait, timeout, headers or {}, hooks or Hooks())
        core = Core(base_url, token=choose_token(api_key, access_token), options=options)
        super().__init__(AsyncTransport(core, AsyncDriver(http)))

    @property
    def events(self) -> AsyncEvents:
        return AsyncEvents(self._transport)

    @property
    def files(self) -> AsyncFiles:
        return AsyncFiles(self._transport)

    async def sign_in(
        self,
        wallet: AnyWallet,
        *,
        chain_id: int,
        host: str | None = None,
        options: RequestOptions | None = None,
    ) -> types.SignIn:
        """Signs in with a wallet, as `Earnest.sign_in` does."""
        return await self._transport.run(sign_in_flow(self._transport.core, wallet, chain_id, host, options))

    async def sign_out(self, *, options: RequestOptions | None = None) -> types.SignOut:
        """Ends the session. The client then sends no token."""
        return await self._transport.run(sign_out_flow(self._transport.core, options))

    async def link_wallet(
        self,
        wallet: AnyWallet,
        *,
        chain_id: int,
        host: str | None = None,
        options: RequestOptions | None = None,
    ) -> types.Wallet:
        """Adds a wallet to the session's account, as `Earnest.link_wallet` does."""
        return await self._transport.run(
            link_wallet_flow(self._transport.core, wallet, chain_id, host, options)
        )

    async def buy(
        self,
        service: types.ListedService,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: AnyWallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        rail: types.SettlementRail = "x402",
        quantity: int | None = None,
        arbiter: str | None = None,
        key: str | None = None,
        on_agreed: OnAgreed | None = None,
    ) -> AsyncPurchase:
        """Buys a service, as `Earnest.buy` does."""
        buying = await self._transport.run(
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
        return AsyncPurchase(buying, self._transport)

    async def buy_quote(
        self,
        quote: types.Quote,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: AnyWallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        rail: types.SettlementRail = "x402",
        arbiter: str | None = None,
    ) -> AsyncPurchase:
        """Buys by a quote, as `Earnest.buy_quote` does."""
        buying = await self._transport.run(
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
        return AsyncPurchase(buying, self._transport)

    async def buy_without_account(
        self,
        service: types.ListedService,
        input_payload: Mapping[str, Any] | None,
        *,
        wallet: AnyWallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        quantity: int | None = None,
        arbiter: str | None = None,
        key: str | None = None,
        host: str | None = None,
        on_claim: Callable[[types.OrderClaim], None] | None = None,
    ) -> AsyncPurchase:
        """Buys a service without an account, as `Earnest.buy_without_account` does."""
        buying = await self._transport.run(
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
        return AsyncPurchase(buying, self._transport)

    async def resume_without_account(
        self, claim: types.OrderClaim, *, wallet: AnyWallet, market: Markets, host: str | None = None
    ) -> AsyncPurchase:
        """Continues a purchase without an account by its claim. It never pays."""
        buying = await self._transport.run(
            resume_without_account_flow(self._transport.core, claim, wallet, market, host)
        )
        return AsyncPurchase(buying, self._transport)

    async def resume(
        self,
        order_id: str,
        *,
        wallet: AnyWallet,
        market: Markets,
        max_amount: str | Decimal | None = None,
        pay_with: PayWith = None,
        on_agreed: OnAgreed | None = None,
    ) -> AsyncPurchase:
        """Resumes an order, as `Earnest.resume` does."""
        buying = await self._transport.run(
            resume_flow(self._transport.core, order_id, wallet, market, max_amount, pay_with, on_agreed)
        )
        return AsyncPurchase(buying, self._transport)

    async def serve(
        self,
        agent: str,
        handlers: Mapping[str, Handler],
        *,
        wallet: AnyWallet | None = None,
        market: Markets | None = None,
        concurrency: int = 4,
        attempts: int = 3,
        stop: Stop | None = None,
        cursor: str | None = None,
        on_cursor: Callable[[str], Awaitable[None] | None] | None = None,
        on_error: Callable[[Exception, str, HandlerContext | None], None] | None = None,
        on_delivered: Callable[[str], None] | None = None,
        poll: float = 2.0,
    ) -> None:
        """Runs a provider, as `Earnest.serve` does. An async handler is cancelled at its order's deadline. A blocking
        handler blocks all work. Set `stop` to finish the current work; cancelling the task cancels it.
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
        await serve_async(self._transport, agent, handlers, options)

    async def request(
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
        """Sends a custom request, as `Earnest.request` does."""
        return await self._send(call_by_hand(verb, path, query, body, takes_key, may_repeat), options)

    async def with_response(
        self, method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> WithResponse[T]:
        """Returns a method's result with the raw response, as `Earnest.with_response` does."""
        responses: list[RawResponse] = []
        token = captured.set(responses)
        try:
            return WithResponse(await method(*args, **kwargs), responses[-1])
        finally:
            captured.reset(token)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
