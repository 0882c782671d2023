# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Literal, Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class DisputesResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        open: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """The disputed orders whose arbiter is a wallet of yours, newest dispute first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
            open: `true`: those that are not settled yet; `false`: those that are.
        """
        return self._send_page(
            Call(
                operation="listDisputes",
                verb="GET",
                path="/disputes",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "open": open,
                },
            ),
            options,
        )

    def open(
        self,
        order_id: str,
        *,
        deadline: types.Uint256,
        signature: str,
        reason: str | Omitted = OMITTED,
        reason_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Have the escrow disputed.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            reason: Why; kept as a statement of the dispute.
            reason_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
            signature: The wallet's signature of the typed data, 0x-hex.
        """
        return self._send(
            Call(
                operation="disputeOrder",
                verb="POST",
                path=path_of("/orders/{}/dispute", order_id),
                body={
                    "reason": reason,
                    "reason_hash": reason_hash,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    def get(
        self,
        order_id: str,
        *,
        reason_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Dispute:
        """An order's dispute with all its evidence, and what a party signs to open one.

        For both parties at any time, and for the arbiter from the confirmed dispute on. The evidence
        is one bundle with one digest, which a ruling can name.

        A key needs `orders:read`.

        Args:
            reason_hash: Goes into `typed_data`.
        """
        return self._send(
            Call(
                operation="readDispute",
                verb="GET",
                path=path_of("/orders/{}/dispute", order_id),
                query={
                    "reason_hash": reason_hash,
                },
            ),
            options,
        )

    def signal(
        self,
        order_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Tell the other party that you mean to dispute, and why.

        Once for each party. It is a word only: the status stays, and no clock stops, auto-release
        included. Only `dispute`, on the chain, holds the money.

        A key needs `orders:write`.

        Args:
            reason: What is wrong, kept in the trail for both parties.
        """
        return self._send(
            Call(
                operation="signalDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute-intent", order_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )

    def get_decision_to_sign(
        self,
        order_id: str,
        *,
        provider_amount: types.AmountInput,
        ruling_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DecisionToSign:
        """What the arbiter signs, or sends, to decide a dispute.

        A key needs `orders:read`.

        Args:
            provider_amount: What the provider gets, a decimal; the rest of the escrow goes back to
                the buyer.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
        """
        return self._send(
            Call(
                operation="readDecisionToSign",
                verb="GET",
                path=path_of("/orders/{}/dispute/decision", order_id),
                query={
                    "provider_amount": provider_amount,
                    "ruling_hash": ruling_hash,
                },
                exact={"provider_amount": "amount"},
            ),
            options,
        )

    def decide(
        self,
        order_id: str,
        *,
        provider_amount: types.AmountInput,
        deadline: types.Uint256,
        signature: str,
        ruling: str | Omitted = OMITTED,
        ruling_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Have a dispute decided.

        Takes the arbiter's signature of the typed data and sends it; the service pays the gas. The
        same request again gives the same relay. That it is decided is known by the trail's
        `order.dispute_decided`; anyone may settle it once the appeal window is over.

        A key needs `orders:write`.

        Args:
            provider_amount: What the provider gets, a decimal; the rest of the escrow goes back to
                the buyer.
            ruling: The ruling's text, kept as a statement.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
            signature: The wallet's signature of the typed data, 0x-hex.
        """
        return self._send(
            Call(
                operation="decideDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute/decision", order_id),
                body={
                    "provider_amount": provider_amount,
                    "ruling": ruling,
                    "ruling_hash": ruling_hash,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"provider_amount": "amount", "deadline": "uint256"},
            ),
            options,
        )

    def add_statement(
        self,
        order_id: str,
        *,
        text: str,
        attachments: Sequence[types.Attachment] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Statement:
        """Say something about a dispute, for the other party and the arbiter to read.

        Both parties and the arbiter may, until the escrow is paid out, each 20 times at most. What
        was said stays as it is. The same again is the same statement.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="stateOnDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute/statements", order_id),
                body={
                    "text": text,
                    "attachments": attachments,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncDisputesResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        include: Literal["payloads"] | Omitted = OMITTED,
        open: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """The disputed orders whose arbiter is a wallet of yours, newest dispute first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            include: `payloads` gives each order's `input_payload` and `output_payload`, and pages of
                at most 10.
            open: `true`: those that are not settled yet; `false`: those that are.
        """
        return self._send_page(
            Call(
                operation="listDisputes",
                verb="GET",
                path="/disputes",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "include": include,
                    "open": open,
                },
            ),
            options,
        )

    async def open(
        self,
        order_id: str,
        *,
        deadline: types.Uint256,
        signature: str,
        reason: str | Omitted = OMITTED,
        reason_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Have the escrow disputed.

        Takes the party's signature of the typed data, with its `deadline`, and sends it; the service
        pays the gas. The same request again gives the same relay. What became of it is in the trail.

        A key needs `orders:write`.

        Args:
            reason: Why; kept as a statement of the dispute.
            reason_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
            signature: The wallet's signature of the typed data, 0x-hex.
        """
        return await self._send(
            Call(
                operation="disputeOrder",
                verb="POST",
                path=path_of("/orders/{}/dispute", order_id),
                body={
                    "reason": reason,
                    "reason_hash": reason_hash,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"deadline": "uint256"},
            ),
            options,
        )

    async def get(
        self,
        order_id: str,
        *,
        reason_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Dispute:
        """An order's dispute with all its evidence, and what a party signs to open one.

        For both parties at any time, and for the arbiter from the confirmed dispute on. The evidence
        is one bundle with one digest, which a ruling can name.

        A key needs `orders:read`.

        Args:
            reason_hash: Goes into `typed_data`.
        """
        return await self._send(
            Call(
                operation="readDispute",
                verb="GET",
                path=path_of("/orders/{}/dispute", order_id),
                query={
                    "reason_hash": reason_hash,
                },
            ),
            options,
        )

    async def signal(
        self,
        order_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Tell the other party that you mean to dispute, and why.

        Once for each party. It is a word only: the status stays, and no clock stops, auto-release
        included. Only `dispute`, on the chain, holds the money.

        A key needs `orders:write`.

        Args:
            reason: What is wrong, kept in the trail for both parties.
        """
        return await self._send(
            Call(
                operation="signalDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute-intent", order_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )

    async def get_decision_to_sign(
        self,
        order_id: str,
        *,
        provider_amount: types.AmountInput,
        ruling_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DecisionToSign:
        """What the arbiter signs, or sends, to decide a dispute.

        A key needs `orders:read`.

        Args:
            provider_amount: What the provider gets, a decimal; the rest of the escrow goes back to
                the buyer.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
        """
        return await self._send(
            Call(
                operation="readDecisionToSign",
                verb="GET",
                path=path_of("/orders/{}/dispute/decision", order_id),
                query={
                    "provider_amount": provider_amount,
                    "ruling_hash": ruling_hash,
                },
                exact={"provider_amount": "amount"},
            ),
            options,
        )

    async def decide(
        self,
        order_id: str,
        *,
        provider_amount: types.AmountInput,
        deadline: types.Uint256,
        signature: str,
        ruling: str | Omitted = OMITTED,
        ruling_hash: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Have a dispute decided.

        Takes the arbiter's signature of the typed data and sends it; the service pays the gas. The
        same request again gives the same relay. That it is decided is known by the trail's
        `order.dispute_decided`; anyone may settle it once the appeal window is over.

        A key needs `orders:write`.

        Args:
            provider_amount: What the provider gets, a decimal; the rest of the escrow goes back to
                the buyer.
            ruling: The ruling's text, kept as a statement.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
            deadline: The `deadline` of the typed data that was signed, unix seconds.
            signature: The wallet's signature of the typed data, 0x-hex.
        """
        return await self._send(
            Call(
                operation="decideDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute/decision", order_id),
                body={
                    "provider_amount": provider_amount,
                    "ruling": ruling,
                    "ruling_hash": ruling_hash,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"provider_amount": "amount", "deadline": "uint256"},
            ),
            options,
        )

    async def add_statement(
        self,
        order_id: str,
        *,
        text: str,
        attachments: Sequence[types.Attachment] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Statement:
        """Say something about a dispute, for the other party and the arbiter to read.

        Both parties and the arbiter may, until the escrow is paid out, each 20 times at most. What
        was said stays as it is. The same again is the same statement.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="stateOnDispute",
                verb="POST",
                path=path_of("/orders/{}/dispute/statements", order_id),
                body={
                    "text": text,
                    "attachments": attachments,
                },
                takes_key=True,
            ),
            options,
        )
