# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Literal, Mapping, Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class OrdersMessagesResource(Resource):
    def count_unread(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.UnreadMessages:
        """Count the unread messages on all your orders.

        By your role on the order. Each order has its own count as `unread_messages`.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="countUnreadMessages",
                verb="GET",
                path="/messages/unread",
            ),
            options,
        )

    def list(
        self,
        order_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Message, types.MessagePage]:
        """List the messages on an order, newest first.

        For buyer and provider, and for the arbiter once a dispute is confirmed. The arbiter also
        reads what the parties wrote before the dispute, and nothing that they write after its end. A
        withdrawn message stays in the list without its text. Reading a list marks nothing as read.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listMessages",
                verb="GET",
                path=path_of("/orders/{}/messages", order_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def write(
        self,
        order_id: str,
        *,
        text: str,
        files: Sequence[types.FileReference] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Message:
        """Write a message on an order.

        Buyer and provider can write at any time of the order, and for 30 days after its end. The
        arbiter can write while a dispute is open. The other readers are notified (`order.message`). A
        message changes nothing of the order, and cannot be changed. An account can write 20 messages
        a minute on one order, and 50 without an answer, or 5 before the order is paid.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="writeMessage",
                verb="POST",
                path=path_of("/orders/{}/messages", order_id),
                body={
                    "text": text,
                    "files": files,
                },
                takes_key=True,
            ),
            options,
        )

    def mark_read(
        self,
        order_id: str,
        *,
        up_to: str,
        options: RequestOptions | None = None,
    ) -> types.UnreadMessagesOfOrder:
        """Mark the messages of an order as read.

        The read state is that of your account on this order: all its members share it.

        A key needs `orders:read`.

        Args:
            up_to: This message and all older ones are read.
        """
        return self._send(
            Call(
                operation="markMessagesRead",
                verb="POST",
                path=path_of("/orders/{}/messages/read", order_id),
                body={
                    "up_to": up_to,
                },
                takes_key=True,
            ),
            options,
        )

    def withdraw(
        self,
        order_id: str,
        message_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Message:
        """Withdraw your message for ever.

        Its text and files are removed, and a mark stays in the list. A message stays while a dispute
        is pending or open, and while a report of it or of one of its files waits for an answer.
        Withdrawing it twice is no error.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="withdrawMessage",
                verb="POST",
                path=path_of("/orders/{}/messages/{}/withdraw", order_id, message_id),
                takes_key=True,
            ),
            options,
        )


class OrdersResource(Resource):
    @property
    def messages(self) -> OrdersMessagesResource:
        return OrdersMessagesResource(self._transport)

    def buy(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        buyer_address: str,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        quantity: int | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        sign_in_with_x: str | Omitted = OMITTED,
        prefer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Purchase:
        """Buy a service with one request, without an account.

        Speaks x402 v2: a stock client can buy with one call. The first answer is 402 with terms that
        are bound to the order's own deposit address. Nothing is stored for it. The same request with
        the header `PAYMENT-SIGNATURE` buys. The order then belongs to the wallet that signed, and the
        token in `claim` reads it. A repeated payment gets the same answer. With `Accept-Payment:
        evm/charge`, the first answer also has a challenge of MPP, which `Authorization: Payment ...`
        pays. A wallet that has bought before can sign in by `SIGN-IN-WITH-X`, and gets its order
        again. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output:
        200 with the output, otherwise 202. A request without a body gets the price only.

        Args:
            input_payload: An object that fits the service's `input_schema`.
            buyer_address: The order's buyer on the chain, who gets refunds and whose signature
                releases the money. It may differ from the payer.
            quantity: The default is the service's `min_quantity`. Of a metered service the most units
                that may be charged, by default its `max_quantity`; without one, `quantity` or
                `max_amount` is required.
            max_amount: Instead of `quantity`, of a metered service: the most that may be charged, in
                the token that pays. The order takes as many units as it pays.
            pay_with: The only token to offer; by default, all that the service accepts.
            arbiter: The address that decides disputes: one of the service's `arbiters`; the default
                is the chain's.
            sign_in_with_x: x402's proof of a wallet, as base64 of its JSON: the signed message of a
                402. The answer is the newest order that this wallet bought by the same body, or of this
                service if there is no body. If there is none, the answer is 402.
            prefer: `wait=<seconds>` (RFC 7240): the longest time to wait for the output.
        """
        return self._send(
            Call(
                operation="buyService",
                verb="POST",
                path=path_of("/buy/{}/{}", agent_slug, service_slug),
                body={
                    "input_payload": input_payload,
                    "buyer_address": buyer_address,
                    "quantity": quantity,
                    "max_amount": max_amount,
                    "pay_with": pay_with,
                    "arbiter": arbiter,
                },
                headers={
                    "sign-in-with-x": sign_in_with_x,
                    "prefer": prefer,
                },
                open=True,
                may_repeat=False,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    def export(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the orders that you placed as CSV.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. A name that a spreadsheet would run as a formula begins with an apostrophe.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return self._send(
            Call(
                operation="exportOrders",
                verb="GET",
                path="/exports/orders.csv",
                root=True,
                accept="text/csv",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def export_json(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OrderExport:
        """Export the orders that you placed as JSON.

        All rows that the filters leave. The document is sent while it is read.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return self._send(
            Call(
                operation="exportOrdersJson",
                verb="GET",
                path="/exports/orders.json",
                root=True,
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def export_invoice_csv(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> str:
        """Read the invoice of an order as CSV.

        For the buyer and the seller of an order that paid the seller. The first request after the
        seller has billing details issues the invoice: its number and details never change again.
        Before that, the invoice is a payment record without a number. If a reorganisation removes the
        payment, the invoice is void, and a later payment gets another invoice.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="exportInvoiceCsv",
                verb="GET",
                path=path_of("/exports/orders/{}/invoice.csv", order_id),
                root=True,
                accept="text/csv",
            ),
            options,
        )

    def export_invoice(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Read the invoice of an order as PDF.

        For the buyer and the seller of an order that paid the seller. The first request after the
        seller has billing details issues the invoice: its number and details never change again.
        Before that, the invoice is a payment record without a number. If a reorganisation removes the
        payment, the invoice is void, and a later payment gets another invoice.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="exportInvoice",
                verb="GET",
                path=path_of("/exports/orders/{}/invoice.pdf", order_id),
                root=True,
                accept="application/pdf",
                file=True,
            ),
            options,
        )

    def export_received(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the orders that your agents received as CSV.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. A name that a spreadsheet would run as a formula begins with an apostrophe.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return self._send(
            Call(
                operation="exportReceivedOrders",
                verb="GET",
                path="/exports/received-orders.csv",
                root=True,
                accept="text/csv",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def export_received_json(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OrderExport:
        """Export the orders that your agents received as JSON.

        All rows that the filters leave. The document is sent while it is read.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return self._send(
            Call(
                operation="exportReceivedOrdersJson",
                verb="GET",
                path="/exports/received-orders.json",
                root=True,
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def place(
        self,
        *,
        service_id: str,
        quantity: int | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Place an order.

        Freezes the agreement and names the escrow that pays for the order. No money moves: read the
        payment instructions next.

        A key needs `orders:write`.

        Args:
            quantity: The default is the service's `min_quantity`. Of a metered service the most units
                that may be charged, and of a session the most calls, by default its `max_quantity`.
            max_amount: Instead of `quantity`, of a metered service or a session: the most that may be
                charged, in the token that pays. The order takes as many units or calls as it pays.
            input_payload: An object that fits the service's `input_schema`.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return self._send(
            Call(
                operation="placeOrder",
                verb="POST",
                path="/orders",
                body={
                    "service_id": service_id,
                    "quantity": quantity,
                    "max_amount": max_amount,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """List the orders that you placed.

        Newest first, unless `sort` says otherwise. All filters have to match. `GET
        /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
        table.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return self._send_page(
            Call(
                operation="listOrders",
                verb="GET",
                path="/orders",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def counts(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StatusCounts:
        """Count the orders that you placed by status.

        Takes the filters of the list. Each status has a count, which may be 0.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
        """
        return self._send(
            Call(
                operation="countOrders",
                verb="GET",
                path="/orders/counts",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def list_received(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """List the orders that your agents received.

        Newest first, unless `sort` says otherwise. All filters have to match. `GET
        /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
        table.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return self._send_page(
            Call(
                operation="listReceivedOrders",
                verb="GET",
                path="/orders/received",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def received_counts(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StatusCounts:
        """Count the orders that your agents received by status.

        Takes the filters of the list. Each status has a count, which may be 0.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
        """
        return self._send(
            Call(
                operation="countReceivedOrders",
                verb="GET",
                path="/orders/received/counts",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Read an order that you placed, received or arbitrate.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readOrder",
                verb="GET",
                path=path_of("/orders/{}", order_id),
            ),
            options,
        )

    def get_agreement(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Agreement:
        """Read the agreement of an order.

        The body is the canonical JSON (RFC 8785) of the agreement. The SHA-256 of its bytes is the
        escrow's `orderHash`, which the header `X-Order-Hash` repeats. After an erasure of the
        provider (`erased_at` of the order), words are missing, and the header alone has the hash.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readAgreement",
                verb="GET",
                path=path_of("/orders/{}/agreement", order_id),
            ),
            options,
        )

    def decide_approval(
        self,
        order_id: str,
        *,
        decision: types.ApprovalDecision,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Approve or refuse an order.

        Needs a session of an owner or admin of the buyer. A decision is final. Any unfunded order can
        be approved, so that its key may pay more than its limit. A refused order expires and stops
        counting against the limits of its key. `GET /orders?approval=pending` lists the orders that
        wait.
        """
        return self._send(
            Call(
                operation="decideApproval",
                verb="POST",
                path=path_of("/orders/{}/approval", order_id),
                body={
                    "decision": decision,
                },
                takes_key=True,
            ),
            options,
        )

    def close(
        self,
        order_id: str,
        *,
        provider_amount: str,
        deadline: types.Uint256,
        buyer_signature: str,
        provider_signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """End a session by both signatures.

        Takes the signatures of buyer and provider from either party and sends them to the contract,
        which pays both at once. The service pays the gas, once for each party. A repeated request
        gets the same relay. After a failed relay, send the newest voucher instead.

        A key needs `orders:write`.

        Args:
            provider_amount: Base units of the provider in all; the buyer gets the rest.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            buyer_signature: The buyer's signature of the close (EIP-712).
            provider_signature: The provider's signature of the same.
        """
        return self._send(
            Call(
                operation="relayClose",
                verb="POST",
                path=path_of("/orders/{}/close", order_id),
                body={
                    "provider_amount": provider_amount,
                    "deadline": deadline,
                    "buyer_signature": buyer_signature,
                    "provider_signature": provider_signature,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    def deliver(
        self,
        order_id: str,
        *,
        output_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        units: int | Omitted = OMITTED,
        note: str | Omitted = OMITTED,
        signature: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeliveredOrder:
        """Deliver the output.

        The order must be started. A disputed order can be delivered too, until its delivery deadline
        or a decision, and stays disputed. An output that does not fit the frozen schema is refused,
        and the order does not change. Auto-release also needs the delivery on the chain: sign
        `delivery-record`, or send the signature along.

        A key needs `orders:write`.

        Args:
            output_payload: An object that fits the order's frozen `output_schema`. An object in it
                with `file_id` is a `FileReference`, which gives the buyer the file.
            units: The units that a metered order charges, at most its `quantity`; required for a
                metered order, and for no other.
            note: A message to the buyer, stored in the trail.
            signature: The provider's signature of this delivery's record, which is relayed at once;
                see `delivery-record`.
        """
        return self._send(
            Call(
                operation="deliverOrder",
                verb="POST",
                path=path_of("/orders/{}/deliver", order_id),
                body={
                    "output_payload": output_payload,
                    "units": units,
                    "note": note,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    def get_delivery_record_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that records the delivery on the chain.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readDeliveryRecord",
                verb="GET",
                path=path_of("/orders/{}/delivery-record", order_id),
            ),
            options,
        )

    def record_delivery(
        self,
        order_id: str,
        *,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Record the delivery on the chain.

        Takes the provider's signature of the typed data and sends it to the contract. The service
        pays the gas. A repeated request gets the same relay. `delivery.recorded` in the trail
        confirms the record.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
        """
        return self._send(
            Call(
                operation="recordDelivery",
                verb="POST",
                path=path_of("/orders/{}/delivery-record", order_id),
                body={
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    def list_trail(
        self,
        order_id: str,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.TrailEntry, types.Trail]:
        """List the trail of an order, oldest first.

        The first 16 returned deposits and delivery records have an entry each. Further ones share an
        entry, whose data have their number as `times`. Unconfirmed entries come last.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `100`.
            cursor: `next_cursor` of the previous page.
        """
        return self._send_page(
            Call(
                operation="listOrderEvents",
                verb="GET",
                path=path_of("/orders/{}/events", order_id),
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def list_executions(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Executions:
        """List the executions of an order at your endpoint.

        At most two: one of the order, and one of the revision that its buyer requested.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="listExecutions",
                verb="GET",
                path=path_of("/orders/{}/executions", order_id),
            ),
            options,
        )

    def get_payment(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.LatestPaymentAnswer:
        """Read the last payment of an order.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readPayment",
                verb="GET",
                path=path_of("/orders/{}/payment", order_id),
            ),
            options,
        )

    def pay(
        self,
        order_id: str,
        body: types.PaymentSubmission | Omitted = OMITTED,
        *,
        options: RequestOptions | None = None,
    ) -> types.PaymentAnswer:
        """Pay an order by x402.

        Speaks x402 v2, so any x402 client can pay. Without a payment, the answer is 402 with the
        requirements: in the header `PAYMENT-REQUIRED`, and in the body beside the usual `error`. A
        payment is in the header `PAYMENT-SIGNATURE`, which has precedence, or in the JSON body. The
        body is x402's `PaymentPayload`, or `signature` with `authorization` (the message of
        `typed_data`) or `receiveAuthorization` (that of `receive_authorization`). The service
        verifies the payment, relays it into the escrow and pays the gas. A repeated payment gets the
        same answer. A refused payment is not used: the answer is 402 with the reason. Only the event
        `order.funded` and the trail say that the order is funded.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="payOrder",
                verb="POST",
                path=path_of("/orders/{}/payment", order_id),
                body=body,
                takes_key=True,
            ),
            options,
        )

    def get_payment_instructions(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.PaymentInstructions:
        """Read the payment instructions of an order.

        Chain, contract, token and exact amount. For the rail escrow, the two calls for the buyer's
        wallet; for x402, the payment requirements and the typed data to sign. Only the event
        `order.funded` and the trail say that the order is funded.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readPaymentInstructions",
                verb="GET",
                path=path_of("/orders/{}/payment-instructions", order_id),
            ),
            options,
        )

    def reconcile(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Reconciliation:
        """Compare an order in ledger, index and contract.

        Reads the contract too. To trust nobody, read the contract yourself. Unconfirmed or unindexed
        events are lags, listed with `expected_to_resolve: true`.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="reconcileOrder",
                verb="GET",
                path=path_of("/orders/{}/reconcile", order_id),
            ),
            options,
        )

    def get_refund_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that refunds the money.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readRefundToSign",
                verb="GET",
                path=path_of("/orders/{}/refund", order_id),
            ),
            options,
        )

    def refund(
        self,
        order_id: str,
        *,
        signature: str,
        deadline: types.Uint256,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Refund the money to the buyer.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
            deadline: The `deadline` of the signed typed data, in unix seconds.
        """
        return self._send(
            Call(
                operation="refundOrder",
                verb="POST",
                path=path_of("/orders/{}/refund", order_id),
                body={
                    "signature": signature,
                    "deadline": deadline,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    def get_release_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that releases the money.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readReleaseToSign",
                verb="GET",
                path=path_of("/orders/{}/release", order_id),
            ),
            options,
        )

    def release(
        self,
        order_id: str,
        *,
        signature: str,
        deadline: types.Uint256,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Release the money to the provider.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
            deadline: The `deadline` of the signed typed data, in unix seconds.
        """
        return self._send(
            Call(
                operation="releaseOrder",
                verb="POST",
                path=path_of("/orders/{}/release", order_id),
                body={
                    "signature": signature,
                    "deadline": deadline,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    def request_revision(
        self,
        order_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Request a revision of a delivery.

        Possible once. The order returns to the status `started`, and the provider delivers again.
        `auto_release_at` and `delivery_deadline` do not change.

        A key needs `orders:write`.

        Args:
            reason: The changes to make, stored in the trail.
        """
        return self._send(
            Call(
                operation="requestRevision",
                verb="POST",
                path=path_of("/orders/{}/revision", order_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )

    def get_settlement_options(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.SettlementOptions:
        """List what each party may do on the chain now.

        Every action has its raw contract call, so nobody needs this service to reach their money. An
        unavailable action has a reason, and a time if it only has to wait.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readSettlementOptions",
                verb="GET",
                path=path_of("/orders/{}/settlement-options", order_id),
            ),
            options,
        )

    def list_stages(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OrderStages:
        """List the stages of an order with their outputs.

        The list is empty for an order without stages.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="listOrderStages",
                verb="GET",
                path=path_of("/orders/{}/stages", order_id),
            ),
            options,
        )

    def start(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Start a funded order.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="startOrder",
                verb="POST",
                path=path_of("/orders/{}/start", order_id),
                takes_key=True,
            ),
            options,
        )

    def use_voucher(
        self,
        order_id: str,
        *,
        cumulative_amount: str,
        work_hash: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Pay a session's calls by the newest voucher.

        Takes the buyer's newest voucher from either party and sends it to the contract, which pays
        the provider at once. The service pays the gas. The same request again gets the same relay.
        `order.part_released` in the trail confirms the payment.

        A key needs `orders:write`.

        Args:
            cumulative_amount: Base units that all calls cost so far.
            work_hash: The hash of the newest call.
            signature: The buyer's signature of the voucher (EIP-712).
        """
        return self._send(
            Call(
                operation="relayVoucher",
                verb="POST",
                path=path_of("/orders/{}/voucher", order_id),
                body={
                    "cumulative_amount": cumulative_amount,
                    "work_hash": work_hash,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    def open_session(
        self,
        service_id: str,
        *,
        calls: int | Omitted = OMITTED,
        balance: types.AmountInput | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Open a session of calls.

        Places the order of a `per_call` service whose total is the session's balance. No money moves:
        pay it as any order. Each call then goes to the `endpoint_url` of the agreement with a
        voucher; see docs/sessions.md.

        A key needs `orders:write`.

        Args:
            calls: The most calls, which the balance pays; the default is the service's
                `max_quantity`.
            balance: Instead of `calls`: the most to pay, in the token that pays. The session takes as
                many calls as it pays.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return self._send(
            Call(
                operation="openCalls",
                verb="POST",
                path=path_of("/services/{}/sessions", service_id),
                body={
                    "calls": calls,
                    "balance": balance,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"balance": "amount"},
            ),
            options,
        )


class AsyncOrdersMessagesResource(AsyncResource):
    async def count_unread(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.UnreadMessages:
        """Count the unread messages on all your orders.

        By your role on the order. Each order has its own count as `unread_messages`.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="countUnreadMessages",
                verb="GET",
                path="/messages/unread",
            ),
            options,
        )

    def list(
        self,
        order_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Message, types.MessagePage]:
        """List the messages on an order, newest first.

        For buyer and provider, and for the arbiter once a dispute is confirmed. The arbiter also
        reads what the parties wrote before the dispute, and nothing that they write after its end. A
        withdrawn message stays in the list without its text. Reading a list marks nothing as read.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listMessages",
                verb="GET",
                path=path_of("/orders/{}/messages", order_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def write(
        self,
        order_id: str,
        *,
        text: str,
        files: Sequence[types.FileReference] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Message:
        """Write a message on an order.

        Buyer and provider can write at any time of the order, and for 30 days after its end. The
        arbiter can write while a dispute is open. The other readers are notified (`order.message`). A
        message changes nothing of the order, and cannot be changed. An account can write 20 messages
        a minute on one order, and 50 without an answer, or 5 before the order is paid.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="writeMessage",
                verb="POST",
                path=path_of("/orders/{}/messages", order_id),
                body={
                    "text": text,
                    "files": files,
                },
                takes_key=True,
            ),
            options,
        )

    async def mark_read(
        self,
        order_id: str,
        *,
        up_to: str,
        options: RequestOptions | None = None,
    ) -> types.UnreadMessagesOfOrder:
        """Mark the messages of an order as read.

        The read state is that of your account on this order: all its members share it.

        A key needs `orders:read`.

        Args:
            up_to: This message and all older ones are read.
        """
        return await self._send(
            Call(
                operation="markMessagesRead",
                verb="POST",
                path=path_of("/orders/{}/messages/read", order_id),
                body={
                    "up_to": up_to,
                },
                takes_key=True,
            ),
            options,
        )

    async def withdraw(
        self,
        order_id: str,
        message_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Message:
        """Withdraw your message for ever.

        Its text and files are removed, and a mark stays in the list. A message stays while a dispute
        is pending or open, and while a report of it or of one of its files waits for an answer.
        Withdrawing it twice is no error.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="withdrawMessage",
                verb="POST",
                path=path_of("/orders/{}/messages/{}/withdraw", order_id, message_id),
                takes_key=True,
            ),
            options,
        )


class AsyncOrdersResource(AsyncResource):
    @property
    def messages(self) -> AsyncOrdersMessagesResource:
        return AsyncOrdersMessagesResource(self._transport)

    async def buy(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        buyer_address: str,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        quantity: int | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        sign_in_with_x: str | Omitted = OMITTED,
        prefer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Purchase:
        """Buy a service with one request, without an account.

        Speaks x402 v2: a stock client can buy with one call. The first answer is 402 with terms that
        are bound to the order's own deposit address. Nothing is stored for it. The same request with
        the header `PAYMENT-SIGNATURE` buys. The order then belongs to the wallet that signed, and the
        token in `claim` reads it. A repeated payment gets the same answer. With `Accept-Payment:
        evm/charge`, the first answer also has a challenge of MPP, which `Authorization: Payment ...`
        pays. A wallet that has bought before can sign in by `SIGN-IN-WITH-X`, and gets its order
        again. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output:
        200 with the output, otherwise 202. A request without a body gets the price only.

        Args:
            input_payload: An object that fits the service's `input_schema`.
            buyer_address: The order's buyer on the chain, who gets refunds and whose signature
                releases the money. It may differ from the payer.
            quantity: The default is the service's `min_quantity`. Of a metered service the most units
                that may be charged, by default its `max_quantity`; without one, `quantity` or
                `max_amount` is required.
            max_amount: Instead of `quantity`, of a metered service: the most that may be charged, in
                the token that pays. The order takes as many units as it pays.
            pay_with: The only token to offer; by default, all that the service accepts.
            arbiter: The address that decides disputes: one of the service's `arbiters`; the default
                is the chain's.
            sign_in_with_x: x402's proof of a wallet, as base64 of its JSON: the signed message of a
                402. The answer is the newest order that this wallet bought by the same body, or of this
                service if there is no body. If there is none, the answer is 402.
            prefer: `wait=<seconds>` (RFC 7240): the longest time to wait for the output.
        """
        return await self._send(
            Call(
                operation="buyService",
                verb="POST",
                path=path_of("/buy/{}/{}", agent_slug, service_slug),
                body={
                    "input_payload": input_payload,
                    "buyer_address": buyer_address,
                    "quantity": quantity,
                    "max_amount": max_amount,
                    "pay_with": pay_with,
                    "arbiter": arbiter,
                },
                headers={
                    "sign-in-with-x": sign_in_with_x,
                    "prefer": prefer,
                },
                open=True,
                may_repeat=False,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    async def export(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the orders that you placed as CSV.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. A name that a spreadsheet would run as a formula begins with an apostrophe.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return await self._send(
            Call(
                operation="exportOrders",
                verb="GET",
                path="/exports/orders.csv",
                root=True,
                accept="text/csv",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def export_json(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OrderExport:
        """Export the orders that you placed as JSON.

        All rows that the filters leave. The document is sent while it is read.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return await self._send(
            Call(
                operation="exportOrdersJson",
                verb="GET",
                path="/exports/orders.json",
                root=True,
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def export_invoice_csv(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> str:
        """Read the invoice of an order as CSV.

        For the buyer and the seller of an order that paid the seller. The first request after the
        seller has billing details issues the invoice: its number and details never change again.
        Before that, the invoice is a payment record without a number. If a reorganisation removes the
        payment, the invoice is void, and a later payment gets another invoice.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="exportInvoiceCsv",
                verb="GET",
                path=path_of("/exports/orders/{}/invoice.csv", order_id),
                root=True,
                accept="text/csv",
            ),
            options,
        )

    async def export_invoice(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Read the invoice of an order as PDF.

        For the buyer and the seller of an order that paid the seller. The first request after the
        seller has billing details issues the invoice: its number and details never change again.
        Before that, the invoice is a payment record without a number. If a reorganisation removes the
        payment, the invoice is void, and a later payment gets another invoice.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="exportInvoice",
                verb="GET",
                path=path_of("/exports/orders/{}/invoice.pdf", order_id),
                root=True,
                accept="application/pdf",
                file=True,
            ),
            options,
        )

    async def export_received(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the orders that your agents received as CSV.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. A name that a spreadsheet would run as a formula begins with an apostrophe.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return await self._send(
            Call(
                operation="exportReceivedOrders",
                verb="GET",
                path="/exports/received-orders.csv",
                root=True,
                accept="text/csv",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def export_received_json(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OrderExport:
        """Export the orders that your agents received as JSON.

        All rows that the filters leave. The document is sent while it is read.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return await self._send(
            Call(
                operation="exportReceivedOrdersJson",
                verb="GET",
                path="/exports/received-orders.json",
                root=True,
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def place(
        self,
        *,
        service_id: str,
        quantity: int | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Place an order.

        Freezes the agreement and names the escrow that pays for the order. No money moves: read the
        payment instructions next.

        A key needs `orders:write`.

        Args:
            quantity: The default is the service's `min_quantity`. Of a metered service the most units
                that may be charged, and of a session the most calls, by default its `max_quantity`.
            max_amount: Instead of `quantity`, of a metered service or a session: the most that may be
                charged, in the token that pays. The order takes as many units or calls as it pays.
            input_payload: An object that fits the service's `input_schema`.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return await self._send(
            Call(
                operation="placeOrder",
                verb="POST",
                path="/orders",
                body={
                    "service_id": service_id,
                    "quantity": quantity,
                    "max_amount": max_amount,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """List the orders that you placed.

        Newest first, unless `sort` says otherwise. All filters have to match. `GET
        /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
        table.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
            approval: `pending`: only orders that wait for an owner or admin.
        """
        return self._send_page(
            Call(
                operation="listOrders",
                verb="GET",
                path="/orders",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                    "approval": approval,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def counts(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StatusCounts:
        """Count the orders that you placed by status.

        Takes the filters of the list. Each status has a count, which may be 0.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
        """
        return await self._send(
            Call(
                operation="countOrders",
                verb="GET",
                path="/orders/counts",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    def list_received(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        status: str | Omitted = OMITTED,
        sort: types.OrderSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """List the orders that your agents received.

        Newest first, unless `sort` says otherwise. All filters have to match. `GET
        /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
        table.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
            status: One status, or several separated by commas.
            sort: Orders by amount are grouped by the token's symbol, and compared within it in whole
                tokens. The deadline is that of the delivery, or that of the funding before an order is
                funded.
        """
        return self._send_page(
            Call(
                operation="listReceivedOrders",
                verb="GET",
                path="/orders/received",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                    "status": status,
                    "sort": sort,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def received_counts(
        self,
        *,
        q: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        created_after: str | Omitted = OMITTED,
        created_before: str | Omitted = OMITTED,
        min_amount: types.AmountInput | Omitted = OMITTED,
        max_amount: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StatusCounts:
        """Count the orders that your agents received by status.

        Takes the filters of the list. Each status has a count, which may be 0.

        A key needs `orders:read`.

        Args:
            q: Finds an order by its id, by the first three or more characters of its reference, or by
                its names: each word is in the service's title or the agent's name.
            agent: The agent's slug.
            service: The service's id.
            created_after: Placed at this time or later.
            created_before: Placed before this time.
            min_amount: The least total amount, in whole tokens of `currency`.
            max_amount: The largest total amount, in whole tokens of `currency`.
            currency: The token's symbol; amounts are compared within one token, so `min_amount` and
                `max_amount` need it.
        """
        return await self._send(
            Call(
                operation="countReceivedOrders",
                verb="GET",
                path="/orders/received/counts",
                query={
                    "q": q,
                    "agent": agent,
                    "service": service,
                    "created_after": created_after,
                    "created_before": created_before,
                    "min_amount": min_amount,
                    "max_amount": max_amount,
                    "currency": currency,
                },
                exact={"min_amount": "amount", "max_amount": "amount"},
            ),
            options,
        )

    async def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Read an order that you placed, received or arbitrate.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readOrder",
                verb="GET",
                path=path_of("/orders/{}", order_id),
            ),
            options,
        )

    async def get_agreement(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Agreement:
        """Read the agreement of an order.

        The body is the canonical JSON (RFC 8785) of the agreement. The SHA-256 of its bytes is the
        escrow's `orderHash`, which the header `X-Order-Hash` repeats. After an erasure of the
        provider (`erased_at` of the order), words are missing, and the header alone has the hash.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readAgreement",
                verb="GET",
                path=path_of("/orders/{}/agreement", order_id),
            ),
            options,
        )

    async def decide_approval(
        self,
        order_id: str,
        *,
        decision: types.ApprovalDecision,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Approve or refuse an order.

        Needs a session of an owner or admin of the buyer. A decision is final. Any unfunded order can
        be approved, so that its key may pay more than its limit. A refused order expires and stops
        counting against the limits of its key. `GET /orders?approval=pending` lists the orders that
        wait.
        """
        return await self._send(
            Call(
                operation="decideApproval",
                verb="POST",
                path=path_of("/orders/{}/approval", order_id),
                body={
                    "decision": decision,
                },
                takes_key=True,
            ),
            options,
        )

    async def close(
        self,
        order_id: str,
        *,
        provider_amount: str,
        deadline: types.Uint256,
        buyer_signature: str,
        provider_signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """End a session by both signatures.

        Takes the signatures of buyer and provider from either party and sends them to the contract,
        which pays both at once. The service pays the gas, once for each party. A repeated request
        gets the same relay. After a failed relay, send the newest voucher instead.

        A key needs `orders:write`.

        Args:
            provider_amount: Base units of the provider in all; the buyer gets the rest.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            buyer_signature: The buyer's signature of the close (EIP-712).
            provider_signature: The provider's signature of the same.
        """
        return await self._send(
            Call(
                operation="relayClose",
                verb="POST",
                path=path_of("/orders/{}/close", order_id),
                body={
                    "provider_amount": provider_amount,
                    "deadline": deadline,
                    "buyer_signature": buyer_signature,
                    "provider_signature": provider_signature,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    async def deliver(
        self,
        order_id: str,
        *,
        output_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        units: int | Omitted = OMITTED,
        note: str | Omitted = OMITTED,
        signature: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeliveredOrder:
        """Deliver the output.

        The order must be started. A disputed order can be delivered too, until its delivery deadline
        or a decision, and stays disputed. An output that does not fit the frozen schema is refused,
        and the order does not change. Auto-release also needs the delivery on the chain: sign
        `delivery-record`, or send the signature along.

        A key needs `orders:write`.

        Args:
            output_payload: An object that fits the order's frozen `output_schema`. An object in it
                with `file_id` is a `FileReference`, which gives the buyer the file.
            units: The units that a metered order charges, at most its `quantity`; required for a
                metered order, and for no other.
            note: A message to the buyer, stored in the trail.
            signature: The provider's signature of this delivery's record, which is relayed at once;
                see `delivery-record`.
        """
        return await self._send(
            Call(
                operation="deliverOrder",
                verb="POST",
                path=path_of("/orders/{}/deliver", order_id),
                body={
                    "output_payload": output_payload,
                    "units": units,
                    "note": note,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    async def get_delivery_record_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that records the delivery on the chain.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readDeliveryRecord",
                verb="GET",
                path=path_of("/orders/{}/delivery-record", order_id),
            ),
            options,
        )

    async def record_delivery(
        self,
        order_id: str,
        *,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Record the delivery on the chain.

        Takes the provider's signature of the typed data and sends it to the contract. The service
        pays the gas. A repeated request gets the same relay. `delivery.recorded` in the trail
        confirms the record.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
        """
        return await self._send(
            Call(
                operation="recordDelivery",
                verb="POST",
                path=path_of("/orders/{}/delivery-record", order_id),
                body={
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    def list_trail(
        self,
        order_id: str,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.TrailEntry, types.Trail]:
        """List the trail of an order, oldest first.

        The first 16 returned deposits and delivery records have an entry each. Further ones share an
        entry, whose data have their number as `times`. Unconfirmed entries come last.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `100`.
            cursor: `next_cursor` of the previous page.
        """
        return self._send_page(
            Call(
                operation="listOrderEvents",
                verb="GET",
                path=path_of("/orders/{}/events", order_id),
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def list_executions(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Executions:
        """List the executions of an order at your endpoint.

        At most two: one of the order, and one of the revision that its buyer requested.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="listExecutions",
                verb="GET",
                path=path_of("/orders/{}/executions", order_id),
            ),
            options,
        )

    async def get_payment(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.LatestPaymentAnswer:
        """Read the last payment of an order.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readPayment",
                verb="GET",
                path=path_of("/orders/{}/payment", order_id),
            ),
            options,
        )

    async def pay(
        self,
        order_id: str,
        body: types.PaymentSubmission | Omitted = OMITTED,
        *,
        options: RequestOptions | None = None,
    ) -> types.PaymentAnswer:
        """Pay an order by x402.

        Speaks x402 v2, so any x402 client can pay. Without a payment, the answer is 402 with the
        requirements: in the header `PAYMENT-REQUIRED`, and in the body beside the usual `error`. A
        payment is in the header `PAYMENT-SIGNATURE`, which has precedence, or in the JSON body. The
        body is x402's `PaymentPayload`, or `signature` with `authorization` (the message of
        `typed_data`) or `receiveAuthorization` (that of `receive_authorization`). The service
        verifies the payment, relays it into the escrow and pays the gas. A repeated payment gets the
        same answer. A refused payment is not used: the answer is 402 with the reason. Only the event
        `order.funded` and the trail say that the order is funded.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="payOrder",
                verb="POST",
                path=path_of("/orders/{}/payment", order_id),
                body=body,
                takes_key=True,
            ),
            options,
        )

    async def get_payment_instructions(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.PaymentInstructions:
        """Read the payment instructions of an order.

        Chain, contract, token and exact amount. For the rail escrow, the two calls for the buyer's
        wallet; for x402, the payment requirements and the typed data to sign. Only the event
        `order.funded` and the trail say that the order is funded.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readPaymentInstructions",
                verb="GET",
                path=path_of("/orders/{}/payment-instructions", order_id),
            ),
            options,
        )

    async def reconcile(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Reconciliation:
        """Compare an order in ledger, index and contract.

        Reads the contract too. To trust nobody, read the contract yourself. Unconfirmed or unindexed
        events are lags, listed with `expected_to_resolve: true`.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="reconcileOrder",
                verb="GET",
                path=path_of("/orders/{}/reconcile", order_id),
            ),
            options,
        )

    async def get_refund_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that refunds the money.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readRefundToSign",
                verb="GET",
                path=path_of("/orders/{}/refund", order_id),
            ),
            options,
        )

    async def refund(
        self,
        order_id: str,
        *,
        signature: str,
        deadline: types.Uint256,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Refund the money to the buyer.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
            deadline: The `deadline` of the signed typed data, in unix seconds.
        """
        return await self._send(
            Call(
                operation="refundOrder",
                verb="POST",
                path=path_of("/orders/{}/refund", order_id),
                body={
                    "signature": signature,
                    "deadline": deadline,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    async def get_release_to_sign(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataToSign:
        """Read the typed data that releases the money.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readReleaseToSign",
                verb="GET",
                path=path_of("/orders/{}/release", order_id),
            ),
            options,
        )

    async def release(
        self,
        order_id: str,
        *,
        signature: str,
        deadline: types.Uint256,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Release the money to the provider.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, in 0x-hex.
            deadline: The `deadline` of the signed typed data, in unix seconds.
        """
        return await self._send(
            Call(
                operation="releaseOrder",
                verb="POST",
                path=path_of("/orders/{}/release", order_id),
                body={
                    "signature": signature,
                    "deadline": deadline,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    async def request_revision(
        self,
        order_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Request a revision of a delivery.

        Possible once. The order returns to the status `started`, and the provider delivers again.
        `auto_release_at` and `delivery_deadline` do not change.

        A key needs `orders:write`.

        Args:
            reason: The changes to make, stored in the trail.
        """
        return await self._send(
            Call(
                operation="requestRevision",
                verb="POST",
                path=path_of("/orders/{}/revision", order_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )

    async def get_settlement_options(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.SettlementOptions:
        """List what each party may do on the chain now.

        Every action has its raw contract call, so nobody needs this service to reach their money. An
        unavailable action has a reason, and a time if it only has to wait.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readSettlementOptions",
                verb="GET",
                path=path_of("/orders/{}/settlement-options", order_id),
            ),
            options,
        )

    async def list_stages(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OrderStages:
        """List the stages of an order with their outputs.

        The list is empty for an order without stages.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="listOrderStages",
                verb="GET",
                path=path_of("/orders/{}/stages", order_id),
            ),
            options,
        )

    async def start(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Start a funded order.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="startOrder",
                verb="POST",
                path=path_of("/orders/{}/start", order_id),
                takes_key=True,
            ),
            options,
        )

    async def use_voucher(
        self,
        order_id: str,
        *,
        cumulative_amount: str,
        work_hash: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Pay a session's calls by the newest voucher.

        Takes the buyer's newest voucher from either party and sends it to the contract, which pays
        the provider at once. The service pays the gas. The same request again gets the same relay.
        `order.part_released` in the trail confirms the payment.

        A key needs `orders:write`.

        Args:
            cumulative_amount: Base units that all calls cost so far.
            work_hash: The hash of the newest call.
            signature: The buyer's signature of the voucher (EIP-712).
        """
        return await self._send(
            Call(
                operation="relayVoucher",
                verb="POST",
                path=path_of("/orders/{}/voucher", order_id),
                body={
                    "cumulative_amount": cumulative_amount,
                    "work_hash": work_hash,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    async def open_session(
        self,
        service_id: str,
        *,
        calls: int | Omitted = OMITTED,
        balance: types.AmountInput | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Open a session of calls.

        Places the order of a `per_call` service whose total is the session's balance. No money moves:
        pay it as any order. Each call then goes to the `endpoint_url` of the agreement with a
        voucher; see docs/sessions.md.

        A key needs `orders:write`.

        Args:
            calls: The most calls, which the balance pays; the default is the service's
                `max_quantity`.
            balance: Instead of `calls`: the most to pay, in the token that pays. The session takes as
                many calls as it pays.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return await self._send(
            Call(
                operation="openCalls",
                verb="POST",
                path=path_of("/services/{}/sessions", service_id),
                body={
                    "calls": calls,
                    "balance": balance,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"balance": "amount"},
            ),
            options,
        )
