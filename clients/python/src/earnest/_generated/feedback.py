# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.resource import AsyncResource, Resource
from . import types


class FeedbackResource(Resource):
    def get_file(
        self,
        file: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FeedbackFile:
        """A feedback file, byte by byte as its name's keccak256 has it.

        It never changes.
        """
        return self._send(
            Call(
                operation="readFeedbackFile",
                verb="GET",
                path=path_of("/feedback/{}", file),
                open=True,
            ),
            options,
        )

    def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """The order's portable feedback, and what the buyer's wallet sends to give it.

        `feedback` is null before any was prepared. For the buyer.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readPortableFeedback",
                verb="GET",
                path=path_of("/orders/{}/portable-feedback", order_id),
            ),
            options,
        )

    def prepare(
        self,
        order_id: str,
        *,
        value: int,
        value_decimals: int | Omitted = OMITTED,
        tag1: str | Omitted = OMITTED,
        tag2: str | Omitted = OMITTED,
        comment: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """Prepare portable feedback on a settled order.

        Makes the ERC-8004 feedback file, with the settlement's transaction as proof of payment,
        serves it for ever under its keccak256, and answers the `giveFeedback` call for the buyer's
        own wallet. Nothing is on the chain before that wallet sends it. Until then it can be prepared
        anew, up to ten times; the same words again give the same file.

        A key needs `orders:write`.

        Args:
            value: How good it was, in units of its last decimal.
            value_decimals: Unless given: `0`.
            tag1: What the value measures. Unless given: `""`.
            tag2: Unless given: `""`.
        """
        return self._send(
            Call(
                operation="preparePortableFeedback",
                verb="POST",
                path=path_of("/orders/{}/portable-feedback", order_id),
                body={
                    "value": value,
                    "value_decimals": value_decimals,
                    "tag1": tag1,
                    "tag2": tag2,
                    "comment": comment,
                },
                takes_key=True,
            ),
            options,
        )

    def submit(
        self,
        order_id: str,
        *,
        transaction_hash: str,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """Tell which transaction gave the feedback.

        Checked in that transaction's receipt: the registry's event must be of this agent, the order's
        buyer and a file prepared for this order. It is `submitted` until its block counts, then
        `confirmed`. Without this call it is found by itself, a little later. The same transaction
        again gets the same answer.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="submitPortableFeedback",
                verb="POST",
                path=path_of("/orders/{}/portable-feedback/submitted", order_id),
                body={
                    "transaction_hash": transaction_hash,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncFeedbackResource(AsyncResource):
    async def get_file(
        self,
        file: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FeedbackFile:
        """A feedback file, byte by byte as its name's keccak256 has it.

        It never changes.
        """
        return await self._send(
            Call(
                operation="readFeedbackFile",
                verb="GET",
                path=path_of("/feedback/{}", file),
                open=True,
            ),
            options,
        )

    async def get(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """The order's portable feedback, and what the buyer's wallet sends to give it.

        `feedback` is null before any was prepared. For the buyer.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readPortableFeedback",
                verb="GET",
                path=path_of("/orders/{}/portable-feedback", order_id),
            ),
            options,
        )

    async def prepare(
        self,
        order_id: str,
        *,
        value: int,
        value_decimals: int | Omitted = OMITTED,
        tag1: str | Omitted = OMITTED,
        tag2: str | Omitted = OMITTED,
        comment: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """Prepare portable feedback on a settled order.

        Makes the ERC-8004 feedback file, with the settlement's transaction as proof of payment,
        serves it for ever under its keccak256, and answers the `giveFeedback` call for the buyer's
        own wallet. Nothing is on the chain before that wallet sends it. Until then it can be prepared
        anew, up to ten times; the same words again give the same file.

        A key needs `orders:write`.

        Args:
            value: How good it was, in units of its last decimal.
            value_decimals: Unless given: `0`.
            tag1: What the value measures. Unless given: `""`.
            tag2: Unless given: `""`.
        """
        return await self._send(
            Call(
                operation="preparePortableFeedback",
                verb="POST",
                path=path_of("/orders/{}/portable-feedback", order_id),
                body={
                    "value": value,
                    "value_decimals": value_decimals,
                    "tag1": tag1,
                    "tag2": tag2,
                    "comment": comment,
                },
                takes_key=True,
            ),
            options,
        )

    async def submit(
        self,
        order_id: str,
        *,
        transaction_hash: str,
        options: RequestOptions | None = None,
    ) -> types.PortableFeedback:
        """Tell which transaction gave the feedback.

        Checked in that transaction's receipt: the registry's event must be of this agent, the order's
        buyer and a file prepared for this order. It is `submitted` until its block counts, then
        `confirmed`. Without this call it is found by itself, a little later. The same transaction
        again gets the same answer.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="submitPortableFeedback",
                verb="POST",
                path=path_of("/orders/{}/portable-feedback/submitted", order_id),
                body={
                    "transaction_hash": transaction_hash,
                },
                takes_key=True,
            ),
            options,
        )
