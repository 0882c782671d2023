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
        """Read a feedback file.

        The bytes match the keccak256 in the file's name and never change.
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
        """Read the portable feedback of an order.

        For the buyer. `feedback` is null until one is prepared.

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

        Writes the ERC-8004 feedback file, with the settlement's transaction as proof of payment, and
        serves it for ever under its keccak256. The answer has the `giveFeedback` call for the buyer's
        own wallet. Nothing is on the chain until that wallet sends the call. Until then the feedback
        can be prepared again, up to ten times. The same content gives the same file.

        A key needs `orders:write`.

        Args:
            value: The rating, in units of its last decimal.
            value_decimals: Unless given: `0`.
            tag1: What the value rates. Unless given: `""`.
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
        """Report the transaction that gave the feedback.

        The transaction's receipt must have the registry's event for this agent, the order's buyer and
        a file of this order. The feedback is `submitted` until its block is confirmed. Without this
        call, the service finds the event itself a little later. A repeated request gets the same
        answer.

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
        """Read a feedback file.

        The bytes match the keccak256 in the file's name and never change.
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
        """Read the portable feedback of an order.

        For the buyer. `feedback` is null until one is prepared.

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

        Writes the ERC-8004 feedback file, with the settlement's transaction as proof of payment, and
        serves it for ever under its keccak256. The answer has the `giveFeedback` call for the buyer's
        own wallet. Nothing is on the chain until that wallet sends the call. Until then the feedback
        can be prepared again, up to ten times. The same content gives the same file.

        A key needs `orders:write`.

        Args:
            value: The rating, in units of its last decimal.
            value_decimals: Unless given: `0`.
            tag1: What the value rates. Unless given: `""`.
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
        """Report the transaction that gave the feedback.

        The transaction's receipt must have the registry's event for this agent, the order's buyer and
        a file of this order. The feedback is `submitted` until its block is confirmed. Without this
        call, the service finds the event itself a little later. A repeated request gets the same
        answer.

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
