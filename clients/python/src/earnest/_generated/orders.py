# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Literal, Mapping

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class OrdersResource(Resource):
    def buy(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        buyer_address: str,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        quantity: int | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        prefer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Purchase:
        """Buy a service by one request, without an account.

        Speaks x402 v2: a stock client buys by calling this once. The first answer is 402 with terms
        that are bound to the order's own deposit address; nothing is written down for it. The same
        request with the header `PAYMENT-SIGNATURE` buys: the order is then that of the wallet that
        signed, and the token of `claim` reads it. The same payment again gets the same answer. A
        refused payment was not used. With `Prefer: wait=30` the answer waits for the output: 200
        where it came, else 202. A request without a body is told the price alone.

        Args:
            input_payload: As the service's `input_schema` says.
            buyer_address: The order's buyer on the chain: refunds go there, and its signature
                releases. Any address, whoever pays.
            quantity: The service's smallest unless given.
            arbiter: Who decides a dispute: one of the service's `arbiters`. This chain's unless
                given.
            prefer: `wait=<seconds>` (RFC 7240): how long the answer may wait for the output.
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
                    "arbiter": arbiter,
                },
                headers={
                    "prefer": prefer,
                },
                open=True,
                retries=False,
            ),
            options,
        )

    def place(
        self,
        *,
        service_id: str,
        quantity: int | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Place an order.

        Freezes what is agreed and names the escrow that would pay for it. No money moves: read the
        payment instructions next.

        A key needs `orders:write`.

        Args:
            quantity: The service's smallest unless given.
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return self._send(
            Call(
                operation="placeOrder",
                verb="POST",
                path="/orders",
                body={
                    "service_id": service_id,
                    "quantity": quantity,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
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
        status: types.OrderStatus | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """The orders you placed, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
            approval: `pending`: only those that wait for an owner or admin.
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
                    "status": status,
                    "approval": approval,
                },
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
        status: types.OrderStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """The orders your agents received, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
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
                    "status": status,
                },
            ),
            options,
        )

    def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """An order you placed or received, or arbitrate.

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
        """What was agreed when the order was placed.

        The body is the canonical JSON (RFC 8785) of the document: the SHA-256 of its bytes is the
        escrow's `orderHash`, which the header `X-Order-Hash` repeats.

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
        """Approve or refuse an order that waits for you.

        By a session of an owner or admin of the buyer; a decision stands. An unfunded order that
        waits for nobody can be approved too, so that a key pays it that may not by itself. A refused
        one counts no more against its key, and expires. `GET /orders?approval=pending` lists those
        that wait.
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

    def deliver(
        self,
        order_id: str,
        *,
        output_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        note: str | Omitted = OMITTED,
        signature: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeliveredOrder:
        """Deliver the output.

        A started order takes it; so does a disputed one until its delivery deadline or a decision,
        and stays disputed. Refused, with the order as it was, if the output does not satisfy the
        schema that was frozen with the order. Auto-release needs the delivery on the chain as well:
        sign `delivery-record`, or send the signature along.

        A key needs `orders:write`.

        Args:
            output_payload: As the `output_schema` that the order was placed under says.
            note: A word to the buyer, kept in the trail.
            signature: The provider's signature of this delivery's record, relayed at once; see
                `delivery-record`.
        """
        return self._send(
            Call(
                operation="deliverOrder",
                verb="POST",
                path=path_of("/orders/{}/deliver", order_id),
                body={
                    "output_payload": output_payload,
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
        """What the provider signs to record the delivery on the chain.

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
        """Have the delivery recorded on the chain.

        Takes the provider's signature of the typed data and sends it; the service pays the gas. The
        same request again gives the same relay. That it is recorded is known by the trail's
        `delivery.recorded`.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
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
        """The order's trail, oldest first.

        An entry whose data have `times` stands for so many of its kind: returns of deposits and
        records of deliveries are told one by one 16 times, and counted then. What is not confirmed
        comes last.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `100`.
            cursor: `next_cursor` of the page before.
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
        """The tries to have the order executed at your endpoint.

        At most two: of the order, and of the changes that its buyer asked for.

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
        """What became of the payment that was handed in last.

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

        Speaks x402 v2, so any stock client pays here. Without a payment the answer is 402 with what
        to pay, in the header `PAYMENT-REQUIRED` and in the body, beside the `error` that every
        refusal has. A payment comes in the header `PAYMENT-SIGNATURE` (looked at first) or as the
        JSON body: x402's `PaymentPayload`, or only `signature` with `authorization` (the message of
        `typed_data`) or `receiveAuthorization` (that of `receive_authorization`). It is verified and
        relayed into the escrow; the service pays the gas. The same payment again gets the same
        answer. A refused one was not used: the answer is 402 with the reason. That the order is
        funded is known by the event `order.funded` and the trail.

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
        """How the order is paid.

        Chain, contract, token and exact amount, and by the order's rail the two calls for the buyer's
        wallet, or what x402 asks for and the typed data to sign. That the order is funded is known by
        the event `order.funded` and the trail, never from here.

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
        """Whether ledger, index and contract agree on the order.

        Reads the contract itself, so that nothing has to be believed. What is not confirmed or not
        indexed yet is a lag and listed with `expected_to_resolve: true`.

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
        """What the provider signs to refund the money.

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
        """Have the money refunded to the buyer.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
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
        """What the buyer signs to release the money.

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
        """Have the money released to the provider.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
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
        """Ask once for changes after a delivery.

        The order is started again and the provider delivers again. `auto_release_at` and
        `delivery_deadline` stay as they are.

        A key needs `orders:write`.

        Args:
            reason: What is to change, kept in the trail.
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
        """What each party may do on the chain now.

        Every action with its raw contract call, so that nobody needs this service to reach their
        money; what is not available says why and, where only time is missing, from when.

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

    def start(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Begin work on a funded order.

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


class AsyncOrdersResource(AsyncResource):
    async def buy(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        buyer_address: str,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        quantity: int | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        prefer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Purchase:
        """Buy a service by one request, without an account.

        Speaks x402 v2: a stock client buys by calling this once. The first answer is 402 with terms
        that are bound to the order's own deposit address; nothing is written down for it. The same
        request with the header `PAYMENT-SIGNATURE` buys: the order is then that of the wallet that
        signed, and the token of `claim` reads it. The same payment again gets the same answer. A
        refused payment was not used. With `Prefer: wait=30` the answer waits for the output: 200
        where it came, else 202. A request without a body is told the price alone.

        Args:
            input_payload: As the service's `input_schema` says.
            buyer_address: The order's buyer on the chain: refunds go there, and its signature
                releases. Any address, whoever pays.
            quantity: The service's smallest unless given.
            arbiter: Who decides a dispute: one of the service's `arbiters`. This chain's unless
                given.
            prefer: `wait=<seconds>` (RFC 7240): how long the answer may wait for the output.
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
                    "arbiter": arbiter,
                },
                headers={
                    "prefer": prefer,
                },
                open=True,
                retries=False,
            ),
            options,
        )

    async def place(
        self,
        *,
        service_id: str,
        quantity: int | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Place an order.

        Freezes what is agreed and names the escrow that would pay for it. No money moves: read the
        payment instructions next.

        A key needs `orders:write`.

        Args:
            quantity: The service's smallest unless given.
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return await self._send(
            Call(
                operation="placeOrder",
                verb="POST",
                path="/orders",
                body={
                    "service_id": service_id,
                    "quantity": quantity,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
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
        status: types.OrderStatus | Omitted = OMITTED,
        approval: Literal["pending"] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """The orders you placed, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
            approval: `pending`: only those that wait for an owner or admin.
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
                    "status": status,
                    "approval": approval,
                },
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
        status: types.OrderStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """The orders your agents received, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
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
                    "status": status,
                },
            ),
            options,
        )

    async def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """An order you placed or received, or arbitrate.

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
        """What was agreed when the order was placed.

        The body is the canonical JSON (RFC 8785) of the document: the SHA-256 of its bytes is the
        escrow's `orderHash`, which the header `X-Order-Hash` repeats.

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
        """Approve or refuse an order that waits for you.

        By a session of an owner or admin of the buyer; a decision stands. An unfunded order that
        waits for nobody can be approved too, so that a key pays it that may not by itself. A refused
        one counts no more against its key, and expires. `GET /orders?approval=pending` lists those
        that wait.
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

    async def deliver(
        self,
        order_id: str,
        *,
        output_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        note: str | Omitted = OMITTED,
        signature: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeliveredOrder:
        """Deliver the output.

        A started order takes it; so does a disputed one until its delivery deadline or a decision,
        and stays disputed. Refused, with the order as it was, if the output does not satisfy the
        schema that was frozen with the order. Auto-release needs the delivery on the chain as well:
        sign `delivery-record`, or send the signature along.

        A key needs `orders:write`.

        Args:
            output_payload: As the `output_schema` that the order was placed under says.
            note: A word to the buyer, kept in the trail.
            signature: The provider's signature of this delivery's record, relayed at once; see
                `delivery-record`.
        """
        return await self._send(
            Call(
                operation="deliverOrder",
                verb="POST",
                path=path_of("/orders/{}/deliver", order_id),
                body={
                    "output_payload": output_payload,
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
        """What the provider signs to record the delivery on the chain.

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
        """Have the delivery recorded on the chain.

        Takes the provider's signature of the typed data and sends it; the service pays the gas. The
        same request again gives the same relay. That it is recorded is known by the trail's
        `delivery.recorded`.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
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
        """The order's trail, oldest first.

        An entry whose data have `times` stands for so many of its kind: returns of deposits and
        records of deliveries are told one by one 16 times, and counted then. What is not confirmed
        comes last.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `100`.
            cursor: `next_cursor` of the page before.
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
        """The tries to have the order executed at your endpoint.

        At most two: of the order, and of the changes that its buyer asked for.

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
        """What became of the payment that was handed in last.

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

        Speaks x402 v2, so any stock client pays here. Without a payment the answer is 402 with what
        to pay, in the header `PAYMENT-REQUIRED` and in the body, beside the `error` that every
        refusal has. A payment comes in the header `PAYMENT-SIGNATURE` (looked at first) or as the
        JSON body: x402's `PaymentPayload`, or only `signature` with `authorization` (the message of
        `typed_data`) or `receiveAuthorization` (that of `receive_authorization`). It is verified and
        relayed into the escrow; the service pays the gas. The same payment again gets the same
        answer. A refused one was not used: the answer is 402 with the reason. That the order is
        funded is known by the event `order.funded` and the trail.

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
        """How the order is paid.

        Chain, contract, token and exact amount, and by the order's rail the two calls for the buyer's
        wallet, or what x402 asks for and the typed data to sign. That the order is funded is known by
        the event `order.funded` and the trail, never from here.

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
        """Whether ledger, index and contract agree on the order.

        Reads the contract itself, so that nothing has to be believed. What is not confirmed or not
        indexed yet is a lag and listed with `expected_to_resolve: true`.

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
        """What the provider signs to refund the money.

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
        """Have the money refunded to the buyer.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
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
        """What the buyer signs to release the money.

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
        """Have the money released to the provider.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            signature: The wallet's signature of the typed data, 0x-hex.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
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
        """Ask once for changes after a delivery.

        The order is started again and the provider delivers again. `auto_release_at` and
        `delivery_deadline` stay as they are.

        A key needs `orders:write`.

        Args:
            reason: What is to change, kept in the trail.
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
        """What each party may do on the chain now.

        Every action with its raw contract call, so that nobody needs this service to reach their
        money; what is not available says why and, where only time is missing, from when.

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

    async def start(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Begin work on a funded order.

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
