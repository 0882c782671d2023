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
        role: types.DisputeRole | Omitted = OMITTED,
        open: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedOrder, types.OrderPage]:
        """List the disputes that you decide, or of your orders, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            role: `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases
                and sales.
            open: `true`: unsettled disputes; `false`: settled disputes.
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
                    "role": role,
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
        """Open a dispute.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            reason: The reason, stored as a statement of the dispute.
            reason_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
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
        """Read a dispute with its evidence, and the typed data to open one.

        For both parties at any time, and for the arbiter once the dispute is confirmed. The evidence
        is one bundle with one digest, which a ruling can refer to.

        A key needs `orders:read`.

        Args:
            reason_hash: The reason's hash for `typed_data`.
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
        """Announce a dispute and its reason to the other party.

        Each party can announce once. The announcement changes neither the status nor any deadline,
        auto-release included. Only `dispute`, on the chain, holds the money.

        A key needs `orders:write`.

        Args:
            reason: What is wrong, stored in the trail for both parties.
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
        """Read the typed data and the call that decide a dispute.

        A key needs `orders:read`.

        Args:
            provider_amount: The provider's share, a decimal; the rest of the escrow goes back to the
                buyer.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
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
        """Decide a dispute.

        Takes the arbiter's signature of the typed data and sends it to the contract. The service pays
        the gas. A repeated request gets the same relay. `order.dispute_decided` in the trail confirms
        the decision. Anyone may settle it once the appeal window is over.

        A key needs `orders:write`.

        Args:
            provider_amount: The provider's share, a decimal; the rest of the escrow goes back to the
                buyer.
            ruling: The text of the ruling, stored as a statement.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
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
        files: Sequence[types.FileReference] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Statement:
        """Make a statement about a dispute.

        Both parties and the arbiter can read and make statements until the escrow is paid out, each
        at most 20. A statement cannot be changed. Its files are evidence: nobody can delete them, and
        the decision seals the folder. A repeated request gets the same statement.

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
                    "files": files,
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
        role: types.DisputeRole | Omitted = OMITTED,
        open: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedOrder, types.OrderPage]:
        """List the disputes that you decide, or of your orders, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            include: `payloads` adds `input_payload` and `output_payload` to each order, and limits
                pages to 10 orders.
            role: `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases
                and sales.
            open: `true`: unsettled disputes; `false`: settled disputes.
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
                    "role": role,
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
        """Open a dispute.

        Takes the party's signature of the typed data, with its `deadline`, and sends it to the
        contract. The service pays the gas. A repeated request gets the same relay. The trail shows
        the result.

        A key needs `orders:write`.

        Args:
            reason: The reason, stored as a statement of the dispute.
            reason_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
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
        """Read a dispute with its evidence, and the typed data to open one.

        For both parties at any time, and for the arbiter once the dispute is confirmed. The evidence
        is one bundle with one digest, which a ruling can refer to.

        A key needs `orders:read`.

        Args:
            reason_hash: The reason's hash for `typed_data`.
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
        """Announce a dispute and its reason to the other party.

        Each party can announce once. The announcement changes neither the status nor any deadline,
        auto-release included. Only `dispute`, on the chain, holds the money.

        A key needs `orders:write`.

        Args:
            reason: What is wrong, stored in the trail for both parties.
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
        """Read the typed data and the call that decide a dispute.

        A key needs `orders:read`.

        Args:
            provider_amount: The provider's share, a decimal; the rest of the escrow goes back to the
                buyer.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
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
        """Decide a dispute.

        Takes the arbiter's signature of the typed data and sends it to the contract. The service pays
        the gas. A repeated request gets the same relay. `order.dispute_decided` in the trail confirms
        the decision. Anyone may settle it once the appeal window is over.

        A key needs `orders:write`.

        Args:
            provider_amount: The provider's share, a decimal; the rest of the escrow goes back to the
                buyer.
            ruling: The text of the ruling, stored as a statement.
            ruling_hash: The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
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
        files: Sequence[types.FileReference] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Statement:
        """Make a statement about a dispute.

        Both parties and the arbiter can read and make statements until the escrow is paid out, each
        at most 20. A statement cannot be changed. Its files are evidence: nobody can delete them, and
        the decision seals the folder. A repeated request gets the same statement.

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
                    "files": files,
                },
                takes_key=True,
            ),
            options,
        )
